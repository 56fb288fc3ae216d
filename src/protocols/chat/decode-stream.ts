import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import { withoutExtras } from '../canonical/extras.ts'
import type { ServiceTier } from '../canonical/request.ts'
import type { Usage } from '../canonical/usage.ts'
import { arrayIn, countIn, isJsonObject, parseJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { type AnswerHead, decodeHead, decodeSources, decodeTier, usageIn } from './answer-fields.ts'
import { type ChoiceDecoder, createChoiceDecoder, createScopes } from './decode-answer.ts'
import { decodeOpenAiError } from './errors.ts'
import { type ChatCounts, foldChatUsage } from './usage.ts'

/**
 * Turns the chunks of a chat completion into events. The reasons of the end come when the stream
 * is at its end: vendors send more behind them, and some an error (OpenRouter).
 */
export function createChatDecoder(context: DecodeContext): StreamDecoder {
  const choices = new Map<number, ChoiceDecoder>()
  const counts: ChatCounts = {}
  let usage: Usage | undefined
  let serviceTier: ServiceTier | undefined
  let isStarted = false
  let isOver = false
  let events: AnswerEvent[] = []
  const emit = (event: AnswerEvent) => {
    events.push(event)
  }
  const scopeOf = createScopes(context, emit)

  function start(head: Partial<AnswerHead>): void {
    if (isStarted) return
    isStarted = true
    emit({ type: 'start', ...head })
  }

  function choiceAt(choice: number): ChoiceDecoder {
    const known = choices.get(choice)
    if (known !== undefined) return known
    const decoder = createChoiceDecoder(scopeOf(choice))
    choices.set(choice, decoder)
    return decoder
  }

  function read(chunk: JsonObject): void {
    const wires = arrayIn(chunk, 'choices')
    const head = decodeHead(chunk)
    // Azure's first chunk has nothing of the answer.
    if (wires.length > 0 || head.id !== undefined) start(head)
    const sources = decodeSources(chunk)
    for (const wire of wires) {
      if (isJsonObject(wire)) choiceAt(countIn(wire, 'index') ?? 0).push(wire, sources)
    }
    usage = withoutExtras(foldChatUsage(counts, usageIn(chunk))) ?? usage
    serviceTier = decodeTier(chunk) ?? serviceTier
    if (!chunk.error) return
    start(head)
    isOver = true
    emit({ type: 'error', error: decodeOpenAiError(chunk) })
  }

  function conclude(isRegular: boolean): void {
    isOver = true
    for (const choice of choices.values()) choice.close()
    if (!isRegular) return
    start({})
    for (const [choice, { finish }] of choices) emit({ type: 'finish', choice, ...finish() })
    if (choices.size === 0) emit({ type: 'finish', choice: 0, reason: 'other' })
    emit({ type: 'end', usage, serviceTier })
  }

  /** Gives the events that `step` has made, unless all is over. */
  function gather(step: () => void): readonly AnswerEvent[] {
    if (isOver) return []
    events = []
    step()
    return events
  }

  return {
    push(data, _event, json) {
      return gather(() => {
        if (data.startsWith('[DONE]')) return conclude(true)
        const chunk = json ?? parseJsonObject(data)
        if (chunk !== undefined) read(chunk)
      })
    },
    end() {
      return gather(() => {
        const all = [...choices.values()]
        conclude(all.length > 0 && all.every(({ isFinished }) => isFinished()))
      })
    },
  }
}
