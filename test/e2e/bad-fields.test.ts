import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Endpoint, endpoints } from './contract/endpoints.ts'
import { expectError } from './contract/expected.ts'
import { rawCall } from './raw-client.ts'
import { keyHeader, type SmallGateway, startSmallGateway } from './small-gateway.ts'

let gateway: SmallGateway
beforeAll(async () => {
  gateway = await startSmallGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Values that a field of each kind can't have. */
const wrong = {
  name: ['', 1, true, [], {}],
  text: [1, true, [], {}],
  'text or list': [1, true, {}],
  'text or objects': [1, true, {}, ['x']],
  'text or object': [1, true, []],
  'text or items': [1, true, {}, ['x'], [1]],
  flag: ['true', 'yes', 1, 0, {}],
  number: ['1', true, [], {}],
  count: [0, -1, 1.5, '10', true, [], {}],
  '1 to 128': [0, -1, 1.5, 129, '2', true, []],
  list: ['x', 1, true, {}],
  object: ['x', 1, true, []],
  messages: ['hello', 1, true, {}, []],
  content: [1, true, {}],
  part: ['hello', 1, true, null, [], {}],
  contents: ['hello', 1, true, []],
  parts: ['hello', 1, true],
  'list or object': ['x', 1, true],
} as const

type Kind = keyof typeof wrong

/** Path → kind; a `!` marks a field that must be there and may not be null. */
type Fields = Readonly<Record<string, Kind | `${Kind}!`>>

const chat: Fields = {
  model: 'name!',
  messages: 'messages!',
  'messages[0]': 'object!',
  'messages[0].role': 'name!',
  'messages[0].content': 'content!',
  'messages[0].content[0]': 'part!',
  'messages[0].content[0].type': 'name!',
  stream: 'flag',
  stream_options: 'object',
  max_tokens: 'count',
  max_completion_tokens: 'count',
  n: '1 to 128',
  temperature: 'number',
  tools: 'list',
}
const responses: Fields = {
  model: 'name!',
  input: 'text or items!',
  'input[0]': 'object!',
  'input[0].type': 'name',
  'input[0].role': 'name',
  'input[0].content': 'content',
  'input[0].content[0]': 'part!',
  'input[0].content[0].type': 'name!',
  instructions: 'text or list',
  previous_response_id: 'text',
  conversation: 'text or object',
  prompt: 'object',
  stream: 'flag',
  stream_options: 'object',
  max_output_tokens: 'count',
  temperature: 'number',
  tools: 'list',
}
const countTokens: Fields = {
  model: 'name!',
  messages: 'messages!',
  'messages[0]': 'object!',
  'messages[0].role': 'name!',
  'messages[0].content': 'content!',
  'messages[0].content[0]': 'part!',
  'messages[0].content[0].type': 'name!',
  system: 'text or objects',
  tools: 'list',
  thread: 'object',
  'thread.type': 'text!',
  'thread.previous_message_id': 'text',
}
const generate: Fields = {
  contents: 'contents!',
  'contents[0]': 'object!',
  'contents[0].role': 'text',
  'contents[0].parts': 'parts!',
  'contents[0].parts[0]': 'object!',
  systemInstruction: 'object',
  system_instruction: 'object',
  tools: 'list or object',
  generationConfig: 'object',
  'generationConfig.maxOutputTokens': 'count',
  generation_config: 'object',
  'generation_config.max_output_tokens': 'count',
}
const images: Fields = { model: 'name!', prompt: 'text!', n: '1 to 128', stream: 'flag' }
const embed: Fields = {
  content: 'object!',
  'content.parts': 'parts!',
  'content.parts[0]': 'object!',
}

/** What the request.ts of each protocol names, written down a second time. */
const named: Readonly<Record<string, Fields>> = {
  'POST /v1/chat/completions': chat,
  'POST /v1/responses': responses,
  'POST /v1/responses/compact': responses,
  'POST /v1/responses/input_tokens': responses,
  'POST /v1/completions': {
    ...{ model: 'name!', prompt: 'text or list!', stream: 'flag', max_tokens: 'count' },
    ...{ n: '1 to 128', best_of: '1 to 128', temperature: 'number', stream_options: 'object' },
  },
  'POST /v1/embeddings': { model: 'name!', input: 'text or list!' },
  'POST /v1/images/generations': images,
  'POST /v1/images/edits': images,
  'POST /v1/messages': {
    ...countTokens,
    max_tokens: 'count!',
    stream: 'flag',
    temperature: 'number',
  },
  'POST /v1/messages/count_tokens': countTokens,
  'POST /v1beta :generateContent': generate,
  'POST /v1 :streamGenerateContent?alt=sse': generate,
  'POST /v1beta :countTokens': generate,
  'POST /v1beta :embedContent': embed,
  'POST /v1beta :batchEmbedContents': {
    requests: 'contents!',
    'requests[0]': 'object!',
    'requests[0].content': 'object!',
    'requests[0].content.parts': 'parts!',
  },
}

/** The good body with one field set, or taken out when the value is undefined. */
function bodyWith(endpoint: Endpoint, path: string, value: unknown): string {
  const body: unknown = structuredClone(endpoint.body?.('test-model'))
  const steps = path.split(/[.[\]]+/).filter(Boolean)
  let place = body as Record<string, unknown>
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const known = place[step]
    // What is no object yet becomes one; a number for the next step means an array.
    const fresh = /^\d+$/.test(steps[index + 1] ?? '') ? [{}] : {}
    if (typeof known !== 'object' || known === null) place[step] = fresh
    place = place[step] as Record<string, unknown>
  }
  const last = steps.at(-1) ?? ''
  if (value === undefined) delete place[last]
  else place[last] = value
  return JSON.stringify(body)
}

function post(endpoint: Endpoint, body: string) {
  const path = endpoint.path('test-model')
  return rawCall(gateway.tollgate.port, { method: 'POST', path, headers: [keyHeader], body })
}

const escaped = (text: string) => text.replace(/[.[\]]/g, '\\$&')

describe.each(Object.entries(named))('%s', (name, fields) => {
  const endpoint = endpoints[name] as Endpoint
  const { shape, keyShape } = endpoint

  test.each(Object.entries(fields))('%s must be %s', async (path, rule) => {
    const required = rule.endsWith('!')
    const values: readonly unknown[] = wrong[rule.replace('!', '') as Kind]
    for (const value of [...values, ...(required ? [null] : [])]) {
      const answer = await post(endpoint, bodyWith(endpoint, path, value))
      const { error } = JSON.parse(answer.body) as { error: { message: string; param?: string } }
      // The fault may lie inside: an empty part lacks its type.
      const told = new RegExp(`^${escaped(path)}[\\w.[\\]]* (must be|is required)`)
      expect({ value, message: error.message }).toEqual({
        value,
        message: expect.stringMatching(told) as unknown as string,
      })
      const code = / is required /.test(error.message) ? 'missing_parameter' : 'invalid_value'
      const param = error.message.split(' ')[0] ?? ''
      const expected = { status: 400, reason: code, code, says: told, param }
      expectError(answer, shape, keyShape, expected)
    }
    if (!required) {
      const left = [undefined, ...(path.includes('.type') ? [] : [null])]
      for (const value of left)
        expect((await post(endpoint, bodyWith(endpoint, path, value))).status).toBe(200)
    }
  })

  const needed = Object.entries(fields).flatMap(([path, rule]) =>
    rule.endsWith('!') && !path.endsWith(']') && path !== 'thread.type' ? [path] : [],
  )
  test.each(needed)('%s is required', async (path) => {
    const answer = await post(endpoint, bodyWith(endpoint, path, undefined))
    expectError(answer, shape, keyShape, {
      status: 400,
      reason: 'missing_parameter',
      code: 'missing_parameter',
      says: new RegExp(`^${escaped(path)} is required and must be `),
      param: path,
    })
  })

  test('fields that nobody knows are forwarded', async () => {
    const odd = '"x_unknown":{"deep":[null,9007199254740993,"ü"]},"temperature_":"hot"'
    const good = JSON.stringify(endpoint.body?.('test-model'))
    const body = good.replace(/\}$/, `,${odd}}`)
    expect((await post(endpoint, body)).status).toBe(200)
    expect(gateway.upstream.last().text()).toBe(body)
  })
})

describe('fields that contradict each other', () => {
  const streamOptions = { stream_options: { include_usage: true } }
  const cases = ['POST /v1/chat/completions', 'POST /v1/responses'] as const
  test.each(cases)('%s: stream_options without a stream', async (name) => {
    const endpoint = endpoints[name] as Endpoint
    for (const stream of [{}, { stream: false }, { stream: null }]) {
      const body = { ...endpoint.body?.('test-model'), ...streamOptions, ...stream }
      expectError(await post(endpoint, JSON.stringify(body)), 'openai', 'plain', {
        status: 400,
        reason: 'conflicting_parameters',
        code: 'conflicting_parameters',
        says: /^stream_options .*stream: true/,
        param: 'stream_options',
      })
    }
  })
})

test('the log has no fault of the gateway after all of it', () => {
  expect(gateway.complaints()).toEqual([])
})
