import type { EncodeContext } from '../../protocols/canonical/codec.ts'
import { foldEvents, unfoldResponse } from '../../protocols/canonical/fold.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import { isJsonObject, parseJsonObject, stringIn } from '../../protocols/json.ts'
import type { AnswerObserver, Frame, JsonObject } from '../../protocols/protocol.ts'
import { createSseSplitter } from '../../protocols/sse.ts'
import type { Route } from '../admit/options.ts'
import type { RequestBody } from '../body/body.ts'
import { GatewayError } from '../errors.ts'
import { answerHead, type Exchange } from '../exchange.ts'
import { classifyError, type FailureName } from '../failures/failures.ts'
import { type AnswerFacts, decodeRequest } from '../translate/translation.ts'
import type { UndeliverableAnswer } from './answer.ts'

/** An answer converted to the requested form, in the upstream's protocol. */
interface Reformed {
  readonly bytes: Uint8Array
  readonly original: Observation
}

/** The request of an answer that came in the wrong form. */
export interface FormTask {
  readonly exchange: Exchange
  readonly body: RequestBody
  readonly route: Route
}

/** Encoders need the decoded request; undefined: a native request may have no canonical form. */
function contextFor(
  { exchange, body, route }: FormTask,
  answer: JsonObject,
): EncodeContext | undefined {
  const { protocol, operation, framing } = route
  if (operation !== protocol.generation || exchange.operation !== exchange.protocol.generation) {
    return undefined
  }
  const model = stringIn(answer, 'model') ?? exchange.model ?? ''
  const isSame = exchange.protocol === protocol
  try {
    return {
      ...{ ...answerFacts(exchange), model, framing, own: undefined },
      request: decodeRequest(exchange.protocol, body, model),
      // A chat stream reports usage only on request; the translation must include it.
      body: isSame ? body.value() : { stream_options: { include_usage: true } },
    }
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** What a translation must know of an answered request. */
export function answerFacts(exchange: Exchange): AnswerFacts {
  const { reservation, framing, library, keeping: own } = exchange
  const estimatedInputTokens = reservation?.inputTokens ?? 0
  return { ...answerHead(exchange), estimatedInputTokens, framing, library, own }
}

/** A JSON body as the requested stream; undefined: it is incomplete, or can't be converted. */
export function inStreamedForm(task: FormTask, bytes: Uint8Array): Reformed | undefined {
  const { codec } = task.route.protocol
  const answer = parseObject(bytes)
  const observer = observerOf(task.route)
  if (!isJsonObject(answer)) return undefined
  observer.pushBody(answer)
  const context = isAnswer(observer.seen) ? contextFor(task, answer) : undefined
  if (context === undefined) return undefined
  const encode = codec.createEncoder(context)
  const events = unfoldResponse(codec.decodeResponse(answer, context))
  return reformed(events.map((event) => encode.push(event)).join(''), observer.seen)
}

/** A complete stream as the requested body; undefined: it is incomplete, or can't be converted. */
export function inWholeForm(task: FormTask, bytes: Uint8Array): Reformed | undefined {
  const { codec } = task.route.protocol
  const frames = framesIn(bytes)
  const observer = observerOf(task.route)
  for (const { data, event } of frames) observer.push(data, event)
  const { seen } = observer
  const context = isAnswer(seen) && seen.phase !== 'open' ? contextFor(task, {}) : undefined
  if (context === undefined) return undefined
  const decode = codec.createDecoder(context)
  const events = frames.flatMap(({ data, event }) => decode.push(data, event))
  const response = foldEvents([...events, ...decode.end()])
  const model = response.model ?? context.model
  return reformed(JSON.stringify(codec.encodeResponse(response, { ...context, model })), seen)
}

function framesIn(bytes: Uint8Array): readonly Frame[] {
  const splitter = createSseSplitter()
  return [splitter.push(bytes), splitter.end()].flatMap(({ frames }) => frames)
}

const reformed = (text: string, original: Observation): Reformed => ({
  bytes: new TextEncoder().encode(text),
  original,
})

const isAnswer = (seen: Observation) =>
  showsWork(seen) && !seen.pending && seen.outcome !== undefined

/** Not an answer; its usage report is for the operator's comparison of bills. */
export interface Unusable {
  readonly kind: 'unusable'
  readonly failure: FailureName
  /** What broke it off: its class then counts, not `failure`. */
  readonly broken?: unknown
  readonly usageRaw: unknown
  readonly errorValue?: JsonObject | undefined
}

/** Charged work of which nothing goes to the client. */
export type Undeliverable = UndeliverableAnswer & { readonly observer: FailureObserver }

/** `original`: the observation of the answer before it was converted, which is charged. */
export const observerOf = ({ operation, protocol }: Route, original?: Observation) =>
  new FailureObserver(operation.createObserver(), protocol.name, original)

/** What came instead of an answer in the expected form: charged work, or nothing of use. */
export function misread(route: Route, bytes: Uint8Array): Undeliverable | Unusable {
  const observer = observerOf(route)
  const { seen } = observer
  const body = parseObject(bytes)
  if (isJsonObject(body)) observer.pushBody(body)
  else if (Array.isArray(body)) {
    // A stream of Gemini's without `alt=sse`.
    for (const item of body) if (isJsonObject(item)) observer.push('', '', item)
  } else for (const { data, event } of framesIn(bytes)) observer.push(data, event)
  if (showsWork(seen)) return { kind: 'undeliverable', observer, isUsageUnknown: false }
  const failure = observer.failure() ?? 'upstream_invalid'
  return { kind: 'unusable', failure, errorValue: observer.errorValue(), usageRaw: seen.usageRaw }
}

/** An answer that was too long to read, or found no memory. */
export function unread(route: Route, noMemory: GatewayError | undefined): Undeliverable {
  const observer = observerOf(route)
  observer.seen.outcome = 'incomplete' // as far as known here
  // What would never fit is too long, whatever memory is free.
  const memoryError = noMemory?.kind === 'overloaded' ? noMemory : undefined
  return { kind: 'undeliverable', observer, isUsageUnknown: true, memoryError }
}

/** Whether it is the vendor's answer, and not the error that it failed with. */
export function showsWork({ outcome, usage, text, pending, foreign }: Observation): boolean {
  if (outcome === 'failed' || foreign) return false
  const hasUsed = usage !== undefined && Object.values(usage).some((count) => count !== 0)
  return outcome !== undefined || hasUsed || text.length > 0 || pending
}

const decoder = new TextDecoder()

/** Parses a JSON object or array; undefined for anything else. */
export function parseObject(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined // not JSON: the caller treats it as an answer that can't be understood
  }
}

/** An observer that also notes an answer's error, which decides its class. */
export class FailureObserver implements AnswerObserver {
  readonly seen: AnswerObserver['seen']
  readonly #observer: AnswerObserver
  readonly #protocol: string
  readonly #original: Observation | undefined
  #errorValue: JsonObject | undefined

  constructor(observer: AnswerObserver, protocol: string, original?: Observation) {
    this.seen = observer.seen
    this.#observer = observer
    this.#protocol = protocol
    this.#original = original
  }

  push(...[data, event, json]: Parameters<AnswerObserver['push']>) {
    const role = this.#observer.push(data, event, json)
    if (this.seen.outcome === 'failed') this.#errorValue ??= json ?? parseJsonObject(data)
    this.#restoreUsage()
    return role
  }

  pushBody(body: unknown): void {
    this.#observer.pushBody(body)
    if (this.seen.outcome === 'failed') this.#errorValue ??= isJsonObject(body) ? body : undefined
    this.#restoreUsage()
  }

  missingEnd(): string {
    return this.#observer.missingEnd?.() ?? ''
  }

  /** The event or body with the error; undefined: none, or not an object. */
  errorValue(): JsonObject | undefined {
    return this.#errorValue
  }

  /** Its class; undefined: the answer has not failed. */
  failure(): FailureName | undefined {
    return this.seen.outcome === 'failed'
      ? classifyError(this.#protocol, this.#errorValue)
      : undefined
  }

  #restoreUsage(): void {
    if (this.#original === undefined) return
    const { usage, usageRaw, observed, counted, lacksInput, reportedLength } = this.#original
    Object.assign(this.seen, { usage, usageRaw, observed, counted, lacksInput, reportedLength })
  }
}
