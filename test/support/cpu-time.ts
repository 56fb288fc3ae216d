/**
 * Gives the milliseconds of processor time that this process has taken since: for work that may not grow
 * beyond proportion. What else the machine does is not in it.
 */
export function startCpuTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}

/** The longest that this thread's work has kept others waiting, in milliseconds of processor time. */
export function watchHoldUps(): { stop(): number } {
  let longestMs = 0
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    before = process.threadCpuUsage()
  }
  const timer = setInterval(look, 1)
  return {
    stop() {
      look()
      clearInterval(timer)
      return longestMs
    },
  }
}
