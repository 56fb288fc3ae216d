/** One thing that an upstream does with a connection. */
export type Step =
  | { readonly do: 'write'; readonly bytes: Bytes }
  /** A few bytes at a time. */
  | { readonly do: 'drip'; readonly bytes: Bytes; readonly size: number; readonly everyMs: number }
  /** The same bytes again and again, as fast as they are taken. */
  | { readonly do: 'repeat'; readonly bytes: Bytes; readonly times: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** Until a test opens the gate of that name. */
  | { readonly do: 'gate'; readonly name: string }
  /** Nothing, until the far side leaves. */
  | { readonly do: 'stall' }
  /** A regular end of the connection: FIN. */
  | { readonly do: 'end' }
  /** RST. */
  | { readonly do: 'reset' }
  /** The connection is kept, and ends when the next request begins to come in by it. */
  | { readonly do: 'leave-when-reused'; readonly how: 'end' | 'reset' }

export type Bytes = string | Uint8Array

/** What is done to one request, one after the other; what is not ended stays open. */
export type Steps = readonly Step[]

export const write = (bytes: Bytes): Step => ({ do: 'write', bytes })
export const drip = (bytes: Bytes, size: number, everyMs: number): Step => ({
  ...{ do: 'drip', bytes },
  ...{ size, everyMs },
})
export const repeat = (bytes: Bytes, times: number): Step => ({ do: 'repeat', bytes, times })
export const wait = (ms: number): Step => ({ do: 'wait', ms })
export const gate = (name: string): Step => ({ do: 'gate', name })
export const stall: Step = { do: 'stall' }
export const end: Step = { do: 'end' }
export const reset: Step = { do: 'reset' }
export const leaveWhenReused = (how: 'end' | 'reset'): Step => ({ do: 'leave-when-reused', how })

/** The first `at` bytes (negative: all but so many), and then something else. */
export function cutAt(bytes: Bytes, at: number, ...then: Steps): Steps {
  return [write(toBytes(bytes).subarray(0, at)), ...then]
}

/** An HTTP answer, which may lie. */
export interface HttpAnswer {
  readonly version?: '1.0' | '1.1'
  /** 200 unless it says otherwise. */
  readonly status?: number
  /** JSON unless it says otherwise; null: the answer does not tell. */
  readonly type?: string | null
  /** As they are sent, in this order, doubles too. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: Bytes
  /** How the body's end is known; `close` needs an `end` behind it. */
  readonly framing?: 'length' | 'chunked' | 'close' | 'none'
  /** Announced in place of the true length. */
  readonly length?: number
}

/** The bytes of an answer. A chunked body is one chunk, and the last one. */
export function httpBytes(answer: HttpAnswer): Uint8Array {
  const { body = '', framing = 'length' } = answer
  const bytes = toBytes(body)
  const content = framing === 'chunked' ? [toBytes(chunk(bytes)), toBytes(lastChunk)] : [bytes]
  const head = httpHead({ ...answer, length: answer.length ?? bytes.length })
  return Buffer.concat([toBytes(head), ...content])
}

/** The head alone; without a length unless it is given one. */
export function httpHead(answer: Omit<HttpAnswer, 'body'>): string {
  const { version = '1.1', status = 200, type = 'application/json', framing = 'length' } = answer
  const lines = [`HTTP/${version} ${status} ${reasons[status] ?? 'Unknown'}`]
  if (type !== null) lines.push(`content-type: ${type}`)
  if (framing === 'chunked') lines.push('transfer-encoding: chunked')
  if (framing === 'length' && answer.length !== undefined) {
    lines.push(`content-length: ${answer.length}`)
  }
  for (const [name, value] of answer.headers ?? []) lines.push(`${name}: ${value}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Bytes as one chunk of a chunked body. */
export function chunk(bytes: Bytes): Uint8Array {
  const content = toBytes(bytes)
  return Buffer.concat([toBytes(`${content.length.toString(16)}\r\n`), content, toBytes('\r\n')])
}
/** The end of a chunked body. */
export const lastChunk = '0\r\n\r\n'

export const toBytes = (bytes: Bytes): Uint8Array =>
  typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes

/** RFC 9110, section 15; 529 is a vendor's own. */
const reasons: Readonly<Record<number, string>> = {
  ...{ 100: 'Continue', 103: 'Early Hints', 200: 'OK', 204: 'No Content' },
  ...{ 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified' },
  ...{ 307: 'Temporary Redirect', 308: 'Permanent Redirect' },
  ...{ 400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden' },
  ...{ 404: 'Not Found', 408: 'Request Timeout', 409: 'Conflict', 413: 'Content Too Large' },
  ...{ 422: 'Unprocessable Content', 429: 'Too Many Requests', 500: 'Internal Server Error' },
  ...{ 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout', 529: 'Overloaded' },
}
