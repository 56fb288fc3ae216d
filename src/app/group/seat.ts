import { type Child, type Ended, startChild } from './child.ts'
import type { FromChild, ToChild } from './messages.ts'
import type { ChildRole } from './role.ts'

/** A child that lived so long begins anew without a pause. */
const longMs = 30_000
const leastPauseMs = 100
const mostPauseMs = 5_000

interface SeatParts {
  readonly role: Omit<ChildRole, 'start'>
  readonly command: readonly string[]
  readonly socket?: number | undefined
  readonly onMessage: (message: FromChild) => void
  readonly onEnd: (ended: Ended) => void
}

/** A seat in the group, which one process after the other fills. */
export type Seat = ReturnType<typeof createSeat>

export function createSeat({ role, onMessage, onEnd, ...how }: SeatParts) {
  let child: Child | undefined
  let isJoined = false
  let isReady = false
  let start = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined

  function fill(): void {
    timer = undefined
    isJoined = isReady = false
    const parts = { role: { ...role, start: start++ }, ...how, onMessage: hear, onEnd: end }
    try {
      child = startChild(parts)
    } catch (error) {
      setImmediate(() => end({ pid: 0, code: 1, signal: null, livedMs: 0, error }))
    }
  }

  function hear(message: FromChild): void {
    if (message.kind === 'joined') isJoined = true
    if (message.kind === 'ready') isReady = true
    onMessage(message)
  }

  function end(ended: Ended): void {
    child = undefined
    isJoined = isReady = false
    onEnd(ended)
  }

  return {
    name: role.role === 'keeper' ? 'keeper' : `worker ${role.index}`,
    fill,
    /** Fills it again: at once, but with growing pauses for one that fails again and again. Gives the pause. */
    refill({ code, livedMs }: Ended): number {
      failures = code === 0 || livedMs >= longMs ? 0 : failures + 1
      const pauseMs = failures <= 1 ? 0 : Math.min(leastPauseMs * 2 ** (failures - 2), mostPauseMs)
      timer = setTimeout(fill, pauseMs)
      return pauseMs
    },
    /** Stays empty, if it is. */
    close: () => clearTimeout(timer),
    isReady: () => isReady,
    index: role.index,
    socket: how.socket,
    /** Whether it was filled before. */
    isRefilled: () => start > 1,
    /** Undefined: it is empty. */
    pid: () => child?.pid,
    /** A child that does not listen yet asks with `joined`. */
    send(message: ToChild): void {
      if (isJoined) child?.send(message)
    },
    kill: () => child?.kill(),
  }
}
