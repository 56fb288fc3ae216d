import type { Candidate, Channel } from '../catalog/catalog.ts'
import { embedJson } from '../protocols/canonical/embed.ts'
import { quirkNames } from '../protocols/canonical/quirks.ts'
import type { JsonObject, Protocol } from '../protocols/protocol.ts'
import { pathText } from '../protocols/request-extras.ts'
import { sealBeginnings, stripSeals } from '../protocols/translation/strip-seals.ts'
import type { Beside, SealJob } from './beside/job.ts'
import { isHeavy } from './beside/prepare-beside.ts'
import type { RequestBody } from './body.ts'
import { cutMembers } from './cut-members.ts'
import { GatewayError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { rebuildForm } from './form-body.ts'
import { findFields, replaceFields } from './json-fields.ts'
import type { Route } from './options.ts'
import type { OutboundCall } from './outbound/outbound.ts'
import { isStrict } from './strict.ts'

/**
 * The client's headers that go upstream, each as the client sent it. Everything else stays here:
 * credentials, cookies, addresses and proxies' marks are nobody else's business.
 */
const forwardedHeaders: ReadonlySet<string> = new Set([
  'accept',
  'user-agent',
  'anthropic-version',
  'anthropic-beta',
  'openai-beta',
  'session-id',
  'session_id',
  'thread-id',
  'conversation_id',
  'originator',
  'x-client-request-id',
  'x-session-affinity',
])

/** Headers that belong to a client family: Codex sends several, more with each version. */
const forwardedPrefix = 'x-codex-'

/** Where a call goes, and as whom. */
export interface Destination extends Candidate {
  readonly route: Route
  /** The one of the channel's keys that it is sent with. */
  readonly key: string
}

/** The upstream request of one attempt: the client's bytes but for what must change. */
export function buildCall(
  exchange: Exchange,
  body: RequestBody,
  destination: Destination,
  signal: AbortSignal,
  beside?: Beside | undefined,
): OutboundCall | Promise<OutboundCall> {
  const { channel, upstreamModel, route, key } = destination
  const { protocol, operation, framing, translation } = route
  const path = operation.path(upstreamModel, body.facts.stream)
  const sse = protocol.name === 'gemini' && body.facts.stream && framing === 'sse'
  const callWith = (content: Uint8Array | FormData): OutboundCall => ({
    url: protocol.url(baseOf(channel, protocol.name), sse ? `${path}?alt=sse` : path),
    method: 'POST',
    headers: translation
      ? translatedHeaders(protocol, key)
      : upstreamHeaders(exchange, key, content instanceof FormData ? null : body.contentType),
    body: content,
    signal,
    allowPrivate: channel.allowPrivate,
    connectMs: channel.timeouts.connectMs,
    proxy: channel.proxy,
  })
  const content = translation
    ? translation.encode(signal)
    : upstreamBody(withoutCuts(body, route), exchange, upstreamModel, { beside, signal })
  return content instanceof Promise ? content.then(callWith) : callWith(content)
}

/** Headers of an upstream call. `contentType` null: `fetch` writes it (forms have a boundary). */
export function upstreamHeaders(
  exchange: Pick<Exchange, 'protocol'> & { readonly request: Pick<Request, 'headers'> },
  key: string,
  contentType: string | null,
): Record<string, string> {
  const headers: Record<string, string> = {
    'accept-encoding': 'identity',
    ...exchange.protocol.keyHeaders(key),
  }
  exchange.request.headers.forEach((value, name) => {
    if (forwardedHeaders.has(name) || name.startsWith(forwardedPrefix)) headers[name] = value
  })
  if (contentType !== null) headers['content-type'] = contentType
  return headers
}

/** The client's headers are of another protocol: none of them means anything to this upstream. */
function translatedHeaders(protocol: Protocol, key: string): Record<string, string> {
  return {
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    ...protocol.demandedHeaders,
    ...protocol.keyHeaders(key),
  }
}

/** A channel's base URL for a protocol that it is known to speak. */
export function baseOf(channel: Channel, protocol: string): string {
  const base = channel.speaks[protocol]
  if (base === undefined) throw new Error(`channel ${channel.name} does not speak ${protocol}`)
  return base
}

/** The body without what does not pass; every other byte of it stays. */
function withoutCuts(body: RequestBody, { passed }: Route): RequestBody {
  const [first] = passed?.cuts ?? []
  if (passed === undefined || first === undefined) return body
  if (body.fields === undefined) throw notFromForm(pathText(first))
  const bytes = cutMembers(body.bytes, passed.cuts)
  const value = () => JSON.parse(bytes.toString()) as JsonObject
  return { ...body, bytes, value, fields: findFields(bytes, unlimited) }
}

/** It was looked at before. */
const unlimited = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }

const notFromForm = (param: string) =>
  new GatewayError('unsupported_parameter', `${param} is not allowed here. Leave it out.`, {
    param,
  })

function upstreamBody(
  body: RequestBody,
  exchange: Exchange,
  upstreamModel: string,
  { beside, signal }: { readonly beside: Beside | undefined; readonly signal: AbortSignal },
): Uint8Array | Promise<Uint8Array | FormData> {
  const renamed = exchange.model !== upstreamModel
  if (body.fields === undefined) return rebuildForm(body, upstreamModel)
  // Gemini's bodies may name models besides the path's.
  const isNamed = renamed || exchange.protocol.name === 'gemini'
  const renames = isNamed ? rename(body, exchange, upstreamModel) : {}
  const changes = { ...body.facts.amend, ...renames }
  if (beside !== undefined && hasSeals(body) && isHeavy(body)) {
    return stripBeside(beside, body, exchange, { model: upstreamModel, changes, signal })
  }
  const stripped = hasSeals(body) ? withoutSeals(body, exchange, upstreamModel) : undefined
  if (stripped === undefined) return replaceFields(body.bytes, body.fields, changes)
  return new TextEncoder().encode(JSON.stringify({ ...stripped, ...changes }))
}

/** The same on another thread. */
async function stripBeside(
  beside: Beside,
  body: RequestBody,
  exchange: Exchange,
  { signal, ...rest }: Pick<SealJob, 'model' | 'changes'> & { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const quirks = quirksOf(exchange)
  const job = { kind: 'strip' as const, bytes: body.bytes, quirks, ...rest }
  const found = await beside.run<'strip'>(String(exchange.caller?.account.id), job, signal)
  if (found === undefined || body.fields === undefined) {
    return body.fields ? replaceFields(body.bytes, body.fields, rest.changes) : body.bytes
  }
  noteDropped(exchange, found.dropped)
  return found.bytes
}

function noteDropped(exchange: Exchange, dropped: readonly string[]): void {
  const [first] = dropped
  if (first !== undefined && isStrict(exchange)) throw sealRefused(first)
  exchange.dropped = [...exchange.dropped, ...dropped]
}

const quirksOf = ({ candidate }: Exchange) =>
  quirkNames.filter((quirk) => candidate?.channel.quirks.includes(quirk))

/** What has to change for the upstream's name of the model. */
function rename(body: RequestBody, { operation }: Exchange, upstreamModel: string): JsonObject {
  const changes = operation.rename(body.outline, upstreamModel)
  return body.texts.isIn(changes) ? operation.rename(body.value(), upstreamModel) : changes
}

/** The body without its seals, which are named; undefined when what looked like one is none. */
function withoutSeals(
  { bytes, value }: RequestBody,
  exchange: Exchange,
  upstreamModel: string,
): JsonObject | undefined {
  const { body, dropped } = stripSeals(embedJson(new TextDecoder().decode(bytes)) ?? value(), {
    model: upstreamModel,
    quirks: new Set(quirksOf(exchange)),
  })
  if (dropped.length === 0) return undefined
  noteDropped(exchange, dropped)
  return body
}

const sealRefused = (param: string) =>
  new GatewayError(
    'unsupported_parameter',
    `${param} (reasoning that another vendor has signed) would be left out, and the request is strict. Leave it out, or ask for another model.`,
    { param },
  )

const writtenSeals = sealBeginnings.map((beginning) => Buffer.from(`"${beginning}`))

/** Another vendor's reasoning is in it, sealed by this gateway: its own vendor would refuse it. */
function hasSeals({ bytes }: RequestBody): boolean {
  return writtenSeals.some((beginning) => bytes.includes(beginning))
}
