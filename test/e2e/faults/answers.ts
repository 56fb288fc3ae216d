import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { FaultRequest } from '../../support/fault/requests.ts'
import {
  type Bytes,
  chunk,
  cutAt,
  end,
  httpBytes,
  httpHead,
  lastChunk,
  repeat,
  type Steps,
  toBytes,
  wait,
  write,
} from '../../support/fault/steps.ts'
import { dialectOf, usualTokens, wellStreamed, wellWhole, words } from '../../support/fault/well.ts'
import type { Dialect } from '../dialects.ts'
import { always, both, broken, type Fault, fails, reformed, spent, well } from './fault.ts'
import { untilAllHeard, untilHeard, wellBody, wellBut, wellType } from './pieces.ts'

const lost = fails('connection_lost')
const invalid = fails('upstream_invalid')

/** Where the first words of a stream are there, and the middle of a whole answer. */
function middleOf(request: FaultRequest): number {
  const body = wellBody(request)
  return request.isStreamed ? body.indexOf(words[1]) - 3 : body.length >> 1
}
const firstHalf = (request: FaultRequest) => wellBody(request).slice(0, middleOf(request))

/** The beginning of a stream. */
const someEvents = (dialect: Dialect) => dialect.first(usualTokens) + dialect.piece(words[0])

/** Chunked, with something in the middle that is no chunk. */
const chunkedBut = (request: FaultRequest, ...then: Steps): Steps => [
  write(httpHead({ type: wellType(request), framing: 'chunked' })),
  write(chunk(firstHalf(request))),
  request.isStreamed ? untilHeard(request) : wait(50),
  ...then,
]

const encoded =
  (encoding: string, encode: (body: string) => Uint8Array) =>
  (request: FaultRequest): Steps =>
    wellBut(request, {
      headers: [['content-encoding', encoding]],
      body: encode(wellBody(request)),
    })

const redirect = (status: number, location: (request: FaultRequest) => string) => ({
  script: (request: FaultRequest) => [
    write(httpBytes({ status, type: null, headers: [['location', location(request)]] })),
  ],
  ...both(invalid),
})

const plain = (body: string, type: string | null = 'application/json', status = 200) =>
  always(invalid, write(httpBytes({ status, type, body })))
const bodiless = (status: number) =>
  always(invalid, write(httpBytes({ status, type: null, framing: 'none' })))

/** A status that is none of HTTP's, with words that would be passed on, or told, with another one. */
const noStatus = (text: string, code: string) => {
  const body = JSON.stringify({ error: { message: 'The model does not exist.', code } })
  const bytes = toBytes(httpBytes({ status: 599, body }))
  return always(invalid, write(Buffer.from(bytes).toString('latin1').replace('599', text)))
}

/** An answer for somebody else, which no client may ever get. */
const poison = httpBytes({ body: JSON.stringify({ error: { message: 'for somebody else' } }) })

/** What nobody has asked for, right behind an answer. */
const withMore = (request: FaultRequest, more: Bytes): Steps => [
  write(Buffer.concat([answerBytes(request), toBytes(more)])),
]

/** Answers whose form is wrong, or odd. */
export const answerFaults: Readonly<Record<string, Fault>> = {
  'length-too-long': {
    script: (request) => [
      ...wellBut(request, { length: Buffer.byteLength(wellBody(request)) + 100 }),
      untilAllHeard(request),
      end,
    ],
    lastWords: words[2],
    // A stream that has said its last words lacks nothing.
    ...{ whole: lost, streamed: well },
  },
  'length-too-short': {
    script: (request) => [...wellBut(request, { length: middleOf(request) }), wait(50), end],
    ...{ whole: invalid, streamed: broken },
  },
  'length-twice': {
    script: (request) => [...wellBut(request, { headers: [['content-length', '7']] }), end],
    ...both(lost),
  },
  'length-no-number': {
    script: (request) => [
      ...wellBut(request, { framing: 'none', headers: [['content-length', '-1']] }),
      end,
    ],
    ...both(lost),
  },
  'chunk-no-number': {
    script: (request) => chunkedBut(request, write('not a chunk size\r\n'), end),
    ...{ whole: lost, streamed: broken },
  },
  'chunk-too-long': {
    script: (request) => chunkedBut(request, write('fff\r\nabc'), wait(50), end),
    ...{ whole: lost, streamed: broken },
  },
  'chunks-without-end': {
    script: (request) =>
      cutAt(answerBytes(request), -lastChunk.length, untilAllHeard(request), end),
    lastWords: words[2],
    ...{ whole: lost, streamed: well },
  },
  'garbage-behind-the-end': {
    script: (request) => withMore(request, '\r\n\u0000 and some more\r\n'),
    ...both(well),
  },
  'another-answer-behind-the-end': {
    script: (request) => withMore(request, poison),
    ...both(well),
  },
  gzip: { script: encoded('gzip', gzipSync), ...both(well) },
  deflate: { script: encoded('deflate', deflateSync), ...both(well) },
  brotli: { script: encoded('br', brotliCompressSync), ...both(well) },
  zstd: { script: encoded('zstd', zstdCompressSync), ...both(well) },
  'gzip-that-is-none': { script: encoded('gzip', (body) => toBytes(body)), ...both(invalid) },
  'gzip-broken': {
    script: encoded('gzip', (body) => {
      const bytes = gzipSync(body)
      return Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(bytes.length, 0xff)])
    }),
    ...both(invalid),
  },
  'unknown-encoding': { script: encoded('x-own', (body) => toBytes(body)), ...both(well) },
  'redirect-to-itself': redirect(302, ({ path }) => path),
  'redirect-elsewhere': redirect(307, () => 'http://127.0.0.1:9/elsewhere'),
  'redirect-to-a-file': redirect(301, () => 'file:///etc/passwd'),
  'redirect-nowhere': always(invalid, write(httpBytes({ status: 302, type: null }))),
  'header-of-a-megabyte': {
    script: (request) => wellBut(request, { headers: [['x-long', 'x'.repeat(1_048_576)]] }),
    ...both(well),
  },
  'megabyte-of-headers': {
    script: (request) =>
      wellBut(request, {
        headers: Array.from({ length: 20_000 }, (_, at) => [`x-${at}`, 'x'.repeat(45)] as const),
      }),
    ...both(lost),
  },
  'head-without-end': always(
    lost,
    write('HTTP/1.1 200 OK\r\n'),
    repeat(`x-more: ${'x'.repeat(1_000)}\r\n`, 100_000),
  ),
  'failure-of-a-gigabyte': always(
    fails('upstream_failed'),
    write(httpHead({ status: 500, framing: 'chunked' })),
    write(chunk('{"error":"')),
    repeat(chunk(' '.repeat(65_536)), 16_384),
  ),
  empty: always(invalid, write(httpBytes({ body: '' }))),
  'empty-until-the-end': always(invalid, write(httpHead({ framing: 'close' })), end),
  'no-content': bodiless(204),
  'not-modified': bodiless(304),
  'reset-content': always(invalid, write(httpBytes({ status: 205, type: null }))),
  'status-of-999': noStatus('999', 'model_not_found'),
  'status-of-99': noStatus('099', 'invalid_value'),
  'status-of-0': noStatus('000', 'insufficient_quota'),
  html: plain('<!DOCTYPE html>\n<html><body>Welcome</body></html>\n', 'text/html'),
  'html-as-json': plain('<!DOCTYPE html>\n<html><body>Welcome</body></html>\n'),
  'text-ok': plain('OK', 'text/plain'),
  'json-null': plain('null'),
  'json-text': plain('"hello"'),
  'json-list': { ...plain('[1,2]'), streamed: null },
  'json-cut': plain('{"id":"x","choi'),
  'another-form': {
    // A stream where none was asked for, and the other way round.
    script: (request) => [
      write(request.isStreamed ? wellWhole(dialectOf(request)) : wellStreamed(dialectOf(request))),
    ],
    ...both(reformed),
  },
  'another-form-cut': {
    script: (request) => [
      write(httpBytes({ type: 'text/event-stream', body: someEvents(dialectOf(request)) })),
    ],
    ...{ whole: spent, streamed: null },
  },
}

const answerBytes = (request: FaultRequest): Uint8Array =>
  httpBytes({ type: wellType(request), body: wellBody(request), framing: 'chunked' })
