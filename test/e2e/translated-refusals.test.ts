import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RunningBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { upstreamKey } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { expectError, expectHeaders } from './contract/expected.ts'
import type { Dialect } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { RawAnswer } from './raw-client.ts'
import { errorEvents } from './stream-breaks.ts'
import { dialectOf, geminiArray, keyOn, pairs, startTranslating, violations } from './translated.ts'
import { until } from './until.ts'

// What an upstream refuses, as clients of another protocol are told (CONTRACT 2.5, CASES X3).

const secrets = () => [upstreamKey, new URL(upstream.url).host]
const telltale = () => `The key ${upstreamKey} of ${upstream.url}/v1 asked for 9 tokens, ü.`
const shown = () => `The key [hidden] of http://[hidden]/v1 asked for 9 tokens, ü.`

/** A refusal as the vendor writes it. */
const refusals: Readonly<Record<Dialect['name'], (message: string, status: number) => unknown>> = {
  chat: (message) => ({
    error: { message, type: 'invalid_request_error', param: 'messages', code: 'context_length' },
  }),
  responses: (message) => ({
    error: { message, type: 'invalid_request_error', param: 'input', code: 'context_length' },
  }),
  messages: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  gemini: (message, status) => [{ error: { code: status, message, status: 'INVALID_ARGUMENT' } }],
}

let upstream: FakeUpstream
let gateway: RunningBinary
let ledger: Ledger
beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer({}))
  gateway = await startTranslating(upstream.url)
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

const shapeOf = ({ name }: Dialect) =>
  name === 'chat' || name === 'responses' ? ('openai' as const) : name

async function rawAsk(client: Dialect, upstream: Dialect, stream: boolean): Promise<RawAnswer> {
  const answer = await ask(gateway.url, client, stream, { key: keyOn(upstream) })
  return { status: answer.status, headers: answer.headers, body: await answer.text() }
}

/** The message in an error body of any of the protocols. */
const messageIn = (body: string) =>
  (JSON.parse(body) as { error: { message: string } }).error.message

function expectNoSecret(text: string): void {
  for (const secret of secrets()) expect(text).not.toContain(secret)
}

describe.each(pairs)('$name', ({ client, upstream: speaks }) => {
  test.each([400, 404, 413, 422])(
    '%p: with its status and words, in the client’s shape',
    async (status) => {
      upstream.handle((request) =>
        jsonAnswer(refusals[dialectOf(request).name](telltale(), status), status),
      )
      for (const stream of [false, true]) {
        const answer = await rawAsk(client, speaks, stream)
        expect(answer.status).toBe(status)
        expectHeaders(answer)
        expect(answer.headers.get('content-type')).toBe('application/json')
        expect(messageIn(answer.body)).toBe(shown())
        expectNoSecret(answer.body)
        const body = JSON.parse(answer.body) as {
          type?: string
          error: { code?: unknown; param?: unknown }
        }
        if (client.name === 'messages') expect(body.type).toBe('error')
        if (client.name === 'gemini') expect(body.error.code).toBe(status)
        // A path of the upstream's protocol means nothing here.
        if (shapeOf(client) === 'openai') expect(body.error.param).toBeNull()
        const id = answer.headers.get('x-request-id') ?? ''
        const record = await until('the record', () => ledger.record(id))
        expect(record).toMatchObject({
          ...{ status, ending: 'refused', cause: 'upstream_refused', cause_text: shown() },
          ...{ amount_nano: 0, upstream_protocol: speaks.name },
        })
        expect(await ledger.attempts(id)).toEqual([{ status, cause: 'client_fault' }])
      }
    },
  )

  test.each([
    [401, 502, 'upstream_error', 'upstream_auth'],
    [402, 502, 'upstream_error', 'upstream_quota'],
    [403, 502, 'upstream_error', 'upstream_auth'],
    [429, 429, 'channels_busy', 'upstream_rate_limited'],
    [500, 502, 'upstream_error', 'upstream_failed'],
    [503, 502, 'upstream_error', 'upstream_failed'],
    [529, 502, 'upstream_error', 'upstream_overloaded'],
  ] as const)('%p of the upstream is %p', async (told, status, code, cause) => {
    upstream.handle((request) =>
      jsonAnswer(refusals[dialectOf(request).name](telltale(), told), told, { 'retry-after': '7' }),
    )
    for (const stream of [false, true]) {
      const answer = await rawAsk(client, speaks, stream)
      expectError(answer, shapeOf(client), 'plain', { status, reason: code, code })
      expect(answer.headers.get('retry-after')).toBe(told === 429 ? '7' : null)
      expectNoSecret(answer.body)
      const id = answer.headers.get('x-request-id') ?? ''
      await until('the record', () => ledger.record(id))
      expect(await ledger.attempts(id)).toEqual([{ status: told, cause }])
    }
  })

  test('X3: an error inside of a stream has neither key nor host in it', async () => {
    upstream.handle((request) => {
      const dialect = dialectOf(request)
      const begun = dialect.first({ input: 5, output: 1 }) + dialect.piece('Hello')
      return sseAnswer(begun + errorEvents[dialect.name](telltale()))
    })
    for (const [asking, framing] of [
      [client, 'sse'],
      [geminiArray, 'json-array'],
    ] as const) {
      if (framing === 'json-array' && client.name !== 'gemini') continue
      const answer = await ask(gateway.url, asking, true, { key: keyOn(speaks) })
      const text = await answer.text()
      expect(violations(asking, text, 'error', framing)).toEqual([])
      expect(text).toContain(shown())
      expectNoSecret(text)
      const record = await until('the record', () => ledger.record(requestIdOf(answer)))
      expect(record).toMatchObject({ ending: 'failed', cause_text: shown() })
    }
  })

  test('X3: nor has a whole answer that is one', async () => {
    upstream.handle((request) => {
      const failed = {
        chat: { error: { message: telltale() } },
        responses: {
          ...{ id: 'resp_1', object: 'response', status: 'failed', output: [] },
          error: { code: 'server_error', message: telltale() },
        },
        messages: { type: 'error', error: { type: 'api_error', message: telltale() } },
        gemini: { error: { code: 500, message: telltale() } },
      }
      return jsonAnswer(failed[dialectOf(request).name])
    })
    const answer = await rawAsk(client, speaks, false)
    const failure = { status: 502, reason: 'upstream_error', code: 'upstream_error' }
    expectError(answer, shapeOf(client), 'plain', failure)
    expectNoSecret(answer.body)
  })

  test.each(['<html>', '[1]', '"no"', '{}', 'null', ''])('%p is no answer', async (body) => {
    upstream.handle(() => new Response(body, { headers: { 'content-type': 'application/json' } }))
    for (const stream of [false, true]) {
      const answer = await rawAsk(client, speaks, stream)
      const failure = { status: 502, reason: 'upstream_invalid', code: 'upstream_invalid' }
      expectError(answer, shapeOf(client), 'plain', failure)
    }
  })
})

test('an answer that is to be fetched later is none', async () => {
  const pending = { id: 'resp_1', object: 'response', status: 'queued', output: [] }
  upstream.handle(() => jsonAnswer(pending))
  for (const { client, upstream: speaks } of pairs) {
    if (speaks.name !== 'responses') continue
    const answer = await rawAsk(client, speaks, false)
    const failure = { status: 502, reason: 'upstream_error', code: 'upstream_error' }
    expectError(answer, shapeOf(client), 'plain', failure)
  }
})
