import type { AnswerEvent } from '../canonical/event.ts'

/** The events of calls. */
export type CallEvent = Extract<
  AnswerEvent,
  { readonly type: 'tool-call-start' | 'tool-call-delta' | 'tool-call-end' }
>

/** Puts calls that overlap one after the other: the first goes on at once, the others wait. */
export interface CallOrder {
  push(event: CallEvent): string
  /** All that is left, of calls that have not ended, too. */
  end(): string
}

/** `write` gets each call whole before the next: SDKs take a call as done when another begins. */
export function createCallOrder(write: (event: CallEvent) => string): CallOrder {
  const waiting = new Map<string, CallEvent[]>()
  let live: string | undefined

  /** The calls behind the one that ended, up to the first that is not whole. */
  function writeNext(): string {
    let text = ''
    live = undefined
    for (const [id, events] of waiting) {
      waiting.delete(id)
      for (const event of events) text += write(event)
      if (events.at(-1)?.type === 'tool-call-end') continue
      live = id
      break
    }
    return text
  }

  return {
    push(event) {
      if (event.type === 'tool-call-start' && live === undefined) live = event.id
      if (event.id === live) {
        const text = write(event)
        return event.type === 'tool-call-end' ? text + writeNext() : text
      }
      if (event.type === 'tool-call-start') waiting.set(event.id, [event])
      else waiting.get(event.id)?.push(event)
      return ''
    },
    end() {
      let text = ''
      while (live !== undefined) text += write({ type: 'tool-call-end', id: live }) + writeNext()
      return text
    },
  }
}
