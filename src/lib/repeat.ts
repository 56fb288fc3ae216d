/** Does a task again and again; what it returns ends that. Passed in, so that tests need no timers. */
export type Repeat = (task: () => void, everyMs: number) => () => void

/** By a timer that does not keep the process alive. */
export const repeatByTimer: Repeat = (task, everyMs) => {
  const timer = setInterval(task, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
