/** A bounded number of places; whoever comes later waits in line. */
export interface Slots {
  /**
   * Waits for a place, at most so long; call what it returns to give the place back. Undefined: none
   * became free in time. Throws the signal's reason.
   */
  take(signal: AbortSignal, limitMs: number): Promise<(() => void) | undefined>
}

/** Makes `count` places. */
export function createSlots(count: number): Slots {
  let free = count
  const waiting = new Set<() => void>()

  function release(): void {
    const [next] = waiting
    if (next === undefined) {
      free++
    } else {
      waiting.delete(next)
      next()
    }
  }

  return {
    async take(signal, limitMs) {
      signal.throwIfAborted()
      if (free > 0) {
        free--
        return release
      }
      const { promise, resolve, reject } = Promise.withResolvers<(() => void) | undefined>()
      const enter = () => resolve(release)
      // Whoever has just been let in has a place, whatever comes in the same moment.
      const leave = () => waiting.delete(enter) && reject(signal.reason)
      const timer = setTimeout(() => waiting.delete(enter) && resolve(undefined), limitMs)
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(enter)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
      }
    },
  }
}
