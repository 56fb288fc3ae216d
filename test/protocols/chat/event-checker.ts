import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'

function demand(isTrue: boolean, what: string, event: AnswerEvent): void {
  if (!isTrue) throw new Error(`${what}: ${JSON.stringify(event)}`)
}

/**
 * Throws unless events follow the grammar of canonical/event.ts. With `isWhole` they must also come
 * to a regular end or an error.
 */
export function checkEvents(events: readonly AnswerEvent[], isWhole: boolean): void {
  const open = new Map<string, { readonly kind: string; readonly choice: number }>()
  const used = new Set<string>()
  const begun = new Set<number>()
  const finished = new Set<number>()
  events.forEach((event, index) => {
    demand((event.type === 'start') === (index === 0), 'start is not the first and only', event)
    const last = events[index - 1]?.type
    demand(last !== 'end' && last !== 'error', 'something behind the end', event)
    const [kind, step] = splitType(event.type)
    if (step === 'start' && 'id' in event && 'choice' in event) {
      const { id, choice } = event
      demand(!used.has(id), 'an id again', event)
      demand(!finished.has(choice), 'a block behind the finish', event)
      for (const other of open.values()) {
        const isSpoken = kind !== 'tool-call' && other.kind !== 'tool-call'
        demand(!isSpoken || other.choice !== choice, `${other.kind} is still open`, event)
      }
      used.add(id)
      begun.add(choice)
      open.set(id, { kind, choice })
    } else if ((step === 'delta' || step === 'end') && 'id' in event) {
      demand(open.get(event.id ?? '')?.kind === kind, 'no such block is open', event)
      if (step === 'end') open.delete(event.id ?? '')
      if ('text' in event) demand(event.text !== '', 'an empty piece', event)
    }
    if (event.type === 'finish') {
      demand(!finished.has(event.choice), 'finished twice', event)
      demand(open.size === 0, 'a block is open', event)
      finished.add(event.choice)
    }
    if (event.type === 'end') {
      demand(finished.size > 0, 'no finish', event)
      for (const choice of begun) demand(finished.has(choice), `choice ${choice} goes on`, event)
    }
  })
  const ends = events.at(-1)?.type
  if (isWhole && ends !== 'end' && ends !== 'error') throw new Error(`The last event is ${ends}`)
  if (ends !== 'error' && open.size > 0) throw new Error('A block is open at the end')
}

function splitType(type: AnswerEvent['type']): readonly [kind: string, step: string] {
  if (type === 'start' || type === 'end') return ['', '']
  const at = type.lastIndexOf('-')
  return [type.slice(0, at), type.slice(at + 1)]
}
