import type { AnswerEvent } from '../canonical/event.ts'

type CallStart = Extract<AnswerEvent, { readonly type: 'tool-call-start' }>

/** A call whose input is all there. */
export interface WholeCall extends Pick<CallStart, 'choice' | 'callId' | 'name' | 'kind'> {
  readonly input: string
}

/** Calls that are on their way, several at once: they come out whole, in the order they began. */
export interface CallQueue {
  start(event: CallStart): void
  add(id: string, text: string): void
  end(id: string): void
  /** Those that have ended, and that no earlier one of the same choice holds up. */
  takeEnded(): readonly WholeCall[]
}

interface WaitingCall extends WholeCall {
  input: string
  hasEnded: boolean
}

/** No call has begun. */
export function createCallQueue(): CallQueue {
  const waiting = new Map<string, WaitingCall>()
  return {
    start({ id, choice, callId, name, kind }) {
      waiting.set(id, { choice, callId, name, kind, input: '', hasEnded: false })
    },
    add(id, text) {
      const call = waiting.get(id)
      if (call) call.input += text
    },
    end(id) {
      const call = waiting.get(id)
      if (call) call.hasEnded = true
    },
    takeEnded() {
      const ended: WholeCall[] = []
      const held = new Set<number>()
      for (const [id, call] of waiting) {
        if (held.has(call.choice)) continue
        if (call.hasEnded) {
          waiting.delete(id)
          ended.push(call)
        } else held.add(call.choice)
      }
      return ended
    },
  }
}
