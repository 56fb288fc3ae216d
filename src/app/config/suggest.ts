/** How many letters must change, be added, removed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

const plain = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The word that was probably meant, or undefined when none is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const wanted = plain(word)
  if (wanted.length > 40) return undefined
  const ranked = known
    .map((candidate) => ({ candidate, far: distance(wanted, plain(candidate)) }))
    .toSorted((a, b) => a.far - b.far)
  const best = ranked[0]
  const near = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  return best && best.far <= near ? best.candidate : undefined
}
