import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runBinary } from '../support/binary.ts'
import { startOwnTime } from '../support/own-time.ts'
import { type Endpoint, endpoints } from './contract/endpoints.ts'
import { type Expected, expectError } from './contract/expected.ts'
import { openRaw, type RawAnswer, type RawCall, rawCall, requestHead } from './raw-client.ts'
import { keyHeader, maxBody, type SmallGateway, startSmallGateway } from './small-gateway.ts'

let gateway: SmallGateway
beforeAll(async () => {
  gateway = await startSmallGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** One endpoint of each shape and way to read a body. */
const readers = Object.entries(endpoints).filter(([, { asksModel }]) => asksModel)

function post(endpoint: Endpoint, call: Omit<RawCall, 'path'>): Promise<RawAnswer> {
  const headers = [keyHeader, ...(call.headers ?? [])]
  const path = endpoint.path('test-model')
  return rawCall(gateway.tollgate.port, { method: 'POST', path, ...call, headers })
}

const invalid = (says: RegExp, param?: string): Expected => ({
  status: 400,
  reason: 'invalid_json',
  code: 'invalid_json',
  says,
  ...(param !== undefined && { param }),
})
const notAnObject = (says: RegExp): Expected => ({
  status: 400,
  reason: 'invalid_value',
  code: 'invalid_value',
  says,
  param: '',
})

const deep = 100_000
const bytes = (...values: readonly number[]) => new Uint8Array(values)

/** A body that can't be taken, whatever the endpoint. */
const broken: Readonly<Record<string, readonly [string | Uint8Array, Expected]>> = {
  empty: ['', invalid(/empty/)],
  'white space': [' \n', invalid(/not valid JSON/)],
  'no JSON': ['model=test-model', invalid(/not valid JSON/)],
  'half of an object': ['{"model":"test-model","messages":[', invalid(/not valid JSON/)],
  'half of a string': ['{"model":"test', invalid(/not valid JSON/)],
  'half of an escape': ['{"model\\', invalid(/not valid JSON/)],
  'half of an escape in a value': ['{"model":"\\u12', invalid(/not valid JSON/)],
  'a wrong escape in a name': ['{"mo\\del":"test-model"}', invalid(/not valid JSON/)],
  'a wrong escape in a value': ['{"model":"\\x"}', invalid(/not valid JSON/)],
  'a comma too many': ['{"model":"test-model",}', invalid(/not valid JSON/)],
  'text after the object': ['{"model":"test-model"} x', invalid(/not valid JSON/)],
  'two objects': ['{"model":"test-model"}{}', invalid(/not valid JSON/)],
  'single quotes': ["{'model':'test-model'}", invalid(/not valid JSON/)],
  'a comment': ['{/* hello */}', invalid(/not valid JSON/)],
  NaN: ['{"temperature":NaN}', invalid(/not valid JSON/)],
  'a NUL byte': ['{"model":"\u0000"}', invalid(/not valid JSON/)],
  'NUL bytes only': ['\u0000\u0000\u0000', invalid(/not valid JSON/)],
  'a lone high surrogate': ['{"model":"\\ud83d"}', invalid(/\\ud83d.*lone surrogate/)],
  'a lone low surrogate': ['{"model":"test-model","x":["\\uDE00!"]}', invalid(/\\uDE00.*lone/)],
  'a high surrogate before an escape': ['{"x":"\\ud83d\\n"}', invalid(/\\ud83d.*lone/)],
  'surrogates in the wrong order': ['{"x":"\\ude00\\ud83d"}', invalid(/\\ude00.*lone/)],
  'invalid UTF-8': [bytes(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d), invalid(/UTF-8/)],
  'a surrogate in UTF-8': [
    bytes(0x7b, 0x22, 0xed, 0xa0, 0xbd, 0x22, 0x3a, 0x31, 0x7d),
    invalid(/UTF-8/),
  ],
  'UTF-16': [new Uint8Array(Buffer.from('{"model":1}', 'utf16le')), invalid(/not valid JSON/)],
  gzip: [Bun.gzipSync('{"model":"test-model"}'), invalid(/UTF-8/)],
  'deep arrays': ['['.repeat(deep) + ']'.repeat(deep), invalid(/nested more than 256 levels/)],
  'deep arrays, open': ['['.repeat(deep), invalid(/nested more than 256 levels/)],
  'deep objects': [
    `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`.slice(0, maxBody),
    invalid(/nested more than 256 levels/),
  ],
  'deep tools': [
    `{"model":"test-model","tools":${'['.repeat(deep)}${']'.repeat(deep)}}`,
    invalid(/nested more than 256 levels/),
  ],
  'an array': ['[]', notAnObject(/must be a JSON object, not an empty array/)],
  'an array of requests': ['[{"model":"test-model"}]', notAnObject(/not an array/)],
  'a string': ['"model"', notAnObject(/not the string "model"/)],
  'a number': ['42', notAnObject(/not 42/)],
  true: ['true', notAnObject(/not true/)],
  null: ['null', notAnObject(/not null/)],
}

describe.each(readers)('%s', (_name, endpoint) => {
  const { shape, keyShape, body } = endpoint
  const good = JSON.stringify(body?.('test-model'))

  test.each(Object.entries(broken))('body: %s', async (_case, [bad, expected]) => {
    using ownTime = startOwnTime()
    const answer = await post(endpoint, { body: bad })
    expect(ownTime.now()).toBeLessThan(1000)
    expectError(answer, shape, keyShape, expected)
  })

  test('a field that is there twice', async () => {
    const name = Object.keys(JSON.parse(good) as object)[0] ?? ''
    const twice = good.replace('{', `{"${name}":1,`)
    const escaped = good.replace(
      '{',
      `{"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":1,`,
    )
    for (const bad of [twice, escaped]) {
      const answer = await post(endpoint, { body: bad })
      expectError(answer, shape, keyShape, invalid(/is there twice/, name))
    }
  })

  const unsupported = (says: RegExp): Expected => ({
    ...{ status: 415, reason: 'unsupported_encoding', code: 'unsupported_encoding', says },
  })

  test('content-encoding', async () => {
    for (const encoding of ['compress', 'gzip, gzip', 'aes128gcm']) {
      const headers = [['content-encoding', encoding]] as const
      const answer = await post(endpoint, { body: Bun.gzipSync(good), headers })
      expectError(answer, shape, keyShape, unsupported(new RegExp(`"${encoding}".*uncompressed`)))
      expect(answer.headers.get('accept-encoding')).toBe('gzip, zstd, br, deflate')
    }
    for (const encoding of ['gzip', 'br', 'zstd', 'deflate']) {
      const headers = [['content-encoding', encoding]] as const
      const answer = await post(endpoint, { body: good, headers })
      expectError(answer, shape, keyShape, invalid(new RegExp(`not valid ${encoding} data`)))
    }
    const taken = [
      [good, 'identity'],
      [Bun.gzipSync(good), 'gzip'],
      [Bun.zstdCompressSync(good), 'zstd'],
    ] as const
    for (const [body, encoding] of taken) {
      const headers = [['content-encoding', encoding]] as const
      expect((await post(endpoint, { body, headers })).status).toBe(200)
      expect(gateway.upstream.last().headers.get('content-encoding')).toBeNull()
    }
  })

  test('charset', async () => {
    const bad = [['content-type', 'application/json; charset=utf-16']] as const
    const answer = await post(endpoint, { body: good, headers: bad })
    expectError(answer, shape, keyShape, unsupported(/"utf-16".*UTF-8/))
    for (const charset of ['UTF-8', '"utf-8"', 'us-ascii', 'ISO-8859-1']) {
      const headers = [['content-type', `application/json;charset=${charset}`]] as const
      expect((await post(endpoint, { body: good, headers })).status).toBe(200)
    }
  })

  const tooLarge: Expected = {
    status: 413,
    reason: 'body_too_large',
    code: 'body_too_large',
    says: /512KiB/,
  }

  test('2 GB announced, and one byte more than max_body, are refused unread', async () => {
    for (const length of [2 ** 31, maxBody + 1]) {
      using connection = await openRaw(gateway.tollgate.port)
      const headers = [keyHeader, ['content-length', String(length)]] as const
      const path = endpoint.path('test-model')
      connection.socket.write(requestHead({ method: 'POST', path, headers }))
      expectError(await connection.answer('POST'), shape, keyShape, tooLarge)
    }
  })

  test('a body without a length is counted while it comes', async () => {
    using connection = await openRaw(gateway.tollgate.port)
    const headers = [keyHeader, ['transfer-encoding', 'chunked']] as const
    const path = endpoint.path('test-model')
    connection.socket.write(requestHead({ method: 'POST', path, headers }))
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    for (let sent = 0; sent <= maxBody; sent += 0x10000) connection.socket.write(chunk)
    expectError(await connection.answer('POST'), shape, keyShape, tooLarge)
  })

  test('a body of exactly max_body is taken, with a length and without', async () => {
    const body = good.padEnd(maxBody, ' ')
    expect((await post(endpoint, { body })).status).toBe(200)
    using connection = await openRaw(gateway.tollgate.port)
    const headers = [keyHeader, ['transfer-encoding', 'chunked']] as const
    const path = endpoint.path('test-model')
    connection.socket.write(requestHead({ method: 'POST', path, headers }))
    connection.socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    expect((await connection.answer('POST')).status).toBe(200)
  })

  test('a client that leaves in the middle of its body', async () => {
    for (const length of [
      ['content-length', '1000'],
      ['transfer-encoding', 'chunked'],
    ] as const) {
      using connection = await openRaw(gateway.tollgate.port)
      const path = endpoint.path('test-model')
      connection.socket.write(requestHead({ method: 'POST', path, headers: [keyHeader, length] }))
      connection.socket.end('3e8\r\n{"model":"test-model"')
      await connection.closed
    }
    expect((await post(endpoint, { body: good })).status).toBe(200)
  })
})

test('who left before its body was whole is in the records, uncharged', async () => {
  const config = `${gateway.tollgate.cwd}/tollgate.yaml`
  const { stdout } = await runBinary(['export', 'requests', '--config', config])
  const rows = stdout.trim().split('\n')
  const left = rows
    .map((row) => JSON.parse(row) as object)
    .filter((row) => 'ending' in row && row.ending === 'client_left')
  expect(left.length).toBeGreaterThan(0)
  for (const row of left)
    expect(row).toMatchObject({ status: 499, cause: 'client_left', amount_nano: 0, attempts: 0 })
})

test('after all of it the same process answers, and its log has no fault of its own', async () => {
  for (const [, endpoint] of readers) {
    const answer = await post(endpoint, { body: JSON.stringify(endpoint.body?.('test-model')) })
    expect(answer.status).toBe(200)
  }
  expect(gateway.complaints()).toEqual([])
})
