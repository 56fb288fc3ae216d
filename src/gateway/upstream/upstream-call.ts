import type { Candidate, Channel } from '../../catalog/catalog.ts'
import { quirkNames } from '../../protocols/canonical/quirks.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { pathText } from '../../protocols/request-extras.ts'
import type { Route } from '../admit/options.ts'
import { isStrict } from '../admit/strict.ts'
import type { Beside } from '../beside/job.ts'
import { isHeavy } from '../beside/prepare-beside.ts'
import { nameOf } from '../beside/read-beside.ts'
import type { RequestBody } from '../body/body.ts'
import { hasEmptyItems } from '../body/empty-objects.ts'
import { rebuildForm } from '../body/form-body.ts'
import { hasSeals, type NativeBody, type NativeChanges, writeNative } from '../body/native-body.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { PacedCall } from '../outbound/outbound.ts'
import { sentQuery } from './sent-query.ts'

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
): PacedCall | Promise<PacedCall> {
  const { channel, upstreamModel, route, key } = destination
  const { protocol, operation, framing, translation } = route
  const path = operation.path(upstreamModel, body.facts.stream, framing)
  const isSent = translation === undefined && protocol.hidesQueries !== true
  const withQuery = (url: string) => (isSent ? addQuery(url, exchange.request) : url)
  const callWith = (content: Uint8Array | FormData): PacedCall => ({
    url: withQuery(protocol.url(baseOf(channel, protocol.name), path)),
    method: 'POST',
    headers: translation
      ? translatedHeaders(protocol, key)
      : upstreamHeaders(exchange, key, content instanceof FormData ? null : body.contentType),
    body: content,
    signal,
    allowPrivate: channel.allowPrivate,
    isPaced: body.facts.stream,
    connectMs: channel.timeouts.connectMs,
    proxy: channel.proxy,
  })
  const content = translation
    ? translation.encode(signal)
    : upstreamBody(body, exchange, destination, { beside, signal })
  return content instanceof Promise ? content.then(callWith) : callWith(content)
}

function addQuery(url: string, request: Request): string {
  const query = sentQuery(request, url)
  if (query === '') return url
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
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

const notFromForm = (param: string) =>
  new GatewayError('unsupported_parameter', `${param} is not allowed here. Leave it out.`, {
    param,
  })

function upstreamBody(
  body: RequestBody,
  exchange: Exchange,
  { upstreamModel, route }: Destination,
  { beside, signal }: { readonly beside: Beside | undefined; readonly signal: AbortSignal },
): Uint8Array | Promise<Uint8Array | FormData> {
  const cuts = route.passed?.cuts ?? []
  const { fields } = body
  if (fields === undefined) {
    const [first] = cuts
    if (first !== undefined) throw notFromForm(pathText(first))
    return rebuildForm(body, upstreamModel)
  }
  const isMended = exchange.protocol.mendsBodies === true
  const changes = {
    ...{ model: upstreamModel, quirks: quirksOf(exchange), cuts },
    isRenamed: exchange.model !== upstreamModel || isMended,
    mayHaveEmptyParts: isMended && hasEmptyItems(body.bytes),
  }
  const write = ({ bytes, dropped }: NativeBody) => {
    noteDropped(exchange, dropped)
    return bytes
  }
  if (beside === undefined || !isForBeside(body, changes)) {
    return write(writeNative({ ...body, fields }, changes))
  }
  const of = { bytes: body.bytes, values: fields.values, operation: nameOf(exchange.operation) }
  const job = { kind: 'write' as const, ...of }
  const owner = String(exchange.caller?.account.id)
  return beside.run<'write'>(owner, { ...job, changes }, signal).then(write)
}

/** Whether writing a body takes more than is to be done on this thread. */
function isForBeside(
  body: RequestBody,
  { cuts, mayHaveEmptyParts }: Pick<NativeChanges, 'cuts' | 'mayHaveEmptyParts'>,
): boolean {
  const needsWhole = () => cuts.length > 0 || mayHaveEmptyParts || hasSeals(body)
  if (body.remote) return !body.remote.isPlain || needsWhole()
  return isHeavy(body) && needsWhole()
}

function noteDropped(exchange: Exchange, dropped: readonly string[]): void {
  const [first] = dropped
  if (first !== undefined && isStrict(exchange)) throw sealRefused(first)
  exchange.dropped = [...exchange.dropped, ...dropped]
}

const quirksOf = ({ candidate }: Exchange) =>
  quirkNames.filter((quirk) => candidate?.channel.quirks.includes(quirk))

const sealRefused = (param: string) =>
  new GatewayError(
    'unsupported_parameter',
    `${param} (reasoning that another vendor has signed) would be left out, and the request is strict. Leave it out, or ask for another model.`,
    { param },
  )
