/** The middle of several measurements, and how far they lie apart. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Undefined where nothing was measured. Of an even count the median is the lower middle one. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b)
  const median = sorted[Math.floor((sorted.length - 1) / 2)]
  const [min, max] = [sorted[0], sorted.at(-1)]
  if (median === undefined || min === undefined || max === undefined) return undefined
  return { median, min, max }
}

/** Pairs the measurements of one round with each other, so that a slow minute hits both sides. */
export function pairwise(
  ours: readonly number[],
  theirs: readonly number[],
  combine: (our: number, their: number) => number,
): number[] {
  return ours.flatMap((our, round) => {
    const their = theirs[round]
    return their === undefined ? [] : [combine(our, their)]
  })
}
