import type { Catalog } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import { createRequestId } from '../lib/ids.ts'
import type { Logger } from '../lib/log.ts'
import { createJsonArraySplitter } from '../protocols/gemini/json-array.ts'
import { isJsonObject } from '../protocols/json.ts'
import type { Framing, Operation, Protocol } from '../protocols/protocol.ts'
import { createSseSplitter } from '../protocols/sse.ts'
import { type AffordParts, setAside } from './afford.ts'
import type { Answer } from './answer.ts'
import { type AttemptParts, attempt } from './attempt.ts'
import { checkBody, type ParsedBody, parseJsonBody, type RequestBody, readBytes } from './body.ts'
import { bodyEnd, type ConcludeParts, conclude, refusalEnd, settle } from './conclude.ts'
import { countInput } from './count-input.ts'
import { listDropped } from './dropped.ts'
import { errorResponse, GatewayError, modelHeaders } from './errors.ts'
import { type Exchange, type Interruption, mayAbort } from './exchange.ts'
import { type Failure, failureClasses, finalError } from './failures.ts'
import { isForm, parseFormBody } from './form-body.ts'
import type { Gatekeeper, HttpCall } from './gatekeeper.ts'
import { rememberFailures } from './media-failures.ts'
import { createMeter } from './meter.ts'
import { once } from './once.ts'
import { canExpress, findOptions, type Option, orderOptions, type Translate } from './options.ts'
import { planRequest } from './plan.ts'
import { createRelay } from './relay.ts'
import { shortName } from './short-name.ts'
import { isStrict } from './strict.ts'
import { createTranslation, decodeRequest, type TranslationParts } from './translation.ts'

/** What a route knows of a request before its body is read. */
export interface ModelCall extends HttpCall {
  readonly protocol: Protocol
  readonly operation: Operation
  /** Gemini names its model and whether to stream in the path. */
  readonly model?: string
  readonly stream?: boolean
  readonly framing: Framing
  /** How long the connection may be silent, in seconds; 0: for ever. */
  readonly limitSilence: (seconds: number) => void
}

export interface ForwardParts extends AttemptParts, ConcludeParts, AffordParts, TranslationParts {
  readonly catalog: () => Catalog
  readonly gatekeeper: Gatekeeper
  readonly random: () => number
  readonly maxBodyBytes: () => number
  readonly clock: Clock
  readonly log: Logger
}

export interface Forwarder {
  /** One request through all its steps; never throws: a failure is an answer, too. */
  forward(call: ModelCall): Promise<Response>
  /** How many exchanges are under way, streams included. */
  active(): number
  /** From now on requests are refused: the process stops. */
  close(): void
  /** Ends all exchanges that are under way: the process stops. */
  interruptAll(): void
}

const stopping = 'The gateway is being stopped. Repeat the request.'

/** At most so many channels are asked for one request. */
const maxAttempts = 6

/** The way of a request: authenticate, read, plan, attempt, relay, settle. */
export function createForwarder(parts: ForwardParts): Forwarder {
  const active = new Set<Exchange>()
  let closed = false

  async function forward(call: ModelCall): Promise<Response> {
    const exchange = begin(parts, call)
    active.add(exchange)
    const { signal } = call.request
    // Also behind its settlement: an upstream may be slow to close, and nobody waits for that then.
    signal.addEventListener('abort', () => interrupt(exchange, 'client_left'), { once: true })
    const done = () => active.delete(exchange)
    try {
      if (closed) throw new GatewayError('no_channel', stopping, { retryAfter: 1 })
      const body = await Promise.race([admit(parts, exchange, call), interruptionOf(exchange)])
      if (!signal.aborted) call.limitSilence(0) // models think in silence
      const ask = () => askChannels(parts, exchange, body)
      const isCount = call.operation === call.protocol.counting
      const answer = isCount ? await countInput(parts, exchange, body, ask) : await ask()
      // A whole answer is settled before its first byte: that is as good.
      if (answer.kind === 'stream') await exchange.reservation?.written()
      return await deliver(parts, exchange, answer, { body, done, limitSilence: call.limitSilence })
    } catch (error) {
      done()
      return fail(parts, exchange, error)
    }
  }

  return {
    forward,
    active: () => active.size,
    close() {
      closed = true
    },
    interruptAll() {
      for (const exchange of active) interrupt(exchange, 'shutdown')
    },
  }
}

/** How long a connection that waits for its next request is kept. */
const idleSeconds = 60

/** Rejects when the exchange is interrupted while its body is still coming. */
function interruptionOf(exchange: Exchange): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    exchange.onInterrupted = () => {
      reject(new GatewayError('no_channel', stopping, { retryAfter: 1 }))
    }
  })
  interrupted.catch(() => {}) // nobody waits for it once the body is here
  return interrupted
}

function begin(parts: ForwardParts, call: ModelCall): Exchange {
  return {
    requestId: createRequestId(),
    protocol: call.protocol,
    operation: call.operation,
    request: call.request,
    startedAt: parts.clock(),
    startedTick: parts.tick(),
    framing: call.framing,
    caller: undefined,
    model: call.model,
    facts: undefined,
    plan: undefined,
    options: [],
    reservation: undefined,
    candidate: undefined,
    route: undefined,
    dropped: [],
    attempts: [],
    firstByteTick: undefined,
    interruption: undefined,
    isUnpaid: false,
    abort: () => {},
    onInterrupted: () => {},
  }
}

function interrupt(exchange: Exchange, interruption: Interruption): void {
  exchange.interruption ??= interruption
  if (mayAbort(exchange, interruption)) exchange.abort()
  exchange.onInterrupted()
}

/** Key first, then the body, then what the two may do together. */
async function admit(parts: ForwardParts, exchange: Exchange, call: ModelCall) {
  const { gatekeeper } = parts
  const caller = await gatekeeper.identify(call)
  exchange.caller = caller
  gatekeeper.check(caller, call, true)
  const parsed = await readBody(call, parts.maxBodyBytes())
  exchange.model ??= modelIn(parsed.value)
  const read = checkBody(parsed, call.operation)
  const body = { ...read, facts: { ...read.facts, stream: call.stream ?? read.facts.stream } }
  exchange.facts = body.facts
  exchange.model = call.model ?? body.facts.model ?? ''
  exchange.plan = planRequest(parts.catalog(), caller, exchange.model)
  const options = findOptions(exchange.plan.offer, call, translator(parts, exchange, call, body))
  exchange.options = orderOptions(options, parts.random)
  await setAside(parts, exchange, body)
  return body
}

/** Makes translations of one request, which is decoded once, when the first is asked for. */
function translator(
  parts: ForwardParts,
  exchange: Exchange,
  { protocol: client }: ModelCall,
  body: RequestBody,
): Translate {
  const { model = '', caller } = exchange
  const shared = { sealer: parts.sealer, media: rememberFailures(parts.media) }
  const owner = String(caller?.account.id)
  const decoded = once(() => decodeRequest(client, body, model))
  return (candidate, upstream) => {
    const task = { client, request: decoded(), body, isStrict: isStrict(exchange), owner }
    return createTranslation(shared, task, candidate, upstream)
  }
}

async function readBody(call: ModelCall, maxBytes: number): Promise<ParsedBody> {
  const bytes = await readBytes(call.request, maxBytes)
  const contentType = call.request.headers.get('content-type')
  return isForm(contentType) && call.operation.takesForm
    ? parseFormBody(bytes, contentType)
    : parseJsonBody(bytes)
}

/** The model that a body names, for the record of a request that is refused for something else. */
function modelIn(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value.model === 'string' ? value.model : undefined
}

/** Asks channel after channel until one answers; throws what the client is told when none does. */
async function askChannels(
  parts: ForwardParts,
  exchange: Exchange,
  body: RequestBody,
): Promise<Answer> {
  const failures: Failure[] = []
  let refusal: GatewayError | undefined
  let asked = 0
  const options = chooseOptions(parts, exchange)
  for (const [index, option] of options.entries()) {
    if (!canExpress(option)) continue // another one can, or the request would not be here
    asked++
    const others = asked < maxAttempts ? options.slice(index + 1) : []
    const hasNext = others.length > 0 ? () => others.some(canExpress) : undefined
    try {
      const result = await attempt(parts, exchange, body, option, hasNext)
      if (result.ok) return result.answer
      failures.push(result.failure)
    } catch (error) {
      // What this channel needs can't be had: another one may not need it.
      if (!(error instanceof GatewayError)) throw error
      refusal ??= error
    }
    await exchange.reservation?.written() // a refusal of the money is what ended the attempt
    if (exchange.interruption) throw new GatewayError('no_channel', stopping, { retryAfter: 1 })
    const last = failures.at(-1)
    const isOver = last !== undefined && !failureClasses[last.name].retry
    if (isOver || others.length === 0) break
  }
  throw failures.length === 0 && refusal ? refusal : finalError(failures)
}

function chooseOptions(parts: ForwardParts, exchange: Exchange): readonly Option[] {
  const { caller, facts, options } = exchange
  for (const id of facts?.continues ?? []) {
    if (caller && parts.affinity.isForeign(caller.token.id, id)) {
      throw new GatewayError('response_not_found', `"${shortName(id)}" is not known to this key.`)
    }
    const origin = caller && parts.affinity.originOf(caller.token.id, id)
    const bound = options.find(({ channel }) => channel.id === origin?.channelId)
    if (bound) return [bound]
  }
  return options
}

interface Delivery extends Pick<ModelCall, 'limitSilence'> {
  readonly body: RequestBody
  /** The exchange is over. */
  readonly done: () => void
}

async function deliver(
  parts: ForwardParts,
  exchange: Exchange,
  answer: Answer,
  { body, done, limitSilence }: Delivery,
): Promise<Response> {
  exchange.firstByteTick = parts.tick()
  const { protocol, requestId } = exchange
  const headers = modelHeaders(protocol, requestId, answer.contentType)
  if (exchange.dropped.length > 0) headers['x-tollgate-dropped'] = listDropped(exchange.dropped)
  // Streams set no limit again: their end is not a moment at which the connection is surely there.
  if (answer.kind !== 'stream' && !exchange.request.signal.aborted) limitSilence(idleSeconds)
  if (answer.kind === 'refusal') {
    if (answer.retryAfter !== null) headers['retry-after'] = answer.retryAfter
    conclude(parts, exchange, refusalEnd(answer))
    done()
    return new Response(answer.bytes as Bun.BodyInit, { status: answer.status, headers })
  }
  if (answer.kind === 'body') {
    await settle(parts, exchange, bodyEnd(exchange, answer.observer.seen), answer.observer.seen)
    done()
    return new Response(answer.bytes as Bun.BodyInit, { headers })
  }
  headers['cache-control'] = 'no-cache'
  const stream = createRelay({
    exchange,
    answer,
    splitter: answer.framing === 'sse' ? createSseSplitter() : createJsonArraySplitter(),
    hideUsage: answer.translator === undefined && 'stream_options' in body.facts.amend,
    meter: createMeter(parts, exchange),
    settle: (end, seen, isDelivered) =>
      settle(parts, exchange, end, seen, isDelivered).finally(done),
  })
  if (exchange.interruption) exchange.onInterrupted()
  return new Response(stream as unknown as Bun.BodyInit, { headers })
}

/** The answer to a request that failed before anything of an answer went out. */
function fail(parts: ForwardParts, exchange: Exchange, thrown: unknown): Response {
  const { interruption } = exchange
  const error = toGatewayError(parts, exchange, thrown)
  const refused = error.status < 500 && error.kind !== 'channels_busy'
  conclude(parts, exchange, {
    ending: interruption ?? (refused ? 'refused' : 'failed'),
    status: interruption === 'client_left' ? clientClosedRequest : error.status,
    cause: interruption ?? error.word,
    causeText: interruption ? null : error.message,
  })
  const response = errorResponse(error, exchange.protocol, exchange.requestId)
  if (isStillComing(exchange.request)) response.headers.set('connection', 'close')
  return response
}

/** A large body that nobody reads would keep its connection busy: whoever sends it is told to stop. */
function isStillComing({ bodyUsed, body, headers }: Request): boolean {
  const announced = Number(headers.get('content-length') ?? Number.NaN)
  return !bodyUsed && body !== null && !(announced <= smallBodyBytes)
}

/** So much has arrived with the head, or soon after. */
const smallBodyBytes = 65_536

/** The status that logs of the field use for a client that did not wait; nobody receives it. */
const clientClosedRequest = 499

function toGatewayError(parts: ForwardParts, exchange: Exchange, thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  parts.log.error('internal error', {
    request_id: exchange.requestId,
    error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
  })
  return new GatewayError('internal', 'The gateway failed. Try again, or tell its operator.')
}
