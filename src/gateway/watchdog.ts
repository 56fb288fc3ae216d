import type { Clock } from '../lib/clock.ts'

/** Which limit of time was passed. */
export type Expiry = 'first_byte' | 'idle' | 'total'

export interface Limits {
  readonly firstByteMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** One upstream call under watch. */
export interface Watch {
  /** A chunk came, or is waited for from now on: the limit is the silence between chunks then. */
  touched(): void
  /** Nothing is waited for: the client's slowness is not the upstream's silence. */
  paused(): void
  stop(): void
}

export interface Watchdog {
  watch(limits: Limits, onExpiry: (expiry: Expiry) => void): Watch
  stop(): void
}

interface Entry {
  readonly limits: Limits
  readonly onExpiry: (expiry: Expiry) => void
  readonly startedAt: number
  lastAt: number
  phase: 'head' | 'body' | 'paused'
}

const tickMs = 100

/**
 * Watches all upstream calls with one timer, so that a chunk costs a clock reading and not a timer
 * of its own. Limits are kept to within a tick of 100 ms.
 */
export function createWatchdog(clock: Clock): Watchdog {
  const entries = new Set<Entry>()

  const timer = setInterval(() => {
    const now = clock()
    for (const entry of entries) {
      const expiry = expired(entry, now)
      if (expiry === undefined) continue
      entries.delete(entry)
      entry.onExpiry(expiry)
    }
  }, tickMs)
  timer.unref()

  return {
    watch(limits, onExpiry) {
      const now = clock()
      const entry: Entry = { limits, onExpiry, startedAt: now, lastAt: now, phase: 'head' }
      entries.add(entry)
      const enter = (phase: Entry['phase']) => {
        entry.phase = phase
        entry.lastAt = clock()
      }
      return {
        touched: () => enter('body'),
        paused: () => enter('paused'),
        stop: () => entries.delete(entry),
      }
    },
    stop: () => clearInterval(timer),
  }
}

function expired(entry: Entry, now: number): Expiry | undefined {
  const { limits, phase } = entry
  if (now - entry.startedAt >= limits.totalMs) return 'total'
  const silentMs = now - entry.lastAt
  if (phase === 'head' && silentMs >= limits.firstByteMs) return 'first_byte'
  if (phase === 'body' && silentMs >= limits.idleMs) return 'idle'
  return undefined
}
