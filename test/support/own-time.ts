/** How long this process has run, in milliseconds: while the machine gives it no time, this stands. */
export interface OwnTime extends Disposable {
  now(): number
}

const turnMs = 5
/** Of a longer turn no more counts: the process was not run, or had something else to do. */
const mostMs = 20

/**
 * For what may take no longer than something: a machine that stalls this process stalls the answers
 * that it would have read meanwhile, and they are no slower for it.
 */
export function startOwnTime(): OwnTime {
  let ownMs = 0
  let turnTick = performance.now()
  const look = () => {
    const tick = performance.now()
    ownMs += Math.min(tick - turnTick, mostMs)
    turnTick = tick
  }
  const timer = setInterval(look, turnMs)
  return {
    now: () => ownMs,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
