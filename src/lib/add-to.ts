/** Adds to the sum of a key, and deletes a sum of 0. Returns the sum. */
export function addTo<Key>(sums: Map<Key, number>, key: Key, change: number): number {
  const sum = (sums.get(key) ?? 0) + change
  if (sum === 0) sums.delete(key)
  else sums.set(key, sum)
  return sum
}
