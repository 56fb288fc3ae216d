import { type RawScript, rawScripts } from '../support/raw-upstream.ts'
import { httpAnswer, untilClose } from './broken-upstream.ts'
import type { Expected } from './contract/expected.ts'
import { bodies } from './vendor-answers.ts'

const json = JSON.stringify
export const failed: Expected = { status: 502, reason: 'upstream_error', code: 'upstream_error' }
export const unreadable: Expected = {
  status: 502,
  reason: 'upstream_invalid',
  code: 'upstream_invalid',
}
const late: Expected = { status: 504, reason: 'upstream_timeout', code: 'upstream_timeout' }
const busy: Expected = {
  status: 429,
  reason: 'channels_busy',
  code: 'channels_busy',
  says: /All channels .* rate limited/,
}
const problem = json({ error: { message: 'the vendor failed', type: 'x', code: 'x' } })
const page = '<!DOCTYPE html>\n<html><body>Bad gateway</body></html>\n'
const inAMinute = () => new Date(Date.now() + 60_000).toUTCString()
const retryAfter = (value: string) => [`retry-after: ${value}`]

interface Broken {
  readonly script: RawScript
  readonly expected: Expected
  /** For a streamed request, where that makes a difference; null: another test looks at it. */
  readonly streamed?: Expected | null
  readonly retryAfter?: RegExp
}

/** Every way to fail before a byte of the answer is passed on. */
export const failures: Readonly<Record<string, Broken>> = {
  garbage: { script: rawScripts.garbage(), expected: failed },
  closes: { script: rawScripts.closeAtOnce(), expected: failed },
  resets: { script: rawScripts.reset(), expected: failed },
  'half-a-head': { script: rawScripts.halfHead(), expected: late },
  silent: { script: () => {}, expected: late },
  'head-then-silence': { script: rawScripts.neverEnds(), expected: late },
  'half-of-the-json': {
    script: rawScripts.shortBody('{"id":"chatcmpl-1","choices":[{"mess'),
    expected: failed,
    streamed: null,
  },
  'length-too-long': {
    script: rawScripts.shortBody(json(bodies.chat)),
    expected: failed,
    streamed: null,
  },
  'json-cut-by-its-end': { script: untilClose('{"id":"chatcmpl-1","cho'), expected: unreadable },
  'never-ending': { script: rawScripts.flood(' '.repeat(1000)), expected: late, streamed: null },
  html: { script: httpAnswer('200 OK', page, 'text/html'), expected: unreadable },
  'html-as-json': { script: httpAnswer('200 OK', page), expected: unreadable },
  empty: { script: httpAnswer('200 OK', ''), expected: unreadable },
  array: { script: httpAnswer('200 OK', '[1,2]'), expected: unreadable, streamed: null },
  string: { script: httpAnswer('200 OK', '"hello"'), expected: unreadable },
  null: { script: httpAnswer('200 OK', 'null'), expected: unreadable },
  'no-content': {
    script: (socket) => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    },
    expected: unreadable,
  },
  'not-modified': {
    script: (socket) => {
      socket.write('HTTP/1.1 304 Not Modified\r\n\r\n')
    },
    expected: unreadable,
  },
  'status-401': { script: httpAnswer('401 Unauthorized', problem), expected: failed },
  'status-402': { script: httpAnswer('402 Payment Required', problem), expected: failed },
  'status-403': { script: httpAnswer('403 Forbidden', problem), expected: failed },
  'status-403-html': { script: httpAnswer('403 Forbidden', page, 'text/html'), expected: failed },
  'status-404-html': {
    script: httpAnswer('404 Not Found', page, 'text/html'),
    expected: unreadable,
  },
  'status-404-empty': { script: httpAnswer('404 Not Found', '', null), expected: unreadable },
  'status-400-text': {
    script: httpAnswer('400 Bad Request', 'no', 'text/plain'),
    expected: unreadable,
  },
  'status-408': { script: httpAnswer('408 Request Timeout', problem), expected: late },
  'status-429': {
    script: httpAnswer('429 Too Many Requests', problem),
    expected: busy,
    retryAfter: /^[1-9]\d*$/,
  },
  'status-429-seconds': {
    script: httpAnswer('429 Too Many Requests', problem, 'application/json', retryAfter('7')),
    expected: busy,
    retryAfter: /^7$/,
  },
  'status-429-date': {
    script: (...asked) => {
      const headers = retryAfter(inAMinute())
      return httpAnswer('429 Too Many Requests', problem, 'application/json', headers)(...asked)
    },
    expected: busy,
    retryAfter: /^[3-6]\d$/,
  },
  'status-429-nonsense': {
    script: httpAnswer('429 Too Many Requests', page, 'text/html', retryAfter('soon')),
    expected: busy,
    retryAfter: /^[1-9]\d*$/,
  },
  'status-500': { script: httpAnswer('500 Internal Server Error', problem), expected: failed },
  'status-500-empty': {
    script: httpAnswer('500 Internal Server Error', '', null),
    expected: failed,
  },
  'status-502-html': { script: httpAnswer('502 Bad Gateway', page, 'text/html'), expected: failed },
  'status-503': {
    script: httpAnswer('503 Service Unavailable', problem, 'application/json', retryAfter('9')),
    expected: failed,
  },
  'status-529': { script: httpAnswer('529 Overloaded', problem), expected: failed },
}

/** The client's own faults: CONTRACT 2.5. */
export const refusals: Readonly<Record<string, string>> = {
  'refused-400': '400 Bad Request',
  'refused-404': '404 Not Found',
  'refused-409': '409 Conflict',
  'refused-413': '413 Payload Too Large',
  'refused-415': '415 Unsupported Media Type',
  'refused-422': '422 Unprocessable Content',
}
/** Spaced as no serialiser of ours would. */
export const refusal =
  '{ "error" : {"message":"max_tokens is 1e2, ü",\n"code":9007199254740993} }\n'

/** Good answers with a header that lies. */
export const wronglyDeclared: Record<string, RawScript> = {
  'json-as-html': httpAnswer('200 OK', json(bodies.chat), 'text/html; charset=utf-8'),
  'json-as-sse': httpAnswer('200 OK', json(bodies.chat), 'text/event-stream'),
  'json-as-nothing': httpAnswer('200 OK', json(bodies.chat), null),
  'json-as-problem': httpAnswer('200 OK', json(bodies.chat), 'application/vendor+json'),
}
