import { toJsonText } from '../canonical/json-text.ts'
import {
  addText,
  noteSideAnswer,
  type Observation,
  type Outcome,
  type ToolTally,
} from '../canonical/observation.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import { Observer } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { geminiReports } from './usage.ts'

/** Observes generated content, and embeddings, which report usage in the same place. */
export const createGeminiObserver = (): AnswerObserver => new GeminiObserver(geminiReports)

/** A stream has no last event: more may follow a finish reason, so it is `closing`, never `closed`. */
class GeminiObserver extends Observer {
  protected override readonly fields = answerFields

  protected override readBody(answer: JsonObject): void {
    const isByPrompt = billedByPrompt.test(stringIn(answer, 'modelVersion') ?? '')
    for (const candidate of arrayIn(answer, 'candidates')) {
      if (isJsonObject(candidate)) this.#readCandidate(candidate, isByPrompt)
    }
    this.noteUsage(answer.usageMetadata)
    this.noteObserved()
    if (stringIn(objectIn(answer, 'promptFeedback'), 'blockReason') !== undefined) {
      noteSideAnswer(this.seen, 0, 'incomplete')
    }
    this.noteFailure(answer)
  }

  #readCandidate(candidate: JsonObject, isByPrompt: boolean): void {
    observeTools(this.tally, candidate, isByPrompt)
    for (const part of arrayIn(objectIn(candidate, 'content'), 'parts')) {
      if (isJsonObject(part)) addPartText(this.seen, part)
    }
    const reason = stringIn(candidate, 'finishReason')
    const outcome = reason === undefined ? undefined : outcomeOf(reason)
    noteSideAnswer(this.seen, candidate.index ?? 0, outcome)
  }
}

const answerFields = ['candidates', 'promptFeedback', 'error', 'embedding', 'embeddings']

const outcomeOf = (reason: string): Outcome => (reason === 'STOP' ? 'complete' : 'incomplete')

function addPartText(seen: Observation, part: JsonObject): void {
  addText(seen.text, part.text)
  addText(seen.text, objectIn(part, 'executableCode')?.code)
  const call = objectIn(part, 'functionCall')
  if (call === undefined) return
  addText(seen.text, call.name)
  if (isJsonObject(call.args)) addText(seen.text, toJsonText(call.args))
}

/** Models of these generations are billed per prompt, however often they search. */
const billedByPrompt = /gemini-(1|2)[.-]/

/** Counts vendor-run tools. Searches are billed per query from Gemini 3 on, before per prompt; maps once. */
function observeTools(tally: ToolTally, candidate: JsonObject, isByPrompt: boolean): void {
  const grounding = objectIn(candidate, 'groundingMetadata')
  const place = `${candidate.index ?? 0}`
  if (grounding) observeGrounding(tally, grounding, isByPrompt ? undefined : place)
  const parts = arrayIn(objectIn(candidate, 'content'), 'parts')
  const isCode = (part: unknown) => isJsonObject(part) && isJsonObject(part.executableCode)
  if (parts.some(isCode)) tally.note('code_execution', place)
  const urls = arrayIn(objectIn(candidate, 'urlContextMetadata'), 'urlMetadata')
  for (const index of urls.keys()) tally.note('url_context', `${place} ${index}`)
}

function observeGrounding(tally: ToolTally, metadata: JsonObject, place: string | undefined): void {
  const queries = [
    ...arrayIn(metadata, 'webSearchQueries'),
    ...arrayIn(metadata, 'imageSearchQueries'),
  ]
  const times = new Map<unknown, number>()
  for (const query of queries) {
    if (query === '') continue
    const time = times.get(query) ?? 0
    times.set(query, time + 1)
    tally.note('web_search', place === undefined ? '' : `${place} ${time} ${query}`)
  }
  for (const chunk of arrayIn(metadata, 'groundingChunks')) {
    if (!isJsonObject(chunk)) continue
    if (objectIn(chunk, 'maps')) tally.note('maps_grounding', '')
    else if (objectIn(chunk, 'retrievedContext')) tally.note('file_search', '')
    // Without queries, found pages are the only sign of a search.
    else if (objectIn(chunk, 'web') && queries.length === 0) tally.note('web_search', '')
  }
}
