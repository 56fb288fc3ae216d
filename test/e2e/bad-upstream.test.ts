import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RawScript } from '../support/raw-upstream.ts'
import { upstreamKey } from '../support/tollgate-yaml.ts'
import {
  type BrokenUpstream,
  httpAnswer,
  type SpeechName,
  speeches,
  speechNames,
  startBrokenUpstream,
} from './broken-upstream.ts'
import { expectError, expectHeaders } from './contract/expected.ts'
import type { RawAnswer } from './raw-client.ts'
import {
  failed,
  failures,
  refusal,
  refusals,
  unreadable,
  wronglyDeclared,
} from './upstream-failures.ts'
import { bodies } from './vendor-answers.ts'

const json = JSON.stringify

let upstream: BrokenUpstream
beforeAll(async () => {
  upstream = await startBrokenUpstream((good) => {
    const scripts: Record<string, RawScript> = {}
    for (const [name, { script }] of Object.entries(failures)) scripts[name] = script
    for (const [name, status] of Object.entries(refusals))
      scripts[name] = httpAnswer(status, refusal, 'application/json; charset=utf-8')
    for (const status of ['301', '302', '303', '307', '308'])
      scripts[`redirect-${status}`] = httpAnswer(`${status} Moved`, '', null, [
        `location: ${good.url}/v1/chat/completions`,
      ])
    scripts.telltale = (socket, request) => {
      const host = /^host: (.*)$/im.exec(request.head)?.[1]?.trim()
      const said = `key ${upstreamKey} at ${host} (http://${host}/v1) is wrong, ${upstreamKey}`
      httpAnswer('400 Bad Request', json({ error: { message: said } }))(socket, request)
    }
    return { ...scripts, ...wronglyDeclared }
  })
})
afterAll(() => upstream[Symbol.asyncDispose]())

/** What the record of an answer must say; looked at in the end, when all are stored. */
const recorded = new Map<string, object>()

function note(answer: RawAnswer, record: object): void {
  recorded.set(answer.headers.get('x-request-id') ?? '', record)
}

/** Every protocol unstreamed, and streamed in every framing. */
const ways: readonly (readonly [SpeechName, boolean])[] = [
  ...speechNames.filter((name) => name !== 'gemini-array').map((name) => [name, false] as const),
  ...speechNames.map((name) => [name, true] as const),
]

describe.each(Object.entries(failures))('an upstream: %s', (name, broken) => {
  const expectedFor = (stream: boolean) =>
    stream && broken.streamed !== undefined ? broken.streamed : broken.expected

  test.each(['one', 'both'] as const)('%s: the client is told in its protocol', async (model) => {
    const asking = ways.map(async ([speech, stream]) => {
      const expected = expectedFor(stream)
      if (expected === null) return
      const answer = await upstream.ask(speech, stream, `${model}.${name}`)
      expectError(answer, speeches[speech].shape, 'plain', expected)
      if (broken.retryAfter)
        expect(answer.headers.get('retry-after') ?? '').toMatch(broken.retryAfter)
      else expect(answer.headers.get('retry-after')).toBeNull()
      note(answer, {
        status: expected.status,
        cause: expected.reason,
        ending: 'failed',
        stream,
        amount_nano: 0,
        attempts: model === 'one' || name === 'never-ending' ? 1 : 2,
      })
    })
    await Promise.all(asking)
  })

  // The whole time is used up: nothing is left for a second channel.
  test.skipIf(name === 'never-ending')('two: the second channel answers', async () => {
    const asking = ways.map(async ([speech, stream]) => {
      if (expectedFor(stream) === null) return
      const answer = await upstream.ask(speech, stream, `two.${name}`)
      expect(answer.status).toBe(200)
      expectHeaders(answer)
      const told = { status: 200, cause: null, ending: 'complete', channel: 'second', attempts: 2 }
      note(answer, { ...told, stream, amount_nano: 11_000 })
    })
    await Promise.all(asking)
  })
})

test('an upstream that nobody listens at', async () => {
  for (const [speech, stream] of ways) {
    const answer = await upstream.ask(speech, stream, 'gone')
    expectError(answer, speeches[speech].shape, 'plain', failed)
    note(answer, { status: 502, cause: 'upstream_error', ending: 'failed', attempts: 1 })
  }
})

test.each(['301', '302', '303', '307', '308'])('a redirect %s is not followed', async (status) => {
  upstream.good.clear()
  for (const [speech, stream] of ways) {
    const answer = await upstream.ask(speech, stream, `one.redirect-${status}`)
    expectError(answer, speeches[speech].shape, 'plain', unreadable)
    expect(answer.headers.get('location')).toBeNull()
  }
  expect(upstream.good.requests.length).toBe(0)
})

describe("the client's own fault", () => {
  test.each(Object.entries(refusals))('%s is passed on byte for byte', async (name, status) => {
    for (const [speech, stream] of ways) {
      upstream.good.clear()
      const answer = await upstream.ask(speech, stream, `two.${name}`)
      expect(answer.status).toBe(Number.parseInt(status, 10))
      expect(answer.body).toBe(refusal)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expectHeaders(answer)
      expect(upstream.good.requests.length).toBe(0)
      note(answer, {
        status: answer.status,
        cause: 'upstream_refused',
        cause_text: 'max_tokens is 1e2, ü',
        ending: 'refused',
        attempts: 1,
        amount_nano: 0,
      })
    }
  })

  test('told with the key and the host in it: both are hidden', async () => {
    for (const [speech, stream] of ways) {
      const answer = await upstream.ask(speech, stream, 'one.telltale')
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.body)).toEqual({
        error: {
          message: 'key [hidden] at [hidden] (http://[hidden]/v1) is wrong, [hidden]',
        },
      })
    }
  })
})

describe('a good answer with a wrong content type', () => {
  const shown: Readonly<Record<string, string>> = {
    'json-as-html': 'application/json',
    'json-as-sse': 'application/json',
    'json-as-nothing': 'application/json',
    'json-as-problem': 'application/vendor+json',
  }
  test.each(Object.entries(shown))('%s', async (name, type) => {
    const answer = await upstream.ask('chat', false, `one.${name}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.body).toBe(json(bodies.chat))
    note(answer, { status: 200, ending: 'complete', amount_nano: 11_000 })
  })
})

test('every one of them is in the records as it was', async () => {
  const records = await upstream.records()
  expect(recorded.size).toBeGreaterThan(500)
  for (const [id, record] of recorded) expect(records.get(id)).toMatchObject(record)
})

test('an attempt sends its request once, whatever becomes of it', () => {
  const sent = upstream.raw.requests.map(({ head, body }) => head + body.toString())
  for (const name of ['closes', 'resets', 'garbage', 'half-a-head', 'silent', 'status-500']) {
    const model = new RegExp(`\\bone\\.${name}(?![\\w-])`)
    expect(sent.filter((request) => model.test(request)).length).toBe(ways.length)
  }
})

test('no answer has the key or the address of an upstream in it', () => {
  const shown = upstream.answers.map(({ headers, body }) => json([...headers]) + body).join('\n')
  for (const secret of [...upstream.secrets(), 'the vendor failed'])
    expect([secret, shown.includes(secret)]).toEqual([secret, false])
})

test('the process is still up and has no fault of its own in its log', async () => {
  const answer = await upstream.ask('messages', true, 'two.closes')
  expect(answer.status).toBe(200)
  const log = [...upstream.tollgate.stdout, ...upstream.tollgate.stderr]
  expect(log.filter((line) => /"level":"error"|internal error|unhandled/i.test(line))).toEqual([])
  expect(log.join('\n')).not.toContain(upstreamKey)
})
