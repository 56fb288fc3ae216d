import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import { arrayIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { createChatEncoder } from './encoder.ts'

/** A whole chat completion, or a chunk of one, in the legacy form. Reasoning has no place there. */
export function toTextCompletion(chat: JsonObject): JsonObject {
  const { id, object: _, choices: __, ...rest } = chat
  return {
    id: String(id).replace(/^chatcmpl-/, 'cmpl-'),
    object: 'text_completion',
    ...rest,
    choices: arrayIn(chat, 'choices').filter(isJsonObject).map(toTextChoice),
  }
}

function toTextChoice(choice: JsonObject): JsonObject {
  const { index, finish_reason } = choice
  return { text: textOf(choice), index, logprobs: null, finish_reason }
}

/** A refusal is what the model says, too. */
function textOf(choice: JsonObject): string {
  const message = objectIn(choice, 'message') ?? objectIn(choice, 'delta')
  return stringIn(message, 'content') ?? stringIn(message, 'refusal') ?? ''
}

/** Writes an answer as chunks of a legacy completion: those that have text, an end, or the usage. */
export function createTextEncoder(context: EncodeContext): StreamEncoder {
  const chat = createChatEncoder(context)
  return {
    push: (event) => chat.push(event).split('\n\n').map(toTextFrame).join(''),
    fail: (error) => chat.fail(error),
  }
}

function toTextFrame(frame: string): string {
  if (frame === '') return ''
  const chunk = parseJsonObject(frame.slice('data: '.length))
  if (chunk === undefined || chunk.error !== undefined) return `${frame}\n\n`
  const choices = arrayIn(chunk, 'choices').filter(isJsonObject)
  const says = (choice: JsonObject) => textOf(choice) !== '' || choice.finish_reason !== null
  if (choices.length > 0 && !choices.some(says)) return ''
  return `data: ${JSON.stringify(toTextCompletion(chunk))}\n\n`
}
