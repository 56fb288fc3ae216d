import { decodeLogprobs } from '../chat/answer-fields.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { AnswerItems, ItemType } from './answer-items.ts'
import { callInput } from './decode-items.ts'
import type { Told } from './item-reader.ts'
import { wholePart } from './message-reader.ts'

interface TextEvent {
  readonly item: ItemType
  readonly kind: Told['kind']
  /** The event's field that holds the text. */
  readonly field: string
  readonly isWhole: boolean
}

const piece = (item: ItemType, kind: Told['kind']): TextEvent => {
  return { item, kind, field: 'delta', isWhole: false }
}
const whole = (item: ItemType, kind: Told['kind'], field: string): TextEvent => {
  return { item, kind, field, isWhole: true }
}

/** Events that tell a part's text. Source: OpenAI's API reference, streaming events of responses. */
const textEvents = new Map<string, TextEvent>([
  ['response.output_text.delta', piece('message', 'text')],
  ['response.output_text.done', whole('message', 'text', 'text')],
  ['response.refusal.delta', piece('message', 'refusal')],
  ['response.refusal.done', whole('message', 'refusal', 'refusal')],
  ['response.reasoning_summary_text.delta', piece('reasoning', 'summary')],
  ['response.reasoning_summary_text.done', whole('reasoning', 'summary', 'text')],
  ['response.reasoning_text.delta', piece('reasoning', 'content')],
  ['response.reasoning_text.done', whole('reasoning', 'content', 'text')],
  ['response.function_call_arguments.delta', piece('function_call', 'input')],
  ['response.function_call_arguments.done', whole('function_call', 'input', 'arguments')],
  ['response.custom_tool_call_input.delta', piece('custom_tool_call', 'input')],
  ['response.custom_tool_call_input.done', whole('custom_tool_call', 'input', 'input')],
])

/** Passes on what an event says of an item. Kinds that are not known say nothing. */
export function tellEvent(items: AnswerItems, event: JsonObject, type: string): void {
  const source = textEvents.get(type)
  if (source !== undefined) tellText(items, event, source)
  else if (type === 'response.output_text.annotation.added') {
    const annotation = objectIn(event, 'annotation')
    if (annotation) items.at(event, 'message').cite(indexIn(event, 'content_index'), [annotation])
  } else if (type === 'response.content_part.done') tellPart(items, event)
  else if (type === 'response.reasoning_summary_part.done') {
    const text = stringIn(objectIn(event, 'part'), 'text')
    const index = indexIn(event, 'summary_index')
    const told = { kind: 'summary', index, isWhole: true } as const
    if (text !== undefined) items.at(event, 'reasoning').tell({ ...told, text })
  }
}

function tellText(items: AnswerItems, event: JsonObject, source: TextEvent): void {
  const { item, kind, field, isWhole } = source
  const value = event[field]
  // Arguments may come as the object that they stand for.
  const text =
    isJsonObject(value) && item === 'function_call' ? callInput(value, 'function') : value
  if (typeof text !== 'string') return
  const index = indexIn(event, kind === 'summary' ? 'summary_index' : 'content_index')
  const logprobs = kind === 'text' ? decodeLogprobs(arrayIn(event, 'logprobs')) : undefined
  items.at(event, item).tell({ kind, text, index, isWhole, logprobs })
}

/** A whole part: of a message, or of a reasoning item that shows the reasoning itself. */
function tellPart(items: AnswerItems, event: JsonObject): void {
  const part = objectIn(event, 'part')
  const index = indexIn(event, 'content_index')
  const told = part && wholePart(part, index)
  if (told === undefined) return
  if (part?.type === 'reasoning_text') {
    items.at(event, 'reasoning').tell({ ...told, kind: 'content' })
    return
  }
  const message = items.at(event, 'message')
  message.tell(told)
  message.cite(index, arrayIn(part, 'annotations').filter(isJsonObject))
}

/** Place among an item's parts; the first where it is not told. */
function indexIn(event: JsonObject, key: string): number {
  const index = event[key]
  return typeof index === 'number' ? index : 0
}
