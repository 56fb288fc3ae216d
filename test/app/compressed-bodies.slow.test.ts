import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { allDialects } from '../e2e/dialects.ts'
import { vendorAnswer } from '../e2e/vendor-answers.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

let upstream: FakeUpstream
let gateway: Running
beforeAll(async () => {
  upstream = startFakeUpstream(vendorAnswer)
  gateway = await startServing({ upstream: upstream.url, server: { max_body: '8MiB' } })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream.stop()
})

const send = (path: string, body: Uint8Array | FormData, headers: Record<string, string>) =>
  fetch(gateway.serving.url + path, {
    ...{ method: 'POST', proxy: false, body: body as Bun.BodyInit },
    headers: { authorization: `Bearer ${testKey}`, ...headers },
  })
const json = { 'content-type': 'application/json' }
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const bomb = gzipSync(Buffer.alloc(100_000_000, ' '))

describe.each(allDialects)('$name', (dialect) => {
  // Long enough to be read in pieces, and on another thread.
  test.each([10, 1_500_000])(
    'a question of %p characters arrives, however compressed',
    async (length) => {
      const text = Array.from({ length: length / 10 }, (_, at) => `${Math.sin(at)}`.slice(-10))
      const plain = JSON.stringify(dialect.request(false, text.join('')))
      for (const [encoding, bytes] of [
        ['gzip', gzipSync(plain)],
        ['zstd', zstdCompressSync(plain)],
        ['br', brotliCompressSync(plain, quickly)],
      ] as const) {
        upstream.clear()
        const headers = { ...json, 'content-encoding': encoding }
        const answer = await send(dialect.path(false), bytes, headers)
        await answer.text()
        expect(answer.status).toBe(200)
        const { headers: seen, body } = upstream.last()
        expect(String(Buffer.from(body))).toBe(plain)
        expect([seen.get('content-encoding'), seen.get('content-length')]).toEqual([
          null,
          String(plain.length),
        ])
      }
    },
  )

  test('a bomb is refused, though it fits into max_body as it comes', async () => {
    const answer = await send(dialect.path(false), bomb, { ...json, 'content-encoding': 'gzip' })
    expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([
      413,
      'body_too_large',
    ])
    await answer.text()
  })

  test('the key comes before the encoding', async () => {
    const headers = { ...json, authorization: 'Bearer sk-nobody', 'content-encoding': 'lzma' }
    expect((await send(dialect.path(false), gzipSync('{}'), headers)).status).toBe(401)
  })

  test('a form where there is none is 415', async () => {
    const form = new FormData()
    form.set('model', 'test-model')
    const answer = await send(dialect.path(false), form, {})
    expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([
      ...[415, 'unsupported_encoding'],
    ])
    expect(await answer.text()).toContain('Send the body as JSON')
  })
})
