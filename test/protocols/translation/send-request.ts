import type { CanonicalRequest, Part } from '../../../src/protocols/canonical/request.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { fit } from './fitting.ts'
import { optionsFor, overTheWire, type Pair, protocols } from './pairs.ts'

/** What the gateway makes of a client's request for a channel without quirks. */
export interface Sent {
  /** What `fit` has left of it. */
  readonly left: CanonicalRequest
  /** The same with the files that the gateway fetches. */
  readonly fitted: CanonicalRequest
  readonly dropped: readonly string[]
  /** The upstream's body, as it arrives there. */
  readonly body: JsonObject
  /** What the upstream's protocol reads from it. */
  readonly again: CanonicalRequest
}

/** Takes a request to an upstream. Throws what `fit` throws. */
export function sendRequest(
  request: CanonicalRequest,
  { client, upstream }: Pair,
  optionalTools?: ReadonlySet<string>,
): Sent {
  const { codec } = protocols[upstream]
  const target = { ...codec, protocol: upstream, quirks: new Set<never>() }
  const { request: left, dropped } = fit(request, client, target, false, optionalTools)
  const fitted = withFiles(left, upstream)
  const options = optionsFor(upstream)
  const body = overTheWire(codec.encodeRequest(fitted, options))
  const again = codec.decodeRequest(body, { model: options.model, stream: fitted.stream })
  return { left, fitted, dropped, body, again }
}

/** Rows "by address": what the gateway fetches for each protocol, and what it gets here. */
const fetched: { readonly [upstream in Pair['upstream']]: ReadonlySet<Part['type']> } = {
  chat: new Set(['document', 'audio']),
  responses: new Set(['audio']),
  messages: new Set(),
  gemini: new Set(['image', 'document', 'audio']),
}
const files = {
  image: { type: 'data', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
  document: { type: 'data', mediaType: 'application/pdf', data: 'JVBERi0xLjc=' },
  audio: { type: 'data', mediaType: 'audio/wav', data: 'UklGRg==' },
} as const

function withFiles(request: CanonicalRequest, upstream: Pair['upstream']): CanonicalRequest {
  const fill = <P extends Part>(part: P): P => {
    if (part.type === 'tool-result') return { ...part, parts: part.parts.map(fill) }
    const isFile = part.type === 'image' || part.type === 'document' || part.type === 'audio'
    const isAddress = isFile && part.source.type === 'url' && fetched[upstream].has(part.type)
    return isAddress ? { ...part, source: files[part.type] } : part
  }
  const turns = request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(fill) }))
  return { ...request, turns }
}
