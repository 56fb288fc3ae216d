/** The least of several runs, in milliseconds: what else the machine does only adds to it. */
export function leastMs(work: () => void, runs: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const before = performance.now()
    work()
    least = Math.min(least, performance.now() - before)
  }
  return least
}
