import { toJsonText } from '../canonical/json-text.ts'
import {
  addText,
  createObservation,
  createToolTally,
  fail,
  noteForeign,
  noteSideAnswer,
  type Observation,
  type Outcome,
  type ToolTally,
} from '../canonical/observation.ts'
import { noteObserved, noteUsage } from '../canonical/raw-usage.ts'
import { arrayIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import { notAnObject } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { observeTools } from './tool-uses.ts'
import { createGeminiCounts, type GeminiCounts, geminiReports } from './usage.ts'

/**
 * Watches generated content, and embeddings, which report usage in the same place. A stream has no
 * last event: after a finish reason more chunks may follow, so it is never `closed`, but `closing`.
 */
export function createGeminiObserver(): AnswerObserver {
  const seen = createObservation()
  const counts = createGeminiCounts()
  const reading = { seen, counts, tally: createToolTally(seen) }
  return {
    seen,
    push(data, _event, json) {
      const chunk = json ?? parseJsonObject(data)
      if (chunk !== undefined) readAnswer(reading, chunk)
      return 'pass'
    },
    pushBody(body) {
      if (!isJsonObject(body)) return fail(seen, notAnObject)
      readAnswer(reading, body)
      noteForeign(seen, body, answerFields)
      seen.phase = 'closed'
      seen.outcome ??= 'complete'
    },
  }
}

const answerFields = ['candidates', 'promptFeedback', 'error', 'embedding', 'embeddings']

interface Reading {
  readonly seen: Observation
  readonly counts: GeminiCounts
  readonly tally: ToolTally
}

function readAnswer({ seen, counts, tally }: Reading, answer: JsonObject): void {
  observeTools(tally, answer)
  for (const candidate of arrayIn(answer, 'candidates')) {
    if (isJsonObject(candidate)) readCandidate(seen, candidate)
  }
  noteUsage(seen, counts, answer.usageMetadata, geminiReports)
  noteObserved(seen, counts, geminiReports)
  if (stringIn(objectIn(answer, 'promptFeedback'), 'blockReason') !== undefined) {
    noteSideAnswer(seen, 0, 'incomplete')
  }
  const error = answer.error
  if (error !== undefined && error !== null) fail(seen, isJsonObject(error) ? error.message : error)
}

function readCandidate(seen: Observation, candidate: JsonObject): void {
  for (const part of arrayIn(objectIn(candidate, 'content'), 'parts')) {
    if (isJsonObject(part)) addPartText(seen, part)
  }
  const reason = stringIn(candidate, 'finishReason')
  noteSideAnswer(seen, candidate.index ?? 0, reason === undefined ? undefined : outcomeOf(reason))
}

/** `STOP` is the model's own end. All others (length, filters, malformed calls) cut it short. */
const outcomeOf = (reason: string): Outcome => (reason === 'STOP' ? 'complete' : 'incomplete')

function addPartText(seen: Observation, part: JsonObject): void {
  addText(seen.text, part.text)
  addText(seen.text, objectIn(part, 'executableCode')?.code)
  const call = objectIn(part, 'functionCall')
  if (call === undefined) return
  addText(seen.text, call.name)
  if (isJsonObject(call.args)) addText(seen.text, toJsonText(call.args))
}
