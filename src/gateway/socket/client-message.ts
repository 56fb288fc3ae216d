import { parseJsonObject, stringIn } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { shortName } from '../admit/plan.ts'
import { countFields, scanLarge, slicedBytes } from '../body/body.ts'
import { sentTwice } from '../body/form-body.ts'
import { type FieldSpan, findFields, type JsonFields, replaceRaw } from '../body/json-fields.ts'
import { GatewayError } from '../errors.ts'

/** A request for a response, as it came over a socket. */
export interface CreateMessage {
  /** The lane that the client wants its events marked with. */
  readonly lane: string | undefined
  /** False: the response is only prepared, and nothing is generated. */
  readonly generates: boolean
  readonly bytes: Buffer
  readonly fields: Pick<JsonFields, 'spans' | 'close'>
}

/** Fields of the message that are not the request's. */
const ofMessage = new Set(['type', 'event_id', 'stream_id', 'generate', 'stream'])

const longestWord = 1_024
/** The most bytes beside the values of a request. */
const longestRest = 65_536

/**
 * Reads a message; undefined: nothing to do. Older clients nest fields in `response`. Throws the
 * 400. Source: OpenAI's guide "WebSocket mode", and its SDKs.
 */
export async function readMessage(
  bytes: Buffer,
  owner: string,
): Promise<CreateMessage | undefined> {
  const fields = await scan(bytes, owner)
  const word = wordsIn(bytes, fields)
  const within = fields.spans.get('response')
  const isNested = within && bytes[within.start] === openBrace && !fields.spans.has('model')
  checkRest(bytes, fields, isNested ? (name) => name === 'response' : isOfRequest)
  const type = word('type')
  // An acknowledgement by the client: unused here.
  if (type === 'response.processed') return undefined
  if (type !== 'response.create') throw unknownType(type)
  const inner = isNested ? bytes.subarray(within.start, within.end) : bytes
  const innerFields = isNested ? await scan(inner, owner) : fields
  if (isNested) checkRest(inner, innerFields, isOfRequest)
  if (wordsIn(inner, innerFields)('background') === true) throw noBackground()
  const lane = word('stream_id')
  return {
    lane: typeof lane === 'string' ? lane : undefined,
    generates: (word('generate') ?? wordsIn(inner, innerFields)('generate')) !== false,
    ...bodyOf(inner, innerFields),
  }
}

async function scan(bytes: Buffer, owner: string): Promise<JsonFields> {
  const fields =
    bytes.byteLength < slicedBytes
      ? findFields(bytes, anyDepth)
      : (await scanLarge(owner, bytes)).fields
  if (fields.close < 0) throw noJson()
  countFields(fields)
  if (fields.duplicate !== undefined) throw sentTwice(fields.duplicate, 'invalid_json')
  return fields
}

const isOfRequest = (name: string) => !ofMessage.has(name)

/** The request's values are validated later: here everything around them must be JSON. */
function checkRest(
  bytes: Buffer,
  fields: JsonFields,
  isReadLater: (name: string) => boolean,
): void {
  const later = [...fields.spans.keys()].filter(isReadLater)
  const rest = replaceRaw(bytes, fields, new Map(later.map((name) => [name, standIn])))
  if (rest.byteLength > longestRest || !parseJsonObject(Buffer.from(rest).toString()))
    throw noJson()
}
const standIn = Buffer.from('0')

/** The body's own limits are checked next. */
const anyDepth = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }

function wordsIn(bytes: Buffer, { spans }: JsonFields): (name: string) => unknown {
  return (name) => {
    const { start, end } = spans.get(name) ?? { start: 0, end: longestWord + 1 }
    if (end - start > longestWord) return undefined
    return parseJsonObject(`{"value":${bytes.toString('utf8', start, end)}}`)?.value
  }
}

/** The request's fields with their original bytes, and `stream` set. */
function bodyOf(bytes: Buffer, found: JsonFields): Pick<CreateMessage, 'bytes' | 'fields'> {
  const parts: Buffer[] = []
  const spans = new Map<string, FieldSpan>()
  let size = 0
  const write = (part: Buffer) => {
    parts.push(part)
    size += part.byteLength
  }
  const writeField = (name: string, value: Buffer) => {
    write(Buffer.from(`${size === 0 ? '{' : ','}${JSON.stringify(name)}:`))
    spans.set(name, { start: size, end: size + value.byteLength })
    write(value)
  }
  for (const [name, { start, end }] of found.spans) {
    if (isOfRequest(name)) writeField(name, bytes.subarray(start, end))
  }
  writeField('stream', Buffer.from('true'))
  write(Buffer.from('}'))
  return { bytes: Buffer.concat(parts), fields: { spans, close: size - 1 } }
}

/** An event for the client: with its lane, and in the first one what a POST has in headers. */
export function eventText(data: string, more: JsonObject): string {
  const fields = JSON.stringify(more)
  if (fields === '{}' || !data.startsWith('{')) return data
  if (/^\{\s*\}$/.test(data)) return fields
  return `${fields.slice(0, -1)},${data.slice(1)}`
}

const reportedHeaders = ['x-request-id', 'x-tollgate-dropped', 'x-tollgate-reason', 'retry-after']

/** The headers of a POST's answer that belong in an event. */
export function headersOf(headers: Headers): JsonObject {
  const found = reportedHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(found)
}

/** The event of a refusal, from the body that a POST would get. */
export function errorEvent(status: number, body: string, headers: JsonObject): JsonObject {
  const sent = parseJsonObject(body)
  const inner = sent && 'error' in sent ? (sent.error as JsonObject) : sent
  const code = stringIn(inner, 'code') ?? null
  const message = stringIn(inner, 'message') ?? 'The gateway failed.'
  const param = stringIn(inner, 'param') ?? null
  const type = stringIn(inner, 'type') ?? 'invalid_request_error'
  return {
    type: 'error',
    status,
    error: { type, code, message, param },
    // SDKs that know a single form of errors read these.
    code,
    message,
    param,
    sequence_number: 0,
    headers,
  }
}

const noJson = () =>
  new GatewayError(
    'invalid_json',
    'The message is no JSON object. Send {"type":"response.create", …}.',
  )

const unknownType = (type: unknown) =>
  new GatewayError(
    'invalid_value',
    `type: "${shortName(String(type))}" is not known here. Send response.create.`,
    { param: 'type' },
  )

const noBackground = () =>
  new GatewayError(
    'unsupported_parameter',
    'background: a response over a WebSocket is not made in the background. Leave it out, or use POST.',
    { param: 'background' },
  )

const openBrace = 0x7b
