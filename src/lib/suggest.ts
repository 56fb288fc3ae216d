/** Edit distance: letters changed, added, removed or swapped with their neighbour. */
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

/** The largest distance that counts as near. */
const reachOf = (wanted: string) =>
  wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))

const maxLength = 40

/** Of two words whose lengths differ by more, the distance is larger, too. */
const isInReach = (wanted: string, other: string) =>
  Math.abs(other.length - wanted.length) <= reachOf(wanted)

/** The known word that was probably meant; undefined when none is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const wanted = plain(word)
  if (wanted.length > maxLength) return undefined
  const ranked = known
    .map((candidate) => ({ candidate, other: plain(candidate) }))
    .filter(({ other }) => isInReach(wanted, other))
    .map(({ candidate, other }) => ({ candidate, far: distance(wanted, other) }))
    .toSorted((a, b) => a.far - b.far)
  const best = ranked[0]
  return best && best.far <= reachOf(wanted) ? best.candidate : undefined
}

/** More candidates are not compared letter by letter: it takes too long. */
const maxCompared = 2_000

/** At most `most` names that were probably meant, nearest first. */
export function nearest(word: string, known: readonly string[], most: number): readonly string[] {
  const wanted = plain(word)
  if (wanted.length > maxLength) return []
  const reach = reachOf(wanted)
  let compared = 0
  const farOf = (other: string) => {
    if (!isInReach(wanted, other) || ++compared > maxCompared) return undefined
    const far = distance(wanted, other)
    return far <= reach ? far : undefined
  }
  return known
    .map((candidate) => {
      const other = plain(candidate)
      return { candidate, far: farOf(other) ?? prefixDistance(wanted, other) }
    })
    .filter(({ far }) => far !== undefined)
    .toSorted((a, b) => (a.far ?? 0) - (b.far ?? 0))
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** Ranks after all near words; the fewer letters are missing, the nearer. */
function prefixDistance(wanted: string, other: string): number | undefined {
  const [short, long] = wanted.length < other.length ? [wanted, other] : [other, wanted]
  if (short.length < 4 || !long.startsWith(short)) return undefined
  return maxLength + long.length - short.length
}
