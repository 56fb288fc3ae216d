import { hasPrice } from '../../billing/extras.ts'
import type { Candidate } from '../../catalog/catalog.ts'
import { cacheMinimum } from '../../catalog/model-facts.ts'
import { runsSearch } from '../../catalog/runs-search.ts'
import { ownTools, vendorExtras } from '../../catalog/vendor-extras.ts'
import type { AnswerEvent } from '../../protocols/canonical/answer.ts'
import { type EncodeContext, readVectors } from '../../protocols/canonical/codec.ts'
import { type CanonicalError, TranslationError } from '../../protocols/canonical/error.ts'
import { withExactCalls } from '../../protocols/canonical/json-text.ts'
import { type Quirk, quirksAmong } from '../../protocols/canonical/quirks.ts'
import type { CanonicalRequest, Part } from '../../protocols/canonical/request.ts'
import type { Usage } from '../../protocols/canonical/usage.ts'
import { protocols } from '../../protocols/index.ts'
import type {
  Frame,
  JsonObject,
  Protocol,
  ProtocolError,
  ProtocolName,
  RequestFacts,
} from '../../protocols/protocol.ts'
import { pathText } from '../../protocols/request-extras.ts'
import type { HiddenWork } from '../../protocols/request-facts.ts'
import { answerFilter, filterResponse } from '../../protocols/translation/answer-filter.ts'
import { type FeatureName, wayOf } from '../../protocols/translation/features.ts'
import { checkSize, fit, fitEmbedding } from '../../protocols/translation/fit.ts'
import { withCacheKey } from '../../protocols/translation/prompt-cache-key.ts'
import {
  createEventSealer,
  openRequest,
  type Sealer,
  sealResponse,
} from '../../protocols/translation/seal.ts'
import type { Plan } from '../admit/plan.ts'
import type { RequestBody } from '../body/body.ts'
import type { BodyThread } from '../body-thread/job.ts'
import { GatewayError } from '../errors.ts'
import type { MediaFetcher } from '../media/fetch-media.ts'
import { inlineMedia, type MediaPart, wantedMedia } from '../media/inline-media.ts'

export interface TranslationParts {
  readonly sealer: Sealer
  readonly media: MediaFetcher
  readonly bodyThread?: BodyThread | undefined
}

/** A request translated for a channel of another protocol, and its answer back. */
export interface Translation {
  readonly dropped: readonly string[]
  /** Work hidden in the encoded upstream body, as `RequestFacts` has it of the client's. */
  hiddenWork(): HiddenWork
  /** The upstream's body, with fetched files; throws the 400 of a failed one. */
  encode(signal: AbortSignal): Promise<Uint8Array>
  body(
    answer: JsonObject,
    facts: AnswerFacts,
  ): Uint8Array | CanonicalError | { unfit: CanonicalError }
  stream(facts: AnswerFacts): StreamTranslator
  refusal(body: JsonObject): CanonicalError
}

/** What is known of a request when its answer comes. */
export type AnswerFacts = Omit<EncodeContext, 'request' | 'body'>

/** Frames of an upstream's stream in, text for the client out. */
export interface StreamTranslator {
  push(frame: Frame, json: JsonObject | undefined): string
  end(): string
  /** A stop sequence was reached: nothing later is for the client, except the end and the usage. */
  isAtStop(): boolean
  /** The end of such an answer, whose upstream is stopped. */
  endAtStop(usage: Usage | undefined): string
  fail(error: ProtocolError): string
  isOver(): boolean
}

export interface TranslationTask<Body = RequestBody> {
  readonly client: Protocol
  readonly body: Body
  readonly model: string
  readonly isStrict: boolean
  readonly isKept?: boolean
  readonly owner: string
  /** Absent: the upstream searches nothing. */
  readonly plan?: Plan | undefined
}

type DecodableBody = Pick<RequestBody, 'bytes' | 'value'> & {
  readonly facts: Pick<RequestFacts, 'stream'>
}

/** Decodes a validated body; throws the 400 of what its own vendor would refuse. */
export function decodeRequest(
  protocol: Protocol,
  { bytes, value, facts }: DecodableBody,
  model: string,
): CanonicalRequest {
  const exact = withExactCalls(value(), bytes)
  return asRefusal(() => protocol.codec.decodeRequest(exact, { model, stream: facts.stream }))
}

export interface TranslationTarget {
  readonly upstream: Protocol
  readonly origin: string
  readonly quirks: readonly Quirk[]
  readonly model: string
  readonly webSearch?: boolean
}

/** The target of a channel in one of its protocols. Without a plan it has no web search. */
export function targetOf(candidate: Candidate, upstream: Protocol, plan?: Plan): TranslationTarget {
  const { channel, upstreamModel } = candidate
  return {
    webSearch: plan !== undefined && maySearch(plan, candidate, upstream.name),
    upstream,
    origin: originOf(channel.speaks[upstream.name] ?? '', upstream),
    quirks: quirksAmong(channel.quirks),
    model: upstreamModel,
  }
}

/** Whether a channel may run a translated web search: supported, allowed, and priced. */
function maySearch(
  { group, offer }: Plan,
  { channel, upstreamModel }: Candidate,
  protocol: ProtocolName,
): boolean {
  const runs = protocols[protocol].searchesAlways
    ? ownTools(protocol, upstreamModel).includes('web_search')
    : runsSearch(channel, protocol, upstreamModel)
  if (!runs || !(group.tools?.includes('web_search') ?? true)) return false
  return hasPrice(offer.price.terms, vendorExtras(protocol, upstreamModel), { tool: 'web_search' })
}

export interface PreparedRequest extends Pick<Translation, 'dropped' | 'hiddenWork' | 'encode'> {
  readonly request: CanonicalRequest
  readonly body: () => JsonObject
  /** Files given by address whose bytes the target needs. */
  readonly wanted: () => readonly MediaPart[]
}

/** Fits a request for its target; throws the 400 of what can't be expressed. */
export function prepareRequest(
  { sealer, media }: TranslationParts,
  { client, body, isStrict, isKept = false, owner }: TranslationTask<DecodableBody>,
  request: CanonicalRequest,
  optionalTools: ReadonlySet<string> | undefined,
  { upstream, origin, quirks: named, model, webSearch }: TranslationTarget,
): PreparedRequest {
  const quirks = new Set(named)
  const { name: protocol, codec } = upstream
  const target = { ...codec, protocol, quirks, webSearch: webSearch === true }
  const opened = openRequest(isKept ? withoutStore(request) : request, origin, sealer)
  const fitted = asRefusal(() => fit(opened, client.spelling, target, isStrict, optionalTools))
  const keyTarget = { ...target, host: hostIn(origin), owner, asked: request }
  const needs = (part: Part) => needsBytes(part, upstream, quirks)
  let hidden: HiddenWork = 'some'
  return {
    hiddenWork: () => hidden,
    request,
    body: body.value,
    dropped: fitted.dropped,
    wanted: () => wantedMedia(fitted.request, needs),
    async encode(signal) {
      const keyed = withCacheKey(fitted.request, keyTarget, sealer)
      const whole = await inlineMedia(keyed, needs, media.of(owner), signal)
      const options = {
        model,
        quirks,
        cacheMinimumTokens: cacheMinimum(model),
        showsReasoning: client.codec.showsUnasked?.(body.value()),
      }
      const encoded = codec.encodeRequest(whole, options)
      hidden = upstream.generation.read(encoded).hiddenWork?.() ?? 'some'
      return encoder.encode(JSON.stringify(encoded))
    },
  }
}

/** Hides the wish to keep the answer from `dropped`. */
const withoutStore = (request: CanonicalRequest): CanonicalRequest => ({
  ...request,
  native: request.native.filter(({ feature }) => feature !== 'store'),
})

export function createTranslation(
  parts: TranslationParts,
  task: TranslationTask,
  request: CanonicalRequest,
  candidate: Candidate,
  upstream: Protocol,
): Translation {
  const target = targetOf(candidate, upstream, task.plan)
  const prepared = prepareRequest(parts, task, request, optionalToolsOf(task.body), target)
  return withAnswers(prepared, parts.sealer, task.client, target)
}

/** A prepared request with the translation of its answer. */
export function withAnswers(
  { request, body: asked, dropped, hiddenWork, encode: encodeRequest }: PreparedRequest,
  sealer: Sealer,
  client: Protocol,
  { upstream, origin, quirks }: TranslationTarget,
): Translation {
  const createFilter = answerFilter(request, upstream.name, new Set(quirks))
  const contextOf = (facts: AnswerFacts): EncodeContext => ({ ...facts, request, body: asked() })

  return {
    dropped,
    hiddenWork,
    encode: encodeRequest,
    body(answer, facts) {
      const context = contextOf(facts)
      const response = upstream.codec.decodeResponse(answer, context)
      if (response.error !== undefined) return response.error
      const filtered = filterResponse(response, createFilter?.())
      if (filtered.error !== undefined) return { unfit: filtered.error }
      const sealed = sealResponse(filtered, origin, sealer)
      return encoder.encode(JSON.stringify(client.codec.encodeResponse(sealed, context)))
    },
    stream(facts) {
      const context = contextOf(facts)
      const decode = upstream.codec.createDecoder(context)
      const encode = client.codec.createEncoder(context)
      const seal = createEventSealer(origin, sealer)
      const filter = createFilter?.()
      let isOver = false
      const fail = (error: ProtocolError): string => {
        isOver = true
        return encode.fail(error)
      }
      const failAs = ({ status = 502, code = 'upstream_error', message }: CanonicalError) =>
        fail({ status, code, message, param: undefined, requestId: facts.requestId })
      const write = (decoded: readonly AnswerEvent[]): string =>
        writeAll(filter ? decoded.flatMap((event) => filter.push(event)) : decoded)
      const writeAll = (events: readonly AnswerEvent[]): string => {
        let text = ''
        for (const event of events) {
          if (event.type === 'end') isOver = true
          text += event.type === 'error' ? failAs(event.error) : encode.push(seal(event))
        }
        return text
      }
      return {
        push: ({ data, event }, json) => write(decode.push(data, event, json)),
        end: () => write(decode.end()),
        isAtStop: () => filter?.isAtStop?.() === true,
        endAtStop: (usage) => writeAll(filter?.close?.(usage) ?? []),
        fail,
        isOver: () => isOver,
      }
    },
    refusal: (refused) => upstream.codec.decodeError(refused),
  }
}

/** Where a request defines and names optional tools of its vendor. */
export function optionalToolsOf({
  facts,
}: Pick<RequestBody, 'facts'>): ReadonlySet<string> | undefined {
  const tools = facts.extras?.hostedTools.filter(({ isForced }) => !isForced)
  const places = tools?.flatMap(({ path, mentions }) => [path, ...mentions])
  return places && new Set(places.map(pathText))
}

const encoder = new TextEncoder()

/** The origin of the signatures that a channel's upstream accepts. Only used encrypted. */
export function originOf(base: string, upstream: Protocol): string {
  return `${upstream.name} ${new URL(base).host}`
}

const hostIn = (origin: string) => origin.slice(origin.indexOf(' ') + 1)

/** The upstream does not fetch by itself: the table says that the gateway adapts it. */
function needsBytes(part: Part, upstream: Protocol, quirks: ReadonlySet<Quirk>): boolean {
  const feature = addressFeatures[part.type]
  return feature !== undefined && wayOf(feature, upstream.name, quirks) === 'adapted'
}

const addressFeatures: { readonly [type in Part['type']]?: FeatureName } = {
  image: 'image_url',
  document: 'document_url',
  audio: 'audio_url',
}

/** Turns an inexpressible request into the 400. */
function asRefusal<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TranslationError)) throw error
    const { code, message, param } = error.fault
    throw new GatewayError(code, message, { param, cause: error })
  }
}

/** Translates a request for embeddings and its answer; throws the 400 of a misfit. */
export function translateEmbedding(
  { client, body, model, isStrict }: TranslationTask,
  { upstreamModel }: Candidate,
  upstream: Protocol,
): Translation {
  const [from, to] = [client.embedding, upstream.embedding]
  if (from === undefined || to === undefined) throw new Error('There are no embeddings.')
  const { request, dropped } = asRefusal(() => {
    // Before the whole body is parsed: it may be huge.
    checkSize(body.facts.calls, body.bytes.byteLength, from.textsAt, to)
    const read = from.decodeRequest(body.value(), model)
    return { request: read, dropped: fitEmbedding(read, to, isStrict) }
  })
  return {
    dropped,
    hiddenWork: () => 'none',
    encode: async () => asJson(to.encodeRequest(request, upstreamModel)),
    body(answer, facts) {
      const vectors = readVectors(to.decodeVectors(answer), request.texts.length)
      if (vectors === undefined) return notVectors
      const observer = to.operation.createObserver()
      observer.pushBody(answer)
      const inputTokens = observer.seen.usage?.inputTokens ?? facts.estimatedInputTokens
      return asJson(from.encodeAnswer(vectors, request, { model: facts.model, inputTokens }))
    },
    stream: () => {
      throw new Error('Embeddings are not streamed.')
    },
    refusal: (refused) => upstream.codec.decodeError(refused),
  }
}

const notVectors = { message: 'The upstream has not answered with one vector for each text.' }

const asJson = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
