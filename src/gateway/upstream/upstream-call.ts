import type { Candidate, Channel } from '../../catalog/catalog.ts'
import type { Cancellation } from '../../lib/cancellation.ts'
import { quirksAmong } from '../../protocols/canonical/quirks.ts'
import { isOfBody } from '../../protocols/field-names.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { pathText } from '../../protocols/request-extras.ts'
import { isStrict } from '../admit/gate.ts'
import { queryOf } from '../admit/gatekeeper.ts'
import type { Route } from '../admit/options.ts'
import type { RequestBody } from '../body/body.ts'
import { rebuildForm } from '../body/form-body.ts'
import {
  hasEmptyItems,
  hasSeals,
  type NativeBody,
  type NativeChanges,
  writeNative,
} from '../body/native-body.ts'
import type { BodyThread } from '../body-thread/job.ts'
import { isHeavy, nameOf } from '../body-thread/prepare.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { UpstreamCall } from '../outbound/outbound.ts'

/** The client's headers that go upstream; credentials, cookies and addresses do not. */
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

interface Destination extends Candidate {
  readonly route: Route
  readonly key: string
}

/** The upstream request of one attempt: the client's bytes but for what must change. */
export function buildCall(
  exchange: Exchange,
  body: RequestBody,
  destination: Destination,
  ending: Cancellation,
  thread?: BodyThread | undefined,
): UpstreamCall | Promise<UpstreamCall> {
  const { channel, upstreamModel, route, key } = destination
  const { protocol, operation, framing, translation } = route
  const path = operation.path(upstreamModel, body.facts.stream, framing)
  const isSent = translation === undefined && protocol.hidesQueries !== true
  const url = protocol.url(baseOf(channel, protocol.name), path)
  const call = {
    url: isSent ? addQuery(url, exchange.request) : url,
    method: 'POST',
    headers: translation
      ? translatedHeaders(protocol, key)
      : upstreamHeaders(exchange, key, body.fields === undefined ? null : body.contentType),
    signal: ending,
    allowPrivate: channel.allowPrivate,
    isPaced: body.facts.stream,
    connectMs: channel.timeouts.connectMs,
    proxy: channel.proxy,
  } as const
  const content = translation
    ? translation.encode(ending.signal)
    : upstreamBody(body, exchange, destination, { thread, ending })
  return content instanceof Promise
    ? content.then((written) => ({ ...call, body: written }))
    : { ...call, body: content }
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

/** The client's headers are of another protocol: none of them has a meaning for this upstream. */
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
  { thread, ending }: { readonly thread: BodyThread | undefined; readonly ending: Cancellation },
): Uint8Array | Promise<Uint8Array | FormData> {
  const cuts = route.passed?.cuts ?? []
  const { fields } = body
  if (fields === undefined) {
    const [first] = cuts
    if (first !== undefined) throw notFromForm(pathText(first))
    return rebuildForm(body, upstreamModel)
  }
  const { emptyParts, name } = exchange.protocol
  // Such bodies may name the model beside the path, too.
  const isMended = emptyParts !== undefined
  const changes = {
    model: upstreamModel,
    quirks: quirksAmong(exchange.candidate?.channel.quirks ?? []),
    cuts,
    isRenamed: exchange.model !== upstreamModel || isMended,
    mayHaveEmptyParts: isMended && hasEmptyItems(body.bytes) ? name : undefined,
  }
  if (thread === undefined || !isForThread(body, changes)) {
    return withoutDropped(exchange, writeNative({ ...body, fields }, changes))
  }
  const of = { bytes: body.bytes, values: fields.values, operation: nameOf(exchange.operation) }
  const job = { kind: 'write' as const, ...of }
  const owner = String(exchange.caller?.account.id)
  const written = thread.run<'write'>(owner, { ...job, changes }, ending.signal)
  return written.then((native) => withoutDropped(exchange, native))
}

/** Whether writing a body is work for the body thread. */
function isForThread(
  body: RequestBody,
  { cuts, mayHaveEmptyParts }: Pick<NativeChanges, 'cuts' | 'mayHaveEmptyParts'>,
): boolean {
  if (body.remote && !body.remote.isPlain) return true
  if (!body.remote && !isHeavy(body)) return false
  return cuts.length > 0 || mayHaveEmptyParts !== undefined || hasSeals(body)
}

function withoutDropped(exchange: Exchange, { bytes, dropped }: NativeBody): Uint8Array {
  const [first] = dropped
  if (first === undefined) return bytes
  if (isStrict(exchange)) throw sealRefused(first)
  exchange.dropped = [...exchange.dropped, ...dropped]
  return bytes
}

const sealRefused = (param: string) =>
  new GatewayError(
    'unsupported_parameter',
    `${param} (reasoning that another vendor has signed) would be left out, and the request is strict. Leave it out, or ask for another model.`,
    { param },
  )

/** A longer query is not sent on; real clients send far less. In characters. */
const longestQuery = 1_024

/** Names of credentials, in any case and with any signs between their words. */
const secretName = /key|token|secret|auth|passw|credential|signature|^sig$|bearer|jwt/
/** A key of this gateway, under any name. */
const ownKey = /\bsk-/

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

const isSecret = (name: string, value: string) =>
  secretName.test(lettersOf(name)) || ownKey.test(value)

/** Other names can be read in more than one way: `$httpHeaders`, `a[b]`, double encoding. */
const plainName = /^[a-z][a-z0-9_.-]{0,63}$/i

/** Names that Google's servers read themselves. Source: "System parameters". */
const ofServers = new Set([
  ...['alt', 'callback', 'fields', 'pp', 'prettyprint', 'quotauser', 'trace', 'uploadprotocol'],
  ...['uploadtype', 'userip', 'userproject', 'xgafv'],
])

/** The query for a native channel, without credentials and fields that decide the form. */
export function sentQuery(request: Pick<Request, 'url'>, url: string): string {
  if (!request.url.includes('?')) return ''
  const query = queryOf(request)
  const own = new Set([...queryOf({ url }).keys()].map((name) => name.toLowerCase()))
  const sent = new URLSearchParams()
  for (const [name, value] of query) {
    if (!plainName.test(name) || isSecret(name, value) || isOfBody(name)) continue
    if (ofServers.has(lettersOf(name))) continue
    if (!own.has(name.toLowerCase())) sent.append(name, value)
  }
  const text = sent.toString()
  return text.length > longestQuery ? '' : text
}

/** A query, with its question mark, without credentials and names that can be read in two ways. */
export function withoutKeys(search: string): string {
  const query = new URLSearchParams(search)
  const kept = [...query].filter(([name, value]) => !isSecret(name, value))
  if (kept.length === query.size) return search
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`
}
