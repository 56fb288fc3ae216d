import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { vendorAnswer } from '../e2e/vendor-answers.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// CONTRACT 2.9. Python's `urllib` and others look for an answer only when they have sent everything.

let upstream: FakeUpstream
let gateway: Running
beforeAll(async () => {
  upstream = startFakeUpstream(vendorAnswer)
  gateway = await startServing({ upstream: upstream.url, server: { max_body: '512KiB' } })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream.stop()
})

/** Sends a whole request, and only then reads. Rejects when the connection is closed before. */
function sendThenRead(head: string, body: Buffer): Promise<string> {
  const { port } = new URL(gateway.serving.url)
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    let text = ''
    socket.pause()
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text = (text + chunk).replace(/^HTTP\/1.1 100 .*\r\n\r\n/, '')
      if (text.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('close', () => resolve(text))
    socket.write(head)
    socket.write(body, (error) => (error ? reject(error) : socket.resume()))
  })
}

const sizeBytes = 5_000_000
const plain = Buffer.alloc(sizeBytes, ' ')
const chunked = Buffer.concat([
  Buffer.from(`${sizeBytes.toString(16)}\r\n`),
  plain,
  Buffer.from('\r\n0\r\n\r\n'),
])

const good = `authorization: Bearer ${testKey}\r\n`
const refusals = [
  ['no key', '/v1/messages', '', 401],
  ['an unknown key', '/v1/chat/completions', 'x-api-key: sk-nobody\r\n', 401],
  ['a path that is no page', '/chat/completions', good, 404],
  ['an action that Gemini does not have', '/v1beta/models/test-model:predict', good, 404],
  ['a body that is too large', '/v1/messages', good, 413],
] as const

describe.each(refusals)('%s', (_, path, key, status) => {
  test.each([
    ['with its length', `content-length: ${sizeBytes}\r\n`, plain],
    ['in chunks', 'transfer-encoding: chunked\r\n', chunked],
    ['behind an announcement', `expect: 100-continue\r\ncontent-length: ${sizeBytes}\r\n`, plain],
  ])('is told to who has sent 5 MB %s', async (_how, headers, body) => {
    const head = `POST ${path} HTTP/1.1\r\nhost: gw\r\n${key}${headers}\r\n`
    const answer = await sendThenRead(head, body)
    expect(answer).toStartWith(`HTTP/1.1 ${status} `)
    expect(answer.toLowerCase()).not.toContain('connection: close')
  })
})
