import type { CanonicalError } from '../canonical/error.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { ClientStream, HeartbeatPlace, JsonObject, ProtocolError } from '../protocol.ts'

/** The body of an error answer: `code` is the HTTP status, `status` its word. */
export function encodeGeminiError(error: ProtocolError): string {
  const { status: code, message } = error
  return JSON.stringify({ error: { code, message, status: statusWord(code) } })
}

/**
 * An error inside a stream: one more event, or the array's last element. Some libraries ignore it and end as if
 * the answer were complete; they get a second one that raises: Python 1.10 and 1.45 data that is no JSON; Go 1.30
 * and 1.50, and JS 1.30, a bare error without `data:`; `@google/generative-ai` a blocked prompt.
 */
export function encodeGeminiStreamError(
  error: ProtocolError,
  { framing, library }: ClientStream,
  first: boolean,
): string {
  const body = encodeGeminiError(error)
  if (framing === 'json-array') return first ? `[${body}]` : `,\n${body}]`
  if (clientLibrary(library) === 'legacy-js') return event(withBlock(body, error.message))
  if (isGoOrJs(library)) return `${event(body)}${body}\r\n\r\n`
  return isPython(library) ? event(body) + event(words(error)) : event(body)
}

const event = (data: string) => `data: ${data}\r\n\r\n`

function withBlock(body: string, message: string): string {
  const promptFeedback = JSON.stringify({ blockReason: 'OTHER', blockReasonMessage: message })
  return `${body.slice(0, -1)},"promptFeedback":${promptFeedback}}`
}

const words = ({ status, message }: ProtocolError) =>
  `The answer ends with an error (${statusWord(status)}): ${message.replace(/\s+/g, ' ')}`

const statusWords = new Map([
  [401, 'UNAUTHENTICATED'],
  [402, 'RESOURCE_EXHAUSTED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

/** The word for an HTTP status. */
export function statusWord(status: number): string {
  return statusWords.get(status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
}

/** Decodes an error: `status` is the error code; of the details the first invalid field is kept. */
export function decodeError(body: JsonObject): CanonicalError {
  const error = objectIn(body, 'error')
  const text = stringIn(body, 'error') ?? stringIn(body, 'message')
  const status = countIn(error, 'code')
  return {
    message: stringIn(error, 'message') ?? text ?? 'The upstream gave no reason.',
    code: stringIn(error, 'status'),
    param: fieldAtFault(error),
    status: status !== undefined && status >= 400 && status <= 599 ? status : undefined,
  }
}

/** Source: Google's `google.rpc.BadRequest`, in `details`. */
function fieldAtFault(error: JsonObject | undefined): string | undefined {
  const details = arrayIn(error, 'details').filter(isJsonObject)
  const violations = details.flatMap((detail) => arrayIn(detail, 'fieldViolations'))
  for (const violation of violations) {
    const field = isJsonObject(violation) ? stringIn(violation, 'field') : undefined
    if (field !== undefined) return field
  }
  return undefined
}

/**
 * A chunk without content: Gemini's clients fail on comments. The chunk that keeps the next turn of a chat intact
 * differs. `sdk`: a thought of one space; Python and JS drop a turn with an empty text or no parts, Go one whose
 * part has no text. `legacy-js`: no candidates; `@google/generative-ai` drops a turn with an empty text, and would
 * show a thought. `other`: an empty text. Between elements of a streamed array a space suffices; before them only
 * the bracket does.
 */
export function geminiHeartbeat(
  { framing, library }: ClientStream,
  { isFirst, note }: HeartbeatPlace,
): string {
  if (framing === 'json-array') return isFirst ? '[' : '\n'
  const told = note === undefined ? '' : `,"gatewayNote":${JSON.stringify(note)}`
  return `data: {"candidates":[${candidates[clientLibrary(library)]}]${told}}\r\n\r\n`
}

const candidate = (part: string) => `{"content":{"parts":[${part}],"role":"model"},"index":0}`

const candidates: Readonly<Record<ClientLibrary, string>> = {
  sdk: candidate('{"text":" ","thought":true}'),
  'legacy-js': '',
  other: candidate('{"text":""}'),
}

/** Client libraries with their own stream parser: `sdk` is Google's, `legacy-js` `@google/generative-ai`. */
type ClientLibrary = 'sdk' | 'legacy-js' | 'other'

function clientLibrary(library: string): ClientLibrary {
  if (library.includes('google-genai-sdk/')) return 'sdk'
  return library.includes('genai-js/') ? 'legacy-js' : 'other'
}

const isPython = (library: string): boolean => library.includes('gl-python/')

const isGoOrJs = (library: string): boolean => /gl-(?:go|node|web)\//.test(library)
