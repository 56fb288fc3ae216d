import type { Channel } from '../../catalog/catalog.ts'
import { withinRunning } from '../../lib/clock.ts'
import { tierName } from '../../protocols/canonical/extras.ts'
import { withExactCalls } from '../../protocols/canonical/json-text.ts'
import { type Observation, observeTier } from '../../protocols/canonical/observation.ts'
import { arrayIn, isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import type { Framing, JsonObject } from '../../protocols/protocol.ts'
import type { Route } from '../admit/options.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { classifyError } from '../failures/failures.ts'
import type { BodyMemory } from '../memory/memory-budget.ts'
import type { ByteReader, OutboundAnswer } from '../outbound/round-trip.ts'
import type { BodyAnswer, Refusal, StreamAnswer } from './answer.ts'
import { hideSecrets, hideSecretsIn, shownBytes } from './hide-secrets.ts'
import { readOpening } from './opening.ts'
import {
  answerFacts,
  type FailureObserver,
  type FormTask,
  inStreamedForm,
  inWholeForm,
  misread,
  observerOf,
  parseObject,
  showsWork,
  type Undeliverable,
  type Unusable,
  unread,
} from './other-form.ts'
import type { SentCall } from './sent-call.ts'
import type { Watch } from './watchdog.ts'

/** A larger unstreamed answer is treated as invalid. */
const maxAnswerBytes = 256 * 1_048_576
/** The rest of a longer error body is not read. */
const maxRefusalBytes = 1_048_576

export type BegunStream = { readonly observer: FailureObserver } & Pick<
  StreamAnswer,
  'kind' | 'contentType' | 'first' | 'reader' | 'translator' | 'framing'
>

type WholeBody = BodyAnswer & { readonly observer: FailureObserver }

/** What reading an answer needs of its call. */
export type ReadingTask = FormTask &
  Pick<SentCall, 'watch' | 'hasNext' | 'memory' | 'firstBytesCame'>

/**
 * What of an answer must be known before anything goes to the client. `undeliverable`: charged work that can't be
 * passed on; `unusable`: no answer, so another channel may be asked.
 */
export type ReadAnswer = BegunStream | WholeBody | Undeliverable | Unusable

export async function beginStream(
  task: ReadingTask,
  response: OutboundAnswer,
): Promise<BegunStream | Undeliverable | Unusable> {
  const { route, watch, hasNext } = task
  if (response.body === null) return misread(route, nothing)
  const reader = response.body.getReader()
  const first = await firstBytes(reader, watch)
  if (first === undefined) return misread(route, nothing)
  task.firstBytesCame()
  const contentType = streamType(route.framing, first, response)
  if (contentType === undefined) return readNoStream(task, response, reader, first)
  const { failure, ...opening } = hasNext
    ? await readOpening(first, reader, route, watch)
    : { first: copied(first), reader, failure: undefined }
  const name = failure && classifyError(route.protocol.name, failure.errorValue)
  // The client's own fault is passed on: no other channel would do better.
  if (failure && name && name !== 'client_fault' && hasNext?.()) {
    await reader.cancel().catch(() => {}) // broken already, or of no use to anyone
    return { kind: 'unusable', failure: name, ...failure }
  }
  return begunStream(task, { ...opening, observer: observerFor(task, response) }, contentType)
}

/** What came in place of a stream: a whole answer is converted, if it can be. */
async function readNoStream(
  task: ReadingTask,
  response: OutboundAnswer,
  reader: ByteReader,
  first: Uint8Array,
): Promise<BegunStream | Undeliverable | Unusable> {
  const { route, watch, memory } = task
  const mayBeAnswer = /^\s*[{[]/.test(decoder.decode(first.subarray(0, 64)))
  const mostBytes = mayBeAnswer ? maxAnswerBytes : maxRefusalBytes
  const whole = await readAll(reader, mostBytes, { watch, first, memory })
  if (!(whole instanceof Uint8Array)) {
    return mayBeAnswer ? unread(route, whole) : misread(route, nothing)
  }
  const reformed = mayBeAnswer ? inStreamedForm(task, whole) : undefined
  if (reformed === undefined) return misread(route, whole)
  const observer = observerFor(task, response, reformed.original)
  return begunStream(task, { first: reformed.bytes, reader: ended, observer })
}

/** `contentType`: the upstream's; undefined: the gateway writes the stream. */
function begunStream(
  { exchange, route }: ReadingTask,
  begun: Pick<BegunStream, 'first' | 'reader' | 'observer'>,
  contentType?: string,
): BegunStream {
  const { framing, translation } = route
  const isArray = exchange.framing === 'json-array'
  const ownType = isArray ? 'application/json' : 'text/event-stream; charset=utf-8'
  return {
    kind: 'stream',
    contentType: translation === undefined ? (contentType ?? ownType) : ownType,
    ...begun,
    translator: translation?.stream(answerFacts(exchange)),
    framing,
  }
}

const ended: ByteReader = {
  read: () => Promise.resolve({ done: true }),
  cancel: () => Promise.resolve(),
}

export function readBody(task: ReadingTask, { headers, body }: OutboundAnswer) {
  task.firstBytesCame()
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  const { watch, memory } = task
  const reading = { watch, memory, ...(length !== null && { length: Number(length) }) }
  return body === null ? nothing : readAll(body.getReader(), maxAnswerBytes, reading)
}

/** Interprets a whole body. */
export function understand(
  task: ReadingTask,
  response: OutboundAnswer,
  read: Uint8Array | Unread,
): WholeBody | Undeliverable | Unusable {
  const { exchange, route, hasNext } = task
  if (!(read instanceof Uint8Array)) return unread(route, read)
  let body = parseObject(read)
  const reformed = body === undefined ? inWholeForm(task, read) : undefined
  const bytes = reformed?.bytes ?? read
  if (reformed) body = parseObject(reformed.bytes)
  if (!isJsonObject(body)) return misread(route, bytes)
  const observer = observerFor(task, response, reformed?.original)
  observer.pushBody(body)
  const { seen } = observer
  if (seen.foreign) return misread(route, nothing)
  if (seen.outcome === 'failed' && hasNext?.()) {
    const failed = failedBy(route, body, seen)
    // The client's own fault is passed on: no other channel would do better.
    if (failed.failure !== 'client_fault') return failed
  }
  if (route.translation === undefined) {
    const shown = shownBytes(bytes, exchange, seen)
    return { kind: 'body', contentType: jsonType(response), bytes: shown, observer }
  }
  // A client of another protocol could not fetch a background answer.
  if (seen.pending) return failedBy(route, body, seen)
  const exact = withExactCalls(body, bytes)
  const translated = route.translation.body(exact, answerFacts(exchange))
  if ('unfit' in translated) {
    return { kind: 'undeliverable', observer, isUsageUnknown: false, unfit: translated.unfit }
  }
  if (!(translated instanceof Uint8Array)) {
    return showsWork(seen)
      ? { kind: 'undeliverable', observer, isUsageUnknown: false }
      : failedBy(route, body, seen)
  }
  return { kind: 'body', contentType: 'application/json', bytes: translated, observer }
}

const failedBy = ({ protocol }: Route, body: JsonObject, { usageRaw }: Observation): Unusable => ({
  kind: 'unusable',
  failure: classifyError(protocol.name, body),
  usageRaw,
  errorValue: body,
})

/** Kept as long as its stream: a view would keep the whole read in memory. */
const copied = (first: Uint8Array) =>
  first.byteLength < first.buffer.byteLength ? first.slice() : first

const nothing = new Uint8Array(0)
const decoder = new TextDecoder()

/** The answer's observer. Where a tier was requested, the headers name the one that was used. */
function observerFor(
  { route, exchange: { facts } }: FormTask,
  { headers }: OutboundAnswer,
  original?: Observation,
): FailureObserver {
  const observer = observerOf(route, original)
  const { tierHeader } = route.protocol
  if (tierHeader !== undefined && (facts?.extras?.tiers.length ?? 0) > 0) {
    observeTier(observer.seen, tierName(headers.get(tierHeader)))
  }
  return observer
}

interface ReadRefusal {
  /** For the client, if it is to blame; undefined when it is no JSON. */
  readonly refusal: Refusal | undefined
  readonly value: JsonObject | undefined
}

/** How long to wait for the body of a failure. */
const refusalPatienceMs = 3_000

/** Reads the body of an unsuccessful answer. */
export async function readRefusal(
  response: OutboundAnswer,
  channel: Channel,
): Promise<ReadRefusal> {
  const raw = await readInTime(response)
  const parsed = raw && parseObject(raw)
  if (raw === undefined || parsed === undefined) return { refusal: undefined, value: undefined }
  const refusal: Refusal = {
    kind: 'refusal',
    status: response.status,
    contentType: response.headers.get('content-type') ?? 'application/json',
    bytes: hideSecretsIn(raw, channel),
    retryAfter: response.headers.get('retry-after'),
  }
  // Gemini's streamed array may hold nothing but the error.
  const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  return { refusal, value: isJsonObject(value) ? value : undefined }
}

/** The body, if it comes soon, whole and not too large: the status says most of it. */
async function readInTime({ body }: OutboundAnswer): Promise<Uint8Array | undefined> {
  if (body === null) return undefined
  const reader = body.getReader()
  const reading = readAll(reader, maxRefusalBytes).catch(() => undefined)
  const raw = await withinRunning(refusalPatienceMs, reading)
  if (raw instanceof Uint8Array) return raw
  await reader.cancel().catch(() => {}) // broken already, or never to end
  return undefined
}

async function firstBytes(reader: ByteReader, watch: Watch): Promise<Uint8Array | undefined> {
  for (;;) {
    const { done, value } = await reader.read()
    watch.touched()
    if (done) return undefined
    if (value.byteLength > 0) return value
  }
}

/** This much of an answer is part of a request's own cost. */
const uncountedBytes = 65_536
/** The most leased ahead of what has come: more could exceed the budget needlessly. */
const mostAheadBytes = 1_048_576

interface ReadOptions {
  readonly watch?: Watch
  readonly first?: Uint8Array
  readonly memory?: BodyMemory | undefined
  /** The body's length, which ends the read without waiting for the end. */
  readonly length?: number
}

/** Why a body was not read: the error of missing memory; undefined: it is too long. */
type Unread = GatewayError | undefined

async function readAll(
  reader: ByteReader,
  maxBytes: number,
  { watch, first, memory, length }: ReadOptions = {},
): Promise<Uint8Array | Unread> {
  const parts: Uint8Array[] = first ? [first] : []
  let size = first?.byteLength ?? 0
  let taken = uncountedBytes
  for (;;) {
    const { done, value } = await reader.read()
    watch?.touched()
    if (done) break
    size += value.byteLength
    let memoryError: GatewayError | undefined
    if (size <= maxBytes && size > taken) {
      // Doubles the lease, in bounded steps.
      const more = Math.max(size - taken, Math.min(taken, mostAheadBytes))
      taken += more
      memoryError = await takeMemory(more, watch, memory)
    }
    if (size > maxBytes || memoryError) {
      await reader.cancel()
      return memoryError
    }
    parts.push(value)
    if (size === length) break
  }
  const [only] = parts
  return parts.length === 1 && only ? only : new Uint8Array(Buffer.concat(parts))
}

/** Leases memory for incoming bytes; returns the error of missing memory. Backpressure holds the upstream. */
async function takeMemory(
  bytes: number,
  watch: Watch | undefined,
  memory: BodyMemory | undefined,
): Promise<GatewayError | undefined> {
  watch?.paused()
  try {
    await memory?.take(bytes)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  } finally {
    watch?.touched()
  }
}

/** A stream's content type, by its bytes where the header is wrong; undefined: no stream. */
function streamType(
  framing: Framing,
  first: Uint8Array,
  response: OutboundAnswer,
): string | undefined {
  const declared = response.headers.get('content-type')
  const start = decoder.decode(first.subarray(0, 64)).trimStart()
  if (framing === 'json-array') {
    return start.startsWith('[') ? jsonType(response) : undefined
  }
  if (start.startsWith('{')) return undefined // a whole answer, whatever it is declared as
  if (declared?.toLowerCase().startsWith('text/event-stream')) return declared
  return /^(data|event|id|retry|:)/.test(start) ? 'text/event-stream' : undefined
}

/** The content type of a JSON body, whatever its header says. */
function jsonType(response: OutboundAnswer): string {
  const declared = response.headers.get('content-type')
  return declared && /\bjson\b/i.test(declared) ? declared : 'application/json'
}

/** The body of a refusal; Gemini's may be the only element of an array. */
function refusalBody(bytes: Uint8Array): JsonObject {
  const text = new TextDecoder().decode(bytes)
  const [only] = arrayIn(parseJsonObject(`{"list":${text}}`), 'list')
  return parseJsonObject(text) ?? (isJsonObject(only) ? only : {})
}

/** The upstream's fault with the request, in the shape that the client's SDK reads. */
export function translateRefusal(refusal: Refusal, exchange: Exchange, route: Route): Refusal {
  const { protocol, requestId, candidate } = exchange
  if (route.translation === undefined) return refusal
  const { message, code } = route.translation.refusal(refusalBody(refusal.bytes))
  const shown = candidate ? hideSecrets(message, candidate.channel) : message
  const text = protocol.encodeError({
    status: refusal.status,
    code: code ?? 'upstream_refused',
    message: shown,
    // A path in the upstream's protocol would name a field that the client has not sent.
    param: undefined,
    requestId,
  })
  return { ...refusal, contentType: 'application/json', bytes: new TextEncoder().encode(text) }
}
