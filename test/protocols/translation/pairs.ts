import type { EncodeOptions } from '../../../src/protocols/canonical/codec.ts'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import { chat } from '../../../src/protocols/chat/index.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import { messages } from '../../../src/protocols/messages/index.ts'
import { usualMaxTokens } from '../../../src/protocols/messages/thinking.ts'
import {
  type JsonObject,
  type Protocol,
  type ProtocolName,
  protocolNames,
} from '../../../src/protocols/protocol.ts'
import { responses } from '../../../src/protocols/responses/index.ts'
import { recordings } from '../../support/recordings.ts'

export const protocols: { readonly [name in ProtocolName]: Protocol } = {
  chat,
  responses,
  messages,
  gemini,
}

export interface Pair {
  readonly client: ProtocolName
  readonly upstream: ProtocolName
}

/** Every client protocol on every channel protocol but its own. */
export const pairs: readonly Pair[] = protocolNames.flatMap((client) =>
  protocolNames.flatMap((upstream) => (client === upstream ? [] : [{ client, upstream }])),
)

/** A model of each protocol's vendor. */
const models: { readonly [name in ProtocolName]: string } = {
  chat: 'gpt-5.1',
  responses: 'gpt-5.1',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-3-flash-preview',
}

/** What a request is encoded with for a channel without quirks. */
export const optionsFor = (upstream: ProtocolName): EncodeOptions => ({
  model: models[upstream],
  quirks: new Set(),
  defaultMaxOutputTokens: usualMaxTokens(models[upstream]),
})

/** A body, as the other side of the wire reads it. */
export const overTheWire = (body: unknown): JsonObject => JSON.parse(JSON.stringify(body))

/** Without places, and without members that say nothing. */
export function bare<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key === 'at' ? undefined : member)),
  )
}

/** One recorded request for an answer, as a client of its protocol would send it. */
export interface RecordedRequest {
  readonly id: string
  readonly client: ProtocolName
  readonly body: JsonObject
  readonly decoded: CanonicalRequest
}

const generation: { readonly [name in ProtocolName]: RegExp } = {
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  // The second is how Bedrock is asked.
  messages: /\/(messages|invoke)$/,
  gemini: /:(generate|streamGenerate)Content$/,
}

/** All of them that their own protocol takes. */
export const recordedRequests: readonly RecordedRequest[] = recordings.flatMap((recording) => {
  const { id, request, path = '', method } = recording
  const client = protocolNames.find((name) => name === recording.protocol)
  const [bare = ''] = path.split('?')
  const isAsked = client !== undefined && method === 'POST' && generation[client].test(bare)
  if (!isAsked || !isJsonObject(request)) return []
  const { generation: operation, codec } = protocols[client]
  const model = /models\/([^:]+)/.exec(bare)?.[1] ?? 'unnamed'
  const body = client === 'messages' ? { model, ...request } : request
  if (operation.check(body) !== undefined) return []
  const stream = bare.includes('streamGenerate')
  return [{ id, client, body, decoded: codec.decodeRequest(body, { model, stream }) }]
})
