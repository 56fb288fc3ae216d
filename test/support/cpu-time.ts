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
