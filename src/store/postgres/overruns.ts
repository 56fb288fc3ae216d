import { Value } from '@sinclair/typebox/value'
import { Overrun } from '../ports/records.ts'
import type { Listening } from './connections.ts'

/** The `NOTIFY` channel for answers that cost more than estimated. */
export const overrunChannel = 'tollgate_dearer'

/** In bytes. The server refuses longer ones, and with them the commit. */
const longestPayload = 7_999

export interface OverrunNews extends Listening {
  /** `listener` gets all that arrive from now on, this process's own included. */
  onOverrun(listener: (overrun: Overrun) => void): void
}

export function createOverrunNews(): OverrunNews {
  let notify: (overrun: Overrun) => void = () => {}
  return {
    channel: overrunChannel,
    onPayload(payload) {
      const overrun = readPayload(payload)
      if (overrun) notify(overrun)
    },
    onOverrun(listener) {
      notify = listener
    },
  }
}

export function overrunPayloads(all: readonly Overrun[]): readonly string[] {
  const payloads = all.map((one) => JSON.stringify(one))
  return payloads.filter((payload) => Buffer.byteLength(payload) <= longestPayload)
}

/** Undefined: another version's form. */
function readPayload(payload: string): Overrun | undefined {
  try {
    const notice: unknown = JSON.parse(payload)
    return Value.Check(Overrun, notice) ? notice : undefined
  } catch {
    return undefined
  }
}
