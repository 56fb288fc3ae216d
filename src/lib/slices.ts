/** Longest time for which a slice may block the event loop. */
const sliceMs = 2

/** Runs a long computation in slices, between which requests are served. */
export async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  let pauseAt = performance.now() + sliceMs
  let isLong = false
  for (;;) {
    const step = steps.next()
    if (step.done) {
      // The caller's work on a large result gets a slice of its own.
      if (isLong) await pause()
      return step.value
    }
    if (performance.now() < pauseAt) continue
    isLong = true
    await pause()
    pauseAt = performance.now() + sliceMs
  }
}

/** The same for a loop of asynchronous work that resolves at once: await it after each piece. */
export function createPauses(): () => Promise<void> {
  let pauseAt = performance.now() + sliceMs
  return async () => {
    if (performance.now() < pauseAt) return
    await pause()
    pauseAt = performance.now() + sliceMs
  }
}

const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
