import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createGzip } from 'node:zlib'
import type { FaultRequest } from '../../support/fault/requests.ts'
import {
  chunk,
  httpBytes,
  httpHead,
  lastChunk,
  repeat,
  type Steps,
  write,
} from '../../support/fault/steps.ts'
import { dialectOf, usualTokens, words } from '../../support/fault/well.ts'
import { rounds } from '../../support/rounds.ts'
import { testKey } from '../../support/tollgate-yaml.ts'
import { requestIdOf } from '../caller.ts'
import { type ChannelScene, startChannels } from '../channel-scene.ts'
import { type Dialect, dialects } from '../dialects.ts'
import { openLedger } from '../ledger.ts'
import { until } from '../until.ts'

// Answers of half a gigabyte, of a whole one in a long run, one after the other. Whatever comes, the gateway stays
// small.

const mebibyte = 1024 * 1024
const sizeMebibytes = rounds(512, 1024)
const sizeBytes = sizeMebibytes * mebibyte
const piece = 65_536
const pieces = sizeBytes / piece
/** How much the gateway may grow, in MiB: it holds no more than 256 of a whole answer. */
const wholeLimit = 450
/** And of one event no more than 32. */
const streamLimit = 250

let scene: ChannelScene<'a' | 'b'>
let bomb: Uint8Array
beforeAll(async () => {
  scene = await startChannels(
    { a: {}, b: { priority: 1, models: ['pair'] } },
    { models: ['test-model', 'pair'] },
  )
  bomb = await packedOf(' ')
})
afterAll(() => scene[Symbol.asyncDispose]())

/** So much of one sign, in a megabyte. */
async function packedOf(sign: string): Promise<Uint8Array> {
  const gzip = createGzip({ level: 1 })
  const parts: Uint8Array[] = []
  gzip.on('data', (part: Uint8Array) => parts.push(part))
  const ended = new Promise((resolve) => gzip.once('end', resolve))
  const one = Buffer.alloc(mebibyte, sign)
  for (let written = 0; written < sizeMebibytes; written++) {
    if (!gzip.write(one)) await new Promise((resolve) => gzip.once('drain', resolve))
  }
  gzip.end()
  await ended
  return Buffer.concat(parts)
}

const endlessBody: Steps = [
  write(httpHead({ framing: 'chunked' })),
  write(chunk('{"id":"x","choices":["')),
  repeat(chunk('a'.repeat(piece)), pieces),
  write(lastChunk),
]
const streamHead = write(httpHead({ type: 'text/event-stream', framing: 'chunked' }))
/** Some words, and then one event without an end. */
const endlessEvent = (request: FaultRequest): Steps => [
  streamHead,
  write(chunk(dialectOf(request).first(usualTokens) + dialectOf(request).piece(words[0]))),
  write(chunk('data: {"x":"')),
  repeat(chunk('a'.repeat(piece)), pieces),
  write(lastChunk),
]
const packed = (type: string): Steps => [
  write(httpBytes({ type, headers: [['content-encoding', 'gzip']], body: bomb })),
]

/** Reads an answer without keeping it; gives how the gateway grew meanwhile. */
async function swallow(dialect: Dialect, stream: boolean, model = 'test-model') {
  const { tollgate } = scene
  const before = tollgate.residentBytes()
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, tollgate.residentBytes())
  }, 10)
  const answer = await fetch(tollgate.url + dialect.path(stream).replace('test-model', model), {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({
      ...dialect.request(stream),
      ...(dialect.name === 'gemini' ? {} : { model }),
    }),
    proxy: false,
  })
  let bytes = 0
  let tail = ''
  try {
    for await (const part of answer.body ?? []) {
      bytes += part.length
      tail = (tail + new TextDecoder().decode(part.subarray(-4096))).slice(-4096)
    }
  } finally {
    clearInterval(timer)
  }
  const grownMebibytes = Math.round((highest - before) / mebibyte)
  return { status: answer.status, id: requestIdOf(answer), bytes, tail, grownMebibytes }
}

const recordOf = async (id: string) => {
  await using ledger = openLedger(scene.tollgate.cwd)
  const record = await until('the record', () => ledger.record(id))
  return { record, attempts: await ledger.attempts(id) }
}

test('a whole answer of it is given up, charged by what was set aside, and made only once', async () => {
  scene.channels.a.behave(endlessBody)
  const alone = await swallow(dialects.messages, false)
  expect([alone.status, alone.tail.includes('could not be understood')]).toEqual([502, true])
  expect(alone.grownMebibytes).toBeLessThan(wholeLimit)
  const { record, attempts } = await recordOf(alone.id)
  expect(record).toMatchObject({ cause: 'upstream_invalid', ending: 'failed', estimated: 1 })
  expect(record.output_tokens).toBeGreaterThanOrEqual(100) // the request's own limit
  expect(attempts).toEqual([{ status: 200, cause: 'upstream_invalid' }])
  const { status, id, grownMebibytes } = await swallow(dialects.messages, false, 'pair')
  expect(status).toBe(502)
  expect(grownMebibytes).toBeLessThan(wholeLimit)
  expect((await recordOf(id)).attempts.map(({ cause }) => cause)).toEqual(['upstream_invalid'])
})

test('a compressed one is not unpacked as a whole', async () => {
  scene.channels.a.behave(packed('application/json'))
  const { status, grownMebibytes } = await swallow(dialects.gemini, false)
  expect(status).toBe(502)
  expect(grownMebibytes).toBeLessThan(wholeLimit)
})

test('a stream of nothing but space passes as it is read, and ends as an error', async () => {
  scene.channels.a.behave(packed('text/event-stream'))
  const { id, bytes, tail, grownMebibytes } = await swallow(dialects.responses, true)
  expect(bytes).toBeGreaterThan(sizeBytes)
  expect(tail).toContain('upstream_error')
  expect(grownMebibytes).toBeLessThan(streamLimit)
  expect((await recordOf(id)).record).toMatchObject({ ending: 'cut', amount_nano: 0 })
})

test('one event of it passes as it is read, and the error behind it is an event of its own', async () => {
  scene.channels.a.behave(endlessEvent)
  const { id, bytes, tail, grownMebibytes } = await swallow(dialects.chat, true)
  expect(bytes).toBeGreaterThan(sizeBytes)
  expect(grownMebibytes).toBeLessThan(streamLimit)
  expect((await recordOf(id)).record).toMatchObject({ ending: 'cut', cause: 'upstream_error' })
  expect(tail).toMatch(/a\n\ndata: \{"error":\{.*\}\n\n$/)
})
