import type { Candidate } from '../../src/catalog/catalog.ts'
import { checkBody, parseJsonBody, type RequestBody } from '../../src/gateway/body/body.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import type { FetchMedia } from '../../src/gateway/media/fetch-media.ts'
import { MediaError } from '../../src/gateway/media/media-address.ts'
import {
  type AnswerFacts,
  createTranslation,
  decodeRequest,
  type Translation,
} from '../../src/gateway/translate/translation.ts'
import { TranslationError } from '../../src/protocols/canonical/error.ts'
import type { CanonicalRequest } from '../../src/protocols/canonical/request.ts'
import { type Framing, type ProtocolName, protocolNames } from '../../src/protocols/protocol.ts'
import { protocols } from '../protocols/translation/pairs.ts'
import { plainChannel } from '../support/no-limits.ts'
import { corpora, material } from './corpus.ts'
import { createDice, type Dice } from './dice.ts'
import { mutate } from './mutate.ts'
import { sealer } from './oddities.ts'
import { demand } from './trial.ts'

/** The protocols that are not this one. */
export const othersThan = (protocol: ProtocolName): readonly ProtocolName[] =>
  protocolNames.filter((name) => name !== protocol)

/** Models of different ages: some of what is written depends on them. */
const models: { readonly [name in ProtocolName]: readonly string[] } = {
  chat: ['gpt-5.1', 'gpt-4o', 'deepseek-reasoner'],
  responses: ['gpt-5.1', 'o4-mini', 'gpt-4.1'],
  messages: ['claude-sonnet-4-5', 'claude-opus-4-7', 'claude-3-7-sonnet-latest', 'claude-sonnet-6'],
  gemini: ['gemini-3-flash-preview', 'gemini-2.5-pro', 'gemini-2.0-flash', 'gemini-4'],
}

/** The upstream's name of a model. */
export const modelFrom = (dice: Dice, upstream: ProtocolName) => dice.pick(models[upstream])

/** A channel that speaks one protocol. */
export function candidateOf(
  upstream: ProtocolName,
  model: string,
  quirks: readonly string[],
): Candidate {
  const timeouts = { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 }
  const channel = {
    id: 1,
    name: 'fuzz',
    speaks: { [upstream]: `https://${upstream}.test/v1` },
    keys: ['k'],
    priority: 1,
    weight: 1,
    timeouts,
    allowPrivate: false,
    quirks,
    ...plainChannel,
  }
  return { channel, upstreamModel: model }
}

/** Files of all kinds, and some that can't be had. */
const fetchMedia: FetchMedia = async (url) => {
  if (url.length % 7 === 0) throw new MediaError('The file can not be had.')
  const mediaType = fileTypes[url.length % fileTypes.length] ?? 'image/png'
  return { mediaType: url.endsWith('.pdf') ? 'application/pdf' : mediaType, data: 'AAAA' }
}
const fileTypes = ['image/png', 'image/png', 'audio/wav', 'video/mp4', 'application/pdf']

/** A request that its gateway has read. */
export interface Read {
  readonly client: ProtocolName
  readonly body: RequestBody
  readonly request: CanonicalRequest
}

/** Reads a body's text as the gateway does; undefined for what it refuses. */
export function readRequest(client: ProtocolName, text: string): Read | undefined {
  return unlessRefused(() => {
    const parsed = parseJsonBody(Buffer.from(text))
    const body = checkBody(parsed, protocols[client].generation)
    const request = decodeRequest(protocols[client], body, body.facts.model ?? 'in-the-path')
    return { client, body, request }
  })
}

/** The way of a request to a channel; undefined for what can't be expressed there. */
export function translate(
  { client, body, request }: Read,
  upstream: ProtocolName,
  model: string,
  quirks: readonly string[] = [],
  isStrict = false,
): Translation | undefined {
  const task = { client: protocols[client], body, model: request.model, isStrict, owner: 'o' }
  const parts = { sealer, media: { of: () => fetchMedia } }
  return unlessRefused(() =>
    createTranslation(
      parts,
      task,
      request,
      candidateOf(upstream, model, quirks),
      protocols[upstream],
    ),
  )
}

/** Undefined for a 400 in good form; everything else that is thrown goes on. */
export function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    checkRefusal(error)
    return undefined
  }
}

/** Throws what is no refusal, or one without what a client needs. */
export function checkRefusal(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error
  demand(error.status === 400, () => `refused with ${error.status}: ${error.message}`)
  demand(error.message !== '', 'refused without words')
  const isTranslation = error.cause instanceof TranslationError
  const param = error.details.param
  demand(!isTranslation || param !== undefined, () => `refused without a path: ${error.message}`)
  demand(error.message.isWellFormed(), () => `refused with half a character: ${error.message}`)
}

/** What is known of a request when its answer comes. */
export const factsFor = (framing: Framing): AnswerFacts => ({
  requestId: 'req_fuzz',
  model: 'asked-for',
  createdAt: 1_700_000_000,
  estimatedInputTokens: 9,
  framing,
  library: '',
})

const poolSize = 40

/** Requests of a protocol, translated to another, that answers are translated back for. */
export const poolOf = memoize((client: ProtocolName, upstream: ProtocolName) => {
  const pool: Translation[] = []
  for (let at = 0; pool.length < poolSize && at < 4_000; at++) {
    const dice = createDice('pool', client, upstream, at)
    const value = JSON.parse(corpora[client].requests.pick(dice))
    if (dice.once(2)) mutate(value, dice, material)
    const read = readRequest(client, JSON.stringify(value))
    const found = read && translate(read, upstream, modelFrom(dice, upstream))
    if (found !== undefined) pool.push(found)
  }
  return pool
})

function memoize<Result>(make: (client: ProtocolName, upstream: ProtocolName) => Result) {
  const made = new Map<string, Result>()
  return (client: ProtocolName, upstream: ProtocolName): Result => {
    const key = `${client} ${upstream}`
    const result = made.get(key) ?? make(client, upstream)
    made.set(key, result)
    return result
  }
}
