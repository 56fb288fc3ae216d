import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RawScript } from '../support/raw-upstream.ts'
import { upstreamKey } from '../support/tollgate-yaml.ts'
import {
  type BrokenUpstream,
  httpAnswer,
  mainOf,
  type SpeechName,
  speechNames,
  startBrokenUpstream,
} from './broken-upstream.ts'
import { expectHeaders } from './contract/expected.ts'
import type { RawAnswer } from './raw-client.ts'
import {
  begun,
  breaks,
  errorEvents,
  type Kind,
  lastChunk,
  streamed,
  typeOf,
} from './stream-breaks.ts'
import { bodies, streams } from './vendor-answers.ts'

const telltale = (host: string) => `key ${upstreamKey} of ${host} ran out`
/** Streams that begin or are declared wrong, but are whole. */
const whole = (name: SpeechName) => streams[name].join('')
const odd: Readonly<Record<string, (name: SpeechName) => RawScript>> = {
  'declared-json': (name) => httpAnswer('200 OK', whole(name), 'application/json'),
  'declared-html': (name) => httpAnswer('200 OK', whole(name), 'text/html'),
  undeclared: (name) => httpAnswer('200 OK', whole(name), null),
}

let upstream: BrokenUpstream
beforeAll(async () => {
  upstream = await startBrokenUpstream(() => {
    const scripts: Record<string, RawScript> = {}
    for (const name of speechNames) {
      for (const [way, { script }] of Object.entries(breaks))
        scripts[`${way}-${name}`] = script(name)
      for (const [way, script] of Object.entries(odd)) scripts[`${way}-${name}`] = script(name)
      scripts[`failed-${name}`] = (socket, request) => {
        const host = /^host: (.*)$/im.exec(request.head)?.[1]?.trim() ?? ''
        const text = begun(name) + errorEvents[name](telltale(host))
        return streamed(name, text, lastChunk, false)(socket, request)
      }
      const other = name === 'gemini-array' ? 'gemini' : name
      scripts[`whole-${name}`] = httpAnswer('200 OK', JSON.stringify(bodies[other]))
      scripts[`whole-as-sse-${name}`] = httpAnswer(
        '200 OK',
        JSON.stringify(bodies[other]),
        typeOf(name),
      )
      scripts[`html-as-sse-${name}`] = httpAnswer('200 OK', '<html>\n\n</html>\n\n', typeOf(name))
    }
    return scripts
  })
})
afterAll(() => upstream[Symbol.asyncDispose]())

/** CONTRACT 2.6: what must follow the events that came, and nothing else. */
function expectFailure(name: SpeechName, answer: RawAnswer, sent: string, kind: Kind): void {
  const late = kind === 'upstream_timeout'
  const status = late ? 504 : 502
  const message = expect.stringMatching(/^The upstream /) as unknown
  const requestId = answer.headers.get('x-request-id')
  expect(answer.body.slice(0, sent.length)).toBe(sent)
  const tail = answer.body.slice(sent.length)
  const openai = { message, type: 'api_error', param: null, code: kind }
  const gemini = { code: status, message, status: late ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE' }
  if (name === 'gemini-array') {
    const elements = JSON.parse(answer.body) as unknown[]
    expect(elements.at(-1)).toEqual({ error: gemini })
    return
  }
  const end = name === 'gemini' ? '\r\n\r\n' : '\n\n'
  expect(tail).toEndWith(end)
  const lines = tail.trim().split('\n')
  const data = JSON.parse(lines.at(-1)?.replace(/^data: /, '') ?? '') as unknown
  const expected: Readonly<Record<Exclude<SpeechName, 'gemini-array'>, readonly unknown[]>> = {
    chat: [[], { error: openai }],
    responses: [
      ['event: error', expect.stringContaining(`"code":"${kind}"`), '', 'event: response.failed'],
      {
        type: 'response.failed',
        sequence_number: 3,
        response: expect.objectContaining({
          id: 'resp_1',
          object: 'response',
          status: 'failed',
          error: { code: 'server_error', message },
          incomplete_details: null,
        }),
      },
    ],
    messages: [
      ['event: error'],
      {
        type: 'error',
        error: { type: late ? 'timeout_error' : 'api_error', message },
        request_id: requestId,
      },
    ],
    gemini: [[], { error: gemini }],
  }
  expect([lines.slice(0, -1), data]).toEqual([...expected[name]])
}

const recorded = new Map<string, object>()
function note(answer: RawAnswer, record: object): void {
  recorded.set(answer.headers.get('x-request-id') ?? '', { stream: true, status: 200, ...record })
}

describe.each(speechNames)('%s', (name) => {
  test.concurrent.each(Object.entries(breaks))('breaks off: %s', async (way, { kind }) => {
    const answer = await upstream.askUntil(
      name,
      `two.${way}-${name}`,
      name === 'responses' ? 'Hello' : ' there',
    )
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(typeOf(name))
    expectHeaders(answer)
    // A comment may have passed; half of an event may not.
    const shown = { ...answer, body: answer.body.replaceAll(': still there\n\n', '') }
    expectFailure(name, shown, begun(name), kind)
    const channel = mainOf(`${way}-${name}`)
    note(answer, { ending: 'cut', cause: kind, attempts: 1, channel, estimated: true })
  })

  test('the upstream tells an error itself: passed on, without its key and host', async () => {
    const answer = await upstream.ask(name, true, `one.failed-${name}`)
    expect(answer.body).toBe(begun(name) + errorEvents[name]('key [hidden] of [hidden] ran out'))
    note(answer, { ending: 'failed', cause: 'upstream_error' })
  })

  test.each(Object.keys(odd))('a whole stream, %s, is passed on as what it is', async (way) => {
    const answer = await upstream.ask(name, true, `one.${way}-${name}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(typeOf(name))
    expect(answer.body).toBe(whole(name))
    note(answer, { ending: 'complete', cause: null, estimated: false, amount_nano: 11_000 })
  })

  test('a whole body instead of a stream is put into one, and charged as what it is', async () => {
    // However many channels there are, it is made once.
    for (const channels of ['one', 'two']) {
      const answer = await upstream.ask(name, true, `${channels}.whole-${name}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toStartWith(typeOf(name).split(';')[0] ?? '')
      const record = { status: 200, ending: 'complete', cause: null, attempts: 1 }
      note(answer, { ...record, amount_nano: 11_000 })
    }
  })

  test('what is declared as a stream and is none ends as an error', async () => {
    const answer = await upstream.ask(name, true, `one.html-as-sse-${name}`)
    if (name === 'gemini-array') expect(answer.status).toBe(502)
    else {
      expect(answer.body).toMatch(/"(upstream_error|UNAVAILABLE|api_error)"/)
      note(answer, { ending: 'cut', cause: 'upstream_error' })
    }
  })

  test('a whole body that is declared as a stream is put into one', async () => {
    const answer = await upstream.ask(name, true, `one.whole-as-sse-${name}`)
    expect(answer.status).toBe(200)
    note(answer, { ending: 'complete', cause: null, amount_nano: 11_000 })
  })
})

test.each(['chat', 'responses', 'messages', 'gemini'] as const)(
  '%s: a stream where none was asked for is put into a whole answer',
  async (name) => {
    for (const way of ['declared-json', 'undeclared']) {
      const answer = await upstream.ask(name, false, `one.${way}-${name}`)
      expect(answer.status).toBe(200)
      note(answer, { stream: false, ending: 'complete', cause: null, amount_nano: 11_000 })
    }
  },
)

test('every one of them is in the records, and what was delivered is charged', async () => {
  const records = await upstream.records()
  expect(recorded.size).toBeGreaterThan(80)
  for (const [id, record] of recorded) {
    const row = records.get(id)
    expect(row).toMatchObject(record)
    if (row?.ending === 'cut' && row.output_tokens > 0) expect(row.amount_nano).toBeGreaterThan(0)
  }
  const cut = [...records.values()].filter(
    ({ ending, attempts, channel, estimated }) =>
      estimated && ending === 'cut' && attempts === 1 && channel !== 'second',
  )
  expect(cut.every(({ output_tokens }) => output_tokens > 0)).toBe(true)
})

test('no answer has the key or the address of an upstream in it', () => {
  const shown = upstream.answers.map(({ body }) => body).join('\n')
  for (const secret of upstream.secrets())
    expect([secret, shown.includes(secret)]).toEqual([secret, false])
})

test('the process is still up and has no fault of its own in its log', async () => {
  expect((await upstream.ask('chat', true, 'two.declared-json-chat')).status).toBe(200)
  const log = [...upstream.tollgate.stdout, ...upstream.tollgate.stderr]
  expect(log.filter((line) => /"level":"error"|internal error|unhandled/i.test(line))).toEqual([])
  expect(log.join('\n')).not.toContain(upstreamKey)
})
