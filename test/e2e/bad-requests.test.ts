import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectPageNotFound } from './contract/expected.ts'
import { openRaw, rawCall } from './raw-client.ts'
import { keyHeader, type SmallGateway, startSmallGateway } from './small-gateway.ts'

let gateway: SmallGateway
beforeAll(async () => {
  gateway = await startSmallGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('a name of a model', () => {
  const names = [
    ['of 300,000 letters', 'm'.repeat(300_000)],
    ['with a NUL', 'test\u0000model'],
    ['with line breaks', 'test-model\r\nx-injected: 1'],
    ['of an object of the language', '__proto__'],
    ['of another one', 'constructor'],
    ['with a path', '../../etc/passwd'],
    ['with quotes', `'; DROP TABLE request; --`],
    ['of signs beyond the BMP', '😀'.repeat(100)],
  ] as const
  test.each(names)('%s is not found', async (_case, model) => {
    const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: '' }] })
    const call = { method: 'POST', path: '/v1/messages', headers: [keyHeader], body }
    const answer = await rawCall(gateway.tollgate.port, call)
    expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([
      404,
      'model_not_found',
    ])
    expect(answer.headers.get('x-injected')).toBeNull()
    expect(answer.body.length).toBeLessThan(1000)
  })
})

describe('heads of requests', () => {
  const heads: Readonly<Record<string, readonly [string, number]>> = {
    'a header of 64 KB': [
      `GET /v1/models HTTP/1.1\r\nHost: gw\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`,
      431,
    ],
    'a key of 64 KB': [
      `GET /v1/models HTTP/1.1\r\nHost: gw\r\nx-api-key: ${'k'.repeat(65_536)}\r\n\r\n`,
      431,
    ],
    'an address of 64 KB': [`GET /${'p'.repeat(65_536)} HTTP/1.1\r\nHost: gw\r\n\r\n`, 431],
    'an address of 10 KB': [`GET /${'p'.repeat(10_000)} HTTP/1.1\r\nHost: gw\r\n\r\n`, 404],
    'a key of 10 KB': [
      `GET /v1/models HTTP/1.1\r\nHost: gw\r\nx-api-key: ${'k'.repeat(10_000)}\r\n\r\n`,
      401,
    ],
    '100 headers': [`GET /v1/models HTTP/1.1\r\nHost: gw\r\n${'a: b\r\n'.repeat(100)}\r\n`, 401],
    'a length that is no number': [
      'POST /v1/messages HTTP/1.1\r\nHost: gw\r\nContent-Length: many\r\n\r\n',
      400,
    ],
    'a negative length': [
      'POST /v1/messages HTTP/1.1\r\nHost: gw\r\nContent-Length: -1\r\n\r\n',
      400,
    ],
    'two lengths': [
      'POST /v1/messages HTTP/1.1\r\nHost: gw\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      400,
    ],
    'a length beside chunks': [
      'POST /v1/messages HTTP/1.1\r\nHost: gw\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    'no HTTP': ['hello\r\n\r\n', 400],
    TLS: ['\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n', 400],
  }
  test.each(Object.entries(heads))('%s', async (_case, [head, status]) => {
    using connection = await openRaw(gateway.tollgate.port)
    connection.socket.write(head)
    const got = await connection.answer().then(
      (answer) => answer.status,
      () => 400, // closed without a word: what is no HTTP deserves none
    )
    expect(got).toBe(status)
  })

  const paths: Readonly<Record<string, number>> = {
    '/v1/models/%00': 404,
    '/v1/models/%E0%A4%A': 404,
    '/v1/models/%FF%FE': 404,
    '/v1/models/%2e%2e%2fmodels': 404,
    '/v1/models/a/b/c/d/e/f': 404,
    '/v1beta/models/%00:generateContent': 404,
    '/v1/responses/..%2f..%2fmodels': 404,
    '/v1/responses/%00': 404,
    '/v1/models?%FF=%00&=&&&': 200,
    '/v1/models?limit=1000&limit=x': 200,
  }
  test.each(Object.entries(paths))('GET %s gives %d', async (path, status) => {
    const answer = await rawCall(gateway.tollgate.port, { path, headers: [keyHeader] })
    expect(answer.status).toBe(status)
  })

  test('a dotted path goes nowhere but where it points', async () => {
    const host = `127.0.0.1:${gateway.tollgate.port}`
    for (const path of [
      '/v1/%2e%2e/chat/completions',
      '/v1/../etc/passwd',
      '/..%2f..%2fetc/passwd',
    ])
      expectPageNotFound(
        await rawCall(gateway.tollgate.port, { path, host, headers: [keyHeader] }),
        'GET',
      )
  })
})

describe('forms of image edits', () => {
  const path = '/v1/images/edits'
  const send = (type: string, body: string | Uint8Array) =>
    rawCall(gateway.tollgate.port, {
      method: 'POST',
      path,
      headers: [keyHeader, ['content-type', type]],
      body,
    })
  const part = (name: string, value: string, file = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  const good = `${part('model', 'test-model')}${part('prompt', 'a hat')}${part('image', '\u0000PNG', '; filename="a.png"')}--b--\r\n`
  const type = 'multipart/form-data; boundary=b'

  test('a whole one is written anew: each part as it was read', async () => {
    expect((await send(type, good)).status).toBe(200)
    const { headers, body } = gateway.upstream.last()
    const boundary = headers.get('content-type') ?? ''
    expect(boundary).toStartWith('multipart/form-data; boundary=')
    const form = await new Response(body, { headers: { 'content-type': boundary } }).formData()
    const image = form.get('image')
    expect([form.getAll('model'), form.getAll('prompt')]).toEqual([['test-model'], ['a hat']])
    expect(image instanceof File && [image.name, await image.text()]).toEqual([
      'a.png',
      '\u0000PNG',
    ])
  })

  const forms: Readonly<Record<string, readonly [string, string, string, string | null]>> = {
    'no boundary': ['multipart/form-data', good, 'invalid_value', null],
    'another boundary': ['multipart/form-data; boundary=c', good, 'invalid_value', null],
    'cut in the middle': [type, good.slice(0, 60), 'invalid_value', null],
    'no form at all': [type, 'hello', 'invalid_value', null],
    empty: [type, '', 'invalid_value', null],
    'without a model': [type, `${part('prompt', 'a hat')}--b--\r\n`, 'missing_parameter', 'model'],
    'without a prompt': [
      type,
      `${part('model', 'test-model')}--b--\r\n`,
      'missing_parameter',
      'prompt',
    ],
    'a file for a prompt': [
      type,
      good.replace('name="prompt"', 'name="prompt"; filename="p.txt"'),
      'invalid_value',
      'prompt',
    ],
    'n that is no number': [
      type,
      good.replace('--b--', `${part('n', 'many')}--b--`),
      'invalid_value',
      'n',
    ],
    'n in hexadecimal': [
      type,
      good.replace('--b--', `${part('n', '0x2')}--b--`),
      'invalid_value',
      'n',
    ],
    'a stream of yes': [
      type,
      good.replace('--b--', `${part('stream', 'yes')}--b--`),
      'invalid_value',
      'stream',
    ],
    'a file for a model': [
      type,
      good.replace('name="model"', 'name="model"; filename="m"'),
      'invalid_value',
      'model',
    ],
    'n of 0': [type, good.replace('--b--', `${part('n', '0')}--b--`), 'invalid_value', 'n'],
    'two models': [
      type,
      good.replace('--b--', `${part('model', 'other-model')}--b--`),
      'invalid_value',
      'model',
    ],
  }
  test.each(Object.entries(forms))('%s', async (_case, [contentType, body, code, param]) => {
    const answer = await send(contentType, body)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code, param } })
  })
})

test('after all of it the same process answers, and its log has no fault of its own', async () => {
  const body = JSON.stringify({ model: 'test-model', messages: [{ role: 'user', content: 'hi' }] })
  const call = { method: 'POST', path: '/v1/chat/completions', headers: [keyHeader], body }
  expect((await rawCall(gateway.tollgate.port, call)).status).toBe(200)
  expect(gateway.complaints()).toEqual([])
})
