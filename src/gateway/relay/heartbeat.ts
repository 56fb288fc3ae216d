import type { Clock } from '../../lib/clock.ts'
import type { HeartbeatPlace } from '../../protocols/protocol.ts'
import type { Exchange } from '../exchange.ts'

/** In place of the awaited result: the client has heard nothing for too long. */
export const beat = Symbol('beat')

export interface Heartbeat {
  /** The result, or `beat` when a heartbeat is due before; wait for the same again then. */
  next<Result>(pending: Promise<Result>): Promise<Result | typeof beat>
  /** For repeated waits: calls back once when one is due; undefined cancels. */
  expect(onDue: ((due: typeof beat) => void) | undefined): void
  sent(): void
  stop(): void
}

export interface HeartbeatTimes {
  /** Before anything was sent: an earlier failure has a status of its own. */
  readonly firstMs: number
  readonly everyMs: number
}

export type Heartbeats = ReturnType<typeof createHeartbeats>

/** Proxies between client and gateway close longer silent connections. */
const usualTimes: HeartbeatTimes = { firstMs: 25_000, everyMs: 15_000 }

interface Entry {
  silentSince: number
  limitMs: number
  onDue: ((due: typeof beat) => void) | undefined
}

/** Schedules the heartbeats of all streams by one timer. */
export function createHeartbeats(tick: Clock, times: HeartbeatTimes = usualTimes) {
  const entries = new Set<Entry>()

  const timer = setInterval(
    () => {
      const now = tick()
      for (const entry of entries) {
        if (entry.onDue === undefined || now - entry.silentSince < entry.limitMs) continue
        const { onDue } = entry
        entry.onDue = undefined
        onDue(beat)
      }
    },
    Math.min(1_000, times.everyMs / 5),
  )
  timer.unref()

  return {
    /** `since`: the time from which the client has heard nothing; default: now. */
    begin(since: number = tick()): Heartbeat {
      const entry: Entry = { silentSince: since, limitMs: times.firstMs, onDue: undefined }
      entries.add(entry)
      return {
        next: (pending) =>
          new Promise((resolve, reject) => {
            entry.onDue = resolve
            pending.then(resolve, reject)
          }),
        expect(onDue) {
          entry.onDue = onDue
        },
        sent() {
          entry.silentSince = tick()
          entry.limitMs = times.everyMs
        },
        stop: () => entries.delete(entry),
      }
    },
    stop: (): void => clearInterval(timer),
  }
}

export const noHeartbeat: Heartbeat = {
  next: (pending) => pending,
  expect() {},
  sent() {},
  stop() {},
}

const encoder = new TextEncoder()

/** Bytes that this client's reader ignores; they stand between two frames. */
export function heartbeatBytes(
  exchange: Pick<Exchange, 'protocol' | 'framing' | 'library'>,
  place: HeartbeatPlace,
): Uint8Array {
  return encoder.encode(exchange.protocol.heartbeat(exchange, place))
}

const space = 0x20

const openBracket = 0x5b

const closing = Uint8Array.of(0x5d)

/** A streamed JSON array after a heartbeat's bracket (`isOpen`); an error becomes an element. */
export async function* withoutSecondBracket(
  stream: AsyncIterable<Uint8Array>,
  isOpen: boolean,
): AsyncGenerator<Uint8Array> {
  let brackets = isOpen ? 1 : 0
  let hasElement = false
  let lacksEnd = false
  for await (const chunk of stream) {
    let bytes = chunk
    if (!hasElement) {
      const at = chunk.findIndex((byte) => byte > space)
      if (chunk[at] === openBracket) {
        if (brackets > 0) bytes = chunk.subarray(at + 1)
        brackets++
        hasElement = chunk.subarray(at + 1).some((byte) => byte > space)
      } else if (at !== -1) {
        hasElement = true
        lacksEnd = isOpen && brackets === 1
      }
    }
    if (bytes.byteLength > 0) yield bytes
  }
  if (lacksEnd) yield closing
}
