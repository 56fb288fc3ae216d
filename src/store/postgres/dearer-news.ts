import { Value } from '@sinclair/typebox/value'
import { Dearer } from '../ports/records.ts'
import type { Listening } from './connections.ts'

/** What nodes tell each other of answers that turned out dearer: `NOTIFY` on this channel. */
export const dearerChannel = 'tollgate_dearer'

/** In bytes. The server refuses longer ones, and with them the commit. */
const longestPayload = 7_999

/** Hears of what nodes tell. */
export interface DearerNews extends Listening {
  /** Calls `hear` with all that is told from now on, by this process, too. */
  onDearer(hear: (dearer: Dearer) => void): void
}

export function createDearerNews(): DearerNews {
  let tell: (dearer: Dearer) => void = () => {}
  return {
    channel: dearerChannel,
    onPayload(payload) {
      const dearer = readPayload(payload)
      if (dearer) tell(dearer)
    },
    onDearer(hear) {
      tell = hear
    },
  }
}

/** What is told of these. */
export function dearerPayloads(all: readonly Dearer[]): readonly string[] {
  const payloads = all.map((one) => JSON.stringify(one))
  return payloads.filter((payload) => Buffer.byteLength(payload) <= longestPayload)
}

/** Undefined: it is of a version that says it in another way. */
function readPayload(payload: string): Dearer | undefined {
  try {
    const told: unknown = JSON.parse(payload)
    return Value.Check(Dearer, told) ? told : undefined
  } catch {
    return undefined
  }
}
