import { toJsonText } from '../canonical/json-text.ts'
import { addText, type TextSample } from '../canonical/observation.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Adds what a message, or the delta of one, delivers: text, reasoning, refusal, tool arguments. */
export function addMessageText(text: TextSample, message: JsonObject): void {
  addContent(text, message.content)
  // Vendors name reasoning differently; those that send two names send the same text twice.
  addContent(text, message.reasoning_content ?? message.reasoning)
  addText(text, message.refusal)
  addText(text, objectIn(message, 'audio')?.transcript)
  addCall(text, message.function_call)
  for (const call of arrayIn(message, 'tool_calls')) {
    if (!isJsonObject(call)) continue
    addCall(text, call.function)
    addText(text, objectIn(call, 'custom')?.input)
  }
}

/** A string, or (Mistral) parts with `text`, or with `thinking` that holds such parts again. */
function addContent(text: TextSample, content: unknown): void {
  if (typeof content === 'string') addText(text, content)
  if (!Array.isArray(content)) return
  for (const part of content) {
    if (!isJsonObject(part)) continue
    addText(text, part.text)
    for (const thought of arrayIn(part, 'thinking')) {
      if (isJsonObject(thought)) addText(text, thought.text)
    }
  }
}

function addCall(text: TextSample, call: unknown): void {
  if (!isJsonObject(call)) return
  addText(text, call.name)
  const input = call.arguments
  addText(text, isJsonObject(input) ? toJsonText(input) : input)
}
