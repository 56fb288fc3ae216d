/** A ratio that was rounded down, as people read it: never 100 % while something failed. */
export function formatRatio(ratio: number | null, noData: string): string {
  if (ratio === null) return noData
  return `${Math.floor(ratio * 10_000 + 1e-9) / 100} %`
}
