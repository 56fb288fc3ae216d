import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RawRequest, type RawScript, rawScripts } from '../support/raw-upstream.ts'
import { testKey, upstreamKey } from '../support/tollgate-yaml.ts'
import { type BrokenUpstream, httpAnswer, startBrokenUpstream } from './broken-upstream.ts'
import { type Expected, expectError, expectHeaders } from './contract/expected.ts'
import { rawCall } from './raw-client.ts'
import { bodies } from './vendor-answers.ts'

const json = JSON.stringify
const hostOf = ({ head }: RawRequest) => /^host: (.*)$/im.exec(head)?.[1]?.trim() ?? ''
const telltale = (request: RawRequest) => `key ${upstreamKey} at ${hostOf(request)} is wrong`
const hidden = 'key [hidden] at [hidden] is wrong'

/** An error that every protocol takes for one. */
const errorBody = (message: string) => ({ type: 'error', error: { message } })

const failed: Expected = { status: 502, reason: 'upstream_error', code: 'upstream_error' }
const unreadable: Expected = { status: 502, reason: 'upstream_invalid', code: 'upstream_invalid' }
const late: Expected = { status: 504, reason: 'upstream_timeout', code: 'upstream_timeout' }
const busy: Expected = { status: 429, reason: 'channels_busy', code: 'channels_busy' }

/** What the upstream does when it is asked for an answer that it has made before. */
const fetches: Readonly<Record<string, readonly [RawScript, Expected]>> = {
  'stored-garbage': [rawScripts.garbage(), failed],
  'stored-closes': [rawScripts.closeAtOnce(), failed],
  'stored-silent': [() => {}, late],
  'stored-short': [rawScripts.shortBody('{"id":'), failed],
  'stored-html-404': [httpAnswer('404 Not Found', '<html>', 'text/html'), unreadable],
  'stored-redirect': [httpAnswer('302 Found', '', null, ['location: /v1/models']), unreadable],
  'stored-401': [httpAnswer('401 Unauthorized', '{"error":{}}'), failed],
  'stored-429': [httpAnswer('429 Too Many Requests', '{"error":{}}'), busy],
  'stored-500': [httpAnswer('500 Internal Server Error', '{"error":{}}'), failed],
}

/** Makes an answer with the id that the model's name gives it; then does `script`. */
function making(name: string, script: RawScript): RawScript {
  return (socket, request) => {
    if (!request.head.startsWith('POST')) return script(socket, request)
    return httpAnswer('200 OK', json({ ...bodies.responses, id: `one.${name}` }))(socket, request)
  }
}

let upstream: BrokenUpstream
beforeAll(async () => {
  upstream = await startBrokenUpstream(() => {
    const scripts: Record<string, RawScript> = {
      'stored-telltale': making('stored-telltale', (socket, request) =>
        httpAnswer('400 Bad Request', json({ error: { message: telltale(request) } }))(
          socket,
          request,
        ),
      ),
      'stored-good': making('stored-good', httpAnswer('200 OK', '{ "id":"one.stored-good" }')),
      'error-with-200': (socket, request) =>
        httpAnswer('200 OK', json(errorBody(telltale(request))))(socket, request),
    }
    for (const [name, [script]] of Object.entries(fetches)) scripts[name] = making(name, script)
    return scripts
  })
})
afterAll(() => upstream[Symbol.asyncDispose]())

async function fetchStored(name: string, method: string) {
  const made = await upstream.ask('responses', false, `one.${name}`)
  expect(made.status).toBe(200)
  const path = `/v1/responses/one.${name}`
  const headers = [['x-api-key', testKey]] as const
  return await rawCall(upstream.tollgate.port, { method, path, headers })
}

describe.each(['GET', 'DELETE'])('%s of a stored answer', (method) => {
  test.each(Object.entries(fetches))('%s', async (name, [, expected]) => {
    expectError(await fetchStored(name, method), 'openai', 'plain', expected)
  })

  test('that is there is passed on byte for byte', async () => {
    const answer = await fetchStored('stored-good', method)
    expect([answer.status, answer.body]).toEqual([200, '{ "id":"one.stored-good" }'])
    expectHeaders(answer)
  })

  test('refused with the key and the host in it: both are hidden', async () => {
    const answer = await fetchStored('stored-telltale', method)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { error: { message: hidden } }])
    expectHeaders(answer)
  })
})

test('an error with status 200 is passed on and recorded, without the key and the host', async () => {
  const asked = ['chat', 'responses', 'messages', 'gemini'] as const
  const answers = await Promise.all(
    asked.map((speech) => upstream.ask(speech, false, 'one.error-with-200')),
  )
  const records = await upstream.records()
  for (const { body, headers } of answers) {
    expect(JSON.parse(body)).toEqual(errorBody(hidden))
    expect(records.get(headers.get('x-request-id') ?? '')).toMatchObject({
      ending: 'failed',
      cause: 'upstream_error',
      cause_text: hidden,
      amount_nano: 0,
    })
  }
})
