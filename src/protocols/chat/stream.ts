import {
  addText,
  createObservation,
  fail,
  isOver,
  noteForeign,
  noteSideAnswer,
  type Observation,
  type Outcome,
  type TextSample,
} from '../canonical/observation.ts'
import { noteObserved, noteUsage } from '../canonical/raw-usage.ts'
import { createToolTally, type ToolTally } from '../canonical/tool-tally.ts'
import { arrayIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import { notAnObject } from '../plain-observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { createRepeatedEvents } from '../repeated-events.ts'
import { addMessageText } from './text.ts'
import { observeExtras } from './tool-uses.ts'
import { type ChatCounts, chatReports, createChatCounts } from './usage.ts'

/** Watches a chat completion. Usage may come in any chunk; the last event is `[DONE]`. */
export function createCompletionsObserver(): AnswerObserver {
  const seen = createObservation()
  const counts = createChatCounts()
  const tally = createToolTally(seen)
  const repeated = createRepeatedEvents(readText)
  return {
    seen,
    push(data, _event, json) {
      if (isOver(seen)) return 'pass'
      if (data.startsWith('[DONE]')) {
        seen.phase = 'closed'
        seen.outcome ??= 'complete'
        return 'pass'
      }
      const text = json === undefined ? repeated.textOf(data) : undefined
      if (text !== undefined) {
        addText(seen.text, text)
        return 'pass'
      }
      const chunk = json ?? parseJsonObject(data)
      if (chunk === undefined) return 'pass'
      if (json === undefined) repeated.learn(data, chunk)
      const reported = readAnswer({ seen, counts, tally }, chunk)
      if (isFailed(seen, chunk)) return 'pass'
      return reported && arrayIn(chunk, 'choices').length === 0 ? 'usage-only' : 'pass'
    },
    pushBody(body) {
      if (!isJsonObject(body)) return fail(seen, notAnObject)
      readAnswer({ seen, counts, tally }, body)
      noteForeign(seen, body, ['choices', 'error'])
      if (isFailed(seen, body)) return
      seen.phase = 'closed'
      seen.outcome ??= 'complete'
    },
    // Some imitators close their stream behind the finish reason, or the usage.
    missingEnd: () => (seen.phase === 'closing' ? lastEvent : ''),
  }
}

const lastEvent = 'data: [DONE]\n\n'

/** The text of a chunk of which nothing else would be noted when it came again. */
function readText(chunk: JsonObject): string | undefined {
  const [choice, ...others] = arrayIn(chunk, 'choices')
  if (!isJsonObject(choice) || others.length > 0) return undefined
  const { index = 0, delta } = choice
  if (typeof index !== 'number' || !isJsonObject(delta)) return undefined
  const isEnd = stringIn(choice, 'finish_reason') !== undefined
  if (isEnd || reportIn(chunk) !== undefined || hasError(chunk)) return undefined
  const text: TextSample = { sample: '', length: 0, bytes: 0 }
  addMessageText(text, delta)
  return text.sample
}

interface Reading {
  readonly seen: Observation
  readonly counts: ChatCounts
  readonly tally: ToolTally
}

/** Reads a chunk or a whole body; true when it carried a usage object. */
function readAnswer({ seen, counts, tally }: Reading, answer: JsonObject): boolean {
  observeExtras(seen, tally, answer)
  for (const choice of arrayIn(answer, 'choices')) {
    if (isJsonObject(choice)) readChoice(seen, choice)
  }
  const wire = reportIn(answer)
  if (wire === undefined) {
    noteObserved(seen, counts, chatReports)
    return false
  }
  noteUsage(seen, counts, wire, chatReports)
  return true
}

/** The report of usage in a chunk. Groq's streams have it in an object of its own. */
function reportIn(answer: JsonObject): JsonObject | undefined {
  const wire = answer.usage ?? objectIn(answer, 'x_groq')?.usage
  return isJsonObject(wire) ? wire : undefined
}

function readChoice(seen: Observation, choice: JsonObject): void {
  const message = choice.delta ?? choice.message
  if (isJsonObject(message)) addMessageText(seen.text, message)
  // Of legacy completions.
  addText(seen.text, choice.text)
  const reason = stringIn(choice, 'finish_reason')
  const outcome = reason === undefined ? undefined : (outcomes.get(reason) ?? 'complete')
  noteSideAnswer(seen, choice.index ?? 0, outcome)
}

const outcomes = new Map<string, Outcome>([
  ['length', 'incomplete'],
  ['model_length', 'incomplete'],
  ['content_filter', 'incomplete'],
  ['error', 'failed'],
])

/** An `error` in a chunk ends the answer, also when the chunk has choices (OpenRouter). */
export function isFailed(seen: Observation, answer: JsonObject): boolean {
  if (!hasError(answer)) return false
  const { error } = answer
  fail(seen, isJsonObject(error) ? error.message : error)
  return true
}

const hasError = ({ error }: JsonObject) => error !== undefined && error !== null && error !== false
