import type { AnswerEvent } from '../canonical/event.ts'
import type { EventFilter } from './event-filter.ts'
import { createStopMatcher, preparePatterns, type StopMatcher } from './stop-matcher.ts'

/** A block that has begun, and whose text is watched. */
interface Block {
  readonly choice: number
  readonly type: 'text' | 'reasoning' | 'refusal' | 'tool-call'
  readonly matcher: StopMatcher | undefined
}

/**
 * Ends an answer at a stop sequence where its vendor knows none: what follows is left out, and the answer
 * ends as one that was stopped. For answers without others side by side.
 */
export function createStopFilter(sequences: readonly string[]): EventFilter {
  const patterns = preparePatterns(sequences)
  const blocks = new Map<string, Block>()
  let stopSequence: string | undefined

  function begin(id: string, choice: number, type: Block['type']): void {
    blocks.set(id, {
      choice,
      type,
      matcher: type === 'text' ? createStopMatcher(patterns) : undefined,
    })
  }

  /** The ends of all that is open: nothing more of it is told. */
  function endAll(): readonly AnswerEvent[] {
    const ends = [...blocks].map(([id, { type }]): AnswerEvent => ({ type: `${type}-end`, id }))
    blocks.clear()
    return ends
  }

  function watch(event: AnswerEvent): readonly AnswerEvent[] {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
      case 'tool-call-start':
        begin(event.id, event.choice, kindOf(event.type))
        return [event]
      case 'text-delta': {
        const matcher = blocks.get(event.id)?.matcher
        if (matcher === undefined) return [event]
        const { text, found } = matcher.push(event.text)
        // Probabilities are of the whole piece.
        const said: readonly AnswerEvent[] =
          text === '' ? [] : [text === event.text ? event : { ...event, text, logprobs: undefined }]
        if (found === undefined) return said
        stopSequence = found
        return [...said, ...endAll()]
      }
      case 'text-end':
      case 'reasoning-end':
      case 'refusal-end':
      case 'tool-call-end': {
        const text = blocks.get(event.id)?.matcher?.rest() ?? ''
        blocks.delete(event.id)
        return text === '' ? [event] : [{ type: 'text-delta', id: event.id, text }, event]
      }
      default:
        return [event]
    }
  }

  return {
    push(event) {
      if (stopSequence === undefined) return watch(event)
      if (event.type === 'finish') return [{ ...event, reason: 'stop', stopSequence }]
      return event.type === 'end' || event.type === 'error' ? [event] : []
    },
    isCut: () => stopSequence !== undefined,
    close: (usage) => [
      { type: 'finish', choice: 0, reason: 'stop', stopSequence },
      { type: 'end', usage },
    ],
  }
}

const kindOf = (type: `${Block['type']}-start`) => type.slice(0, -'-start'.length) as Block['type']
