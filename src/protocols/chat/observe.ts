import { toJsonText } from '../canonical/json-text.ts'
import {
  addText,
  complete,
  noteSideAnswer,
  type Observation,
  type Outcome,
  observeTier,
  type TextSample,
  type ToolTally,
} from '../canonical/observation.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { readCount } from '../canonical/usage.ts'
import { arrayIn, isJsonObject, meanings, objectIn, stringIn } from '../json.ts'
import { type EventRole, Observer } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { openAiTier } from './facts.ts'
import { chatReports } from './usage.ts'

/** Observes a chat completion. Usage may come in any chunk; the last event is `[DONE]`. */
export const createCompletionsObserver = (): AnswerObserver => new CompletionsObserver(chatReports)

class CompletionsObserver extends Observer {
  protected override readonly fields = completionFields
  protected override readonly textOf = readText

  protected override readEvent(chunk: JsonObject): EventRole {
    const reported = this.#readAnswer(chunk)
    if (this.noteFailure(chunk)) return undefined
    return reported && arrayIn(chunk, 'choices').length === 0 ? 'usage-only' : undefined
  }

  protected override readOther(data: string): void {
    if (data.startsWith('[DONE]')) complete(this.seen)
  }

  protected override readBody(body: JsonObject): void {
    this.#readAnswer(body)
    this.noteFailure(body)
  }

  /** Some imitators close their stream after the finish reason, or the usage. */
  missingEnd(): string {
    return this.seen.phase === 'closing' ? lastEvent : ''
  }

  #readAnswer(answer: JsonObject): boolean {
    observeTier(this.seen, openAiTier(answer.service_tier))
    // Without a reported count, cited addresses indicate a search.
    if (found.some((field) => arrayIn(answer, field).length > 0)) this.tally.note('web_search', '')
    for (const choice of arrayIn(answer, 'choices')) {
      if (isJsonObject(choice)) this.#readChoice(choice)
    }
    const wire = reportIn(answer)
    if (wire === undefined) this.noteObserved()
    else this.noteUsage(wire)
    return wire !== undefined
  }

  #readChoice(choice: JsonObject): void {
    const { seen } = this
    const message = choice.delta ?? choice.message
    if (isJsonObject(message)) {
      observeMessage(this.tally, message)
      addMessageText(seen.text, message)
    }
    addText(seen.text, choice.text)
    const reason = stringIn(choice, 'finish_reason')
    const outcome = reason === undefined ? undefined : (outcomes.get(reason) ?? 'complete')
    noteSideAnswer(seen, choice.index ?? 0, outcome)
  }
}

const found = ['citations', 'search_results', 'web_search']

const completionFields = ['choices', 'error']
const lastEvent = 'data: [DONE]\n\n'

/** The text of a chunk that contains nothing else worth noting when repeated. */
function readText(chunk: JsonObject): string | undefined {
  const [choice, ...others] = arrayIn(chunk, 'choices')
  if (!isJsonObject(choice) || others.length > 0) return undefined
  const { index = 0, delta } = choice
  if (typeof index !== 'number' || !isJsonObject(delta)) return undefined
  const isEnd = stringIn(choice, 'finish_reason') !== undefined
  if (isEnd || reportIn(chunk) !== undefined || (chunk.error ?? false) !== false) return undefined
  const text: TextSample = { sample: '', length: 0, bytes: 0 }
  addMessageText(text, delta)
  return text.sample
}

/** A chunk's usage report. Groq's streams nest it in another object. */
function reportIn(answer: JsonObject): JsonObject | undefined {
  const wire = answer.usage ?? objectIn(answer, 'x_groq')?.usage
  return isJsonObject(wire) ? wire : undefined
}

const outcomes = new Map<string, Outcome>([
  ['length', 'incomplete'],
  ['model_length', 'incomplete'],
  ['content_filter', 'incomplete'],
  ['error', 'failed'],
])

const executedTools = meanings<HostedTool>({
  web_search: 'search web_search browser_search',
  web_fetch: 'visit visit_website',
  code_execution: 'python code_interpreter',
})

/** Notes vendor-run tools. */
function observeMessage(tally: ToolTally, message: JsonObject): void {
  if (Array.isArray(message.annotations)) {
    const isCited = (entry: unknown) => isJsonObject(entry) && entry.type === 'url_citation'
    if (message.annotations.some(isCited)) tally.note('web_search', '')
  }
  for (const call of arrayIn(message, 'tool_calls')) {
    // The prefix of Moonshot's own functions.
    if (!isJsonObject(call) || objectIn(call, 'function')?.name !== '$web_search') continue
    tally.note('web_search', `${call.id ?? call.index}`)
  }
  if (!Array.isArray(message.executed_tools)) return
  message.executed_tools.forEach((entry: unknown, index) => {
    const tool = isJsonObject(entry) ? executedTools.get(entry.type) : undefined
    if (tool !== undefined) tally.note(tool, `${(entry as JsonObject).index ?? index}`)
  })
}

/** Adds the text of a message or delta: text, reasoning, refusal, tool arguments. */
function addMessageText(text: TextSample, message: JsonObject): void {
  addContent(text, message.content)
  // Names of reasoning differ by vendor; those who send two repeat the text.
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

/** A string, or (Mistral) parts with `text`, or `thinking` with nested parts. */
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

/** Observes an answer without text, where only usage counts: embeddings. */
export const createEmbeddingsObserver = (): AnswerObserver => new UsageObserver(chatReports)

/** Observes generated or edited images. Streams send partial images first; the last event has the usage. */
export const createImagesObserver = (): AnswerObserver => new ImagesObserver(chatReports)

class UsageObserver extends Observer {
  protected override readonly fields = usageFields

  protected override readBody(body: JsonObject): void {
    this.noteUsage(body.usage)
    this.noteFailure(body)
  }
}

class ImagesObserver extends UsageObserver {
  protected override readEvent(event: JsonObject): EventRole {
    this.readBody(event)
    if (lastImageEvents.has(event.type)) complete(this.seen)
    return undefined
  }

  protected override readBody(body: JsonObject): void {
    noteImages(this.seen, body)
    super.readBody(body)
  }
}

const usageFields = ['data', 'error']
const lastImageEvents = new Set<unknown>(['image_generation.completed', 'image_edit.completed'])

/** Counts an answer's images, which may exceed the request. Volcengine sends an event for each. */
function noteImages(seen: Observation, answer: JsonObject): void {
  if (answer.type === 'image_generation.partial_succeeded') seen.images++
  const told = readCount(objectIn(answer, 'usage')?.generated_images)
  seen.images = Math.max(seen.images, arrayIn(answer, 'data').length, told ?? 0)
}
