import { createFairMutex } from '../../lib/concurrency.ts'
import { inSlices } from '../../lib/slices.ts'
import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject, Operation, RequestFacts } from '../../protocols/protocol.ts'
import { shortName } from '../admit/plan.ts'
import { type Conversation, conversationOf } from '../channels/conversation.ts'
import { GatewayError } from '../errors.ts'
import { countedLength, sampleOf, type TextSample } from '../money/estimate.ts'
import { checkNames, sentTwice } from './form-body.ts'
import { FieldScan, type FieldSpan, findFields, type JsonFields } from './json-fields.ts'
import {
  createStringEnds,
  mayBeShortened,
  noTexts,
  type Outline,
  readOutline,
  unshortened,
} from './outline.ts'

const maxDepth = 256

/** Parsing more values would block the event loop for seconds. */
const maxValues = 1_000_000

/** Fields of one body: each is looked up by name. */
const mostFields = 1_000

const scanLimits = { maxDepth, maxValues }

/** From here on a body is parsed as a whole only when all of it is needed. */
export const largeBytes = 16_384

export interface RequestBody {
  readonly bytes: Buffer
  readonly contentType: string
  readonly facts: BodyFacts
  /** Undefined for a form, whose fields are not those of a JSON object. */
  readonly fields: JsonFields | undefined
  readonly value: () => JsonObject
  readonly conversation: (asked: ConversationAsked) => Conversation | undefined
  readonly rename: (upstreamModel: string) => JsonObject
  /** It was read on the body thread and is written there, unless it is plain: few fields change. */
  readonly remote?: { readonly isPlain: boolean }
}

export interface ConversationAsked {
  readonly hint: string | undefined
  readonly model: string | undefined
}

/** The facts of a body, with a bounded sample of its text. */
export interface BodyFacts extends Omit<RequestFacts, 'text'> {
  readonly text: () => TextSample
}

/** A parsed body, not yet validated against its operation. */
export type ParsedBody = Pick<RequestBody, 'bytes' | 'contentType' | 'fields'> & Outline<unknown>

export interface ScannedBody {
  readonly bytes: Buffer
  readonly fields: JsonFields
  /** Strings that may be shortened; undefined: the body has to be parsed as a whole. */
  readonly long: readonly FieldSpan[] | undefined
}

/** Parses a JSON body. Throws the 400 of invalid or ambiguous JSON. */
export function parseJsonBody(bytes: Buffer): ParsedBody {
  if (bytes.byteLength >= largeBytes)
    return atOnce(parseSteps(atOnce(scanSteps(bytes, bytes.byteLength, 'whole'))))
  const fields = findFields(bytes, scanLimits)
  checkFields(fields)
  return checkMembers(bytes, fields, unshortened(parseJson(bytes)))
}

function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** From this many bytes on, reading yields to other requests. */
export const slicedBytes = 262_144
/** This much is scanned in a fraction of a millisecond. */
const pieceBytes = 32_768

/** Scans a body piece by piece; one body at a time: see `scanLarge`. */
export const scanInPieces = (bytes: Buffer): Generator<void, ScannedBody> =>
  scanSteps(bytes, pieceBytes, 'sliced')

function* scanSteps(
  bytes: Buffer,
  stepBytes: number,
  how: 'whole' | 'sliced',
): Generator<void, ScannedBody> {
  const strings = bytes.byteLength < largeBytes ? undefined : createStringEnds(bytes, how)
  const found = yield* fieldsOf(bytes, stepBytes, strings?.endOf)
  const isSound = strings !== undefined && !found.tooDeep && !found.tooMany && strings.isSound()
  // In an unsound body each string is searched for by itself.
  const fields = strings && !isSound ? yield* fieldsOf(bytes, stepBytes) : found
  checkFields(fields)
  if (strings === undefined || !isSound) return { bytes, fields, long: undefined }
  // Records name a model, however long its name is.
  const modelText = (fields.spans.get('model')?.start ?? -1) + 1
  const long = strings.long.filter(
    (span) => span.start !== modelText && mayBeShortened(bytes, span),
  )
  return { bytes, fields, long }
}

function checkFields(fields: JsonFields): void {
  if (fields.tooDeep) throw tooDeep()
  if (fields.tooMany) throw tooManyValues()
  countFields(fields)
  checkNames(fields.spans.keys())
}

function* fieldsOf(
  bytes: Buffer,
  stepBytes: number,
  endOf?: (open: number) => number,
): Generator<void, JsonFields> {
  const scan = new FieldScan(bytes, scanLimits, endOf)
  for (let until = stepBytes; scan.advance(Math.min(until, bytes.length)); until += stepBytes) yield
  return scan.found()
}

/** Parses a scanned body, piece by piece. */
function* parseSteps({ bytes, fields, long }: ScannedBody): Generator<void, ParsedBody> {
  yield
  const outline = long && readOutline(bytes, long, () => parseJson(bytes))
  const parsed = outline ?? unshortened(parseJson(bytes))
  yield
  const checked = checkMembers(bytes, fields, parsed)
  yield
  return checked
}

/** Throws the 400 of a name that is twice in one object. */
function checkMembers(bytes: Buffer, fields: JsonFields, parsed: Outline<unknown>): ParsedBody {
  if (fields.duplicate !== undefined) throw sentTwice(fields.duplicate, 'invalid_json')
  if (fields.members !== countMembers(parsed.outline))
    throw twiceWithin(bytes, fields, parsed.outline)
  const { outline, value, texts } = parsed
  return { bytes, contentType: 'application/json', fields, outline, value, texts }
}

/** Validates a body by its schema, or its outline where no shortened text is read. */
export function checkBody(parsed: ParsedBody, operation: Operation): RequestBody {
  const { texts, outline } = parsed
  const fault = operation.check(outline)
  if (texts === noTexts) {
    if (fault) throw new GatewayError(fault.code, fault.message, { param: fault.param })
    return checkedBody(parsed, operation, operation.read(outline as JsonObject))
  }
  if (fault) return checkBody(wholly(parsed), operation)
  const { value } = parsed as Checked
  const facts = operation.read(outline as JsonObject)
  const { model, continues, amend, extras, betas } = facts
  if (texts.isIn([model, continues, amend, extras, betas]))
    return checkBody(wholly(parsed), operation)
  return checkedBody(parsed, operation, {
    ...facts,
    text: () => operation.read(value()).text(),
    uncounted: () => operation.read(value()).uncounted(),
    media: () => facts.media(texts),
  })
}

type Checked = Outline<JsonObject>

const wholly = (parsed: ParsedBody): ParsedBody => ({ ...parsed, ...unshortened(parsed.value()) })

function checkedBody(parsed: ParsedBody, operation: Operation, facts: RequestFacts): RequestBody {
  const { bytes, contentType, fields, texts } = parsed
  const { outline, value } = parsed as Checked
  checkCounts(facts)
  return {
    bytes,
    contentType,
    fields,
    value,
    facts: {
      ...bodyFacts(facts),
      ...(bytes.byteLength > mostCountedBytes && { uncounted: () => Number.POSITIVE_INFINITY }),
    },
    conversation: ({ hint, model }) =>
      conversationOf(operation.protocol, outline, hint, { model, whole: texts.whole }),
    rename(upstreamModel) {
      const changes = operation.rename(outline, upstreamModel)
      return texts.isIn(changes) ? operation.rename(value(), upstreamModel) : changes
    },
  }
}

export const bodyFacts = (facts: RequestFacts): BodyFacts => ({
  ...facts,
  text: () => sampleOf(facts.text()),
})

/** A body of more bytes has more characters than are counted. */
const mostCountedBytes = 8 * countedLength

/** Items that each need some work; real clients send far fewer. */
const mostAsks = 1_024
const mostContinued = 10_000

function checkCounts({ extras, continues }: RequestFacts): void {
  const asks = extras && Object.values(extras).reduce((sum, list) => sum + list.length, 0)
  if (asks !== undefined && asks > mostAsks) {
    throw tooManyOf(asks, 'tools of the vendor, models and the like', mostAsks)
  }
  if (continues.length > mostContinued) {
    throw tooManyOf(continues.length, 'earlier answers', mostContinued)
  }
}

const tooManyOf = (count: number, what: string, most: number) =>
  new GatewayError(
    'invalid_value',
    `The body names ${count.toLocaleString('en')} ${what}; ${most.toLocaleString('en')} are the limit here.`,
  )

function parseJson(bytes: Buffer): unknown {
  if (bytes.byteLength === 0) {
    throw new GatewayError('invalid_json', 'The body is empty. Send a JSON object.')
  }
  const text = decodeUtf8(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace('JSON Parse error: ', '') : ''
    throw new GatewayError('invalid_json', `The body is not valid JSON: ${detail}.`)
  }
  // Few bodies escape characters, and searching bytes is much faster than a pattern.
  const lone = bytes.includes(escapeBegin) ? loneSurrogate(text) : undefined
  if (lone !== undefined) {
    throw new GatewayError(
      'invalid_json',
      `The body holds ${lone}, half of a character (a lone surrogate). Send the whole character.`,
    )
  }
  return value
}

/** Throws the 400 of an object with too many fields. */
export function countFields({ spans }: Pick<JsonFields, 'spans'>): void {
  if (spans.size <= mostFields) return
  const limit = mostFields.toLocaleString('en')
  throw new GatewayError('invalid_json', `The body has more than ${limit} fields, the limit here.`)
}

function tooManyValues(): GatewayError {
  return new GatewayError(
    'invalid_json',
    `The body holds more than ${maxValues.toLocaleString('en')} values, the limit here.`,
  )
}

/** The members of a parsed value: fewer than written where two have one name. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item)
    return count
  }
  for (const name in value) {
    const member = (value as JsonObject)[name]
    count += typeof member === 'object' ? 1 + countMembers(member) : 1
  }
  return count
}

/** The 400 of a name that occurs twice in one object, within the reported field. */
function twiceWithin(bytes: Buffer, { spans }: JsonFields, value: unknown): GatewayError {
  const body = isJsonObject(value) ? value : {}
  for (const [name, { start, end }] of spans) {
    const { members } = findFields(bytes.subarray(start, end), scanLimits)
    if (members === countMembers(body[name])) continue
    const param = shortName(name)
    const message = `Within the field "${param}" an object has one name twice. Send each field once.`
    return new GatewayError('invalid_json', message, { param })
  }
  return new GatewayError('invalid_json', 'An object has one name twice. Send each field once.')
}

const decoder = new TextDecoder('utf-8', { fatal: true })
const escapeBegin = Buffer.from('\\u')

function decodeUtf8(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new GatewayError('invalid_json', 'The body is not valid UTF-8.')
  }
}

function tooDeep(): GatewayError {
  return new GatewayError(
    'invalid_json',
    `The body is nested more than ${maxDepth} levels deep, the limit here.`,
  )
}

/** The first `\uD8xx`–`\uDFxx` escape without its other half, as written; or undefined. */
function loneSurrogate(text: string): string | undefined {
  const surrogate = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g
  let pairEnd = -1
  for (let match = surrogate.exec(text); match !== null; match = surrogate.exec(text)) {
    if (isEscaped(text, match.index)) continue
    const isLow = /[c-fC-F]/.test(match[0].charAt(3))
    if (isLow) {
      if (pairEnd !== match.index) return match[0]
      pairEnd = -1
      continue
    }
    pairEnd = match.index + match[0].length
    const next = text.slice(pairEnd, pairEnd + 6)
    if (!/^\\u[dD][c-fC-F][0-9a-fA-F]{2}$/.test(next)) return match[0]
  }
  return undefined
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text[index - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** Large bodies are read one at a time, fairly by owner. */
const inTurn = createFairMutex()

/** Scans a large body, from a POST or a WebSocket. */
export const scanLarge = (owner: string, bytes: Buffer): Promise<ScannedBody> =>
  inTurn(owner, () => inSlices(scanInPieces(bytes)))

export async function parseLarge(owner: string, bytes: Buffer): Promise<ParsedBody> {
  const scanned = await scanLarge(owner, bytes)
  return parseScanned(owner, scanned)
}

export const parseScanned = (owner: string, scanned: ScannedBody): Promise<ParsedBody> =>
  inTurn(owner, () => inSlices(parseSteps(scanned)))
