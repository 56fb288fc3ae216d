import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isJsonObject } from '../../src/protocols/json.ts'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { allDialects, type Dialect, dialects } from './dialects.ts'
import { dialectOf, keyOn } from './translated.ts'

// Reasoning that one vendor has signed, in conversations that go on elsewhere.

const secret = 'U2lnbmVkIGJ5IHRoZSB2ZW5kb3I+/='
/** More than a double can hold. */
const bigId = '12345678901234567890'
const thought = 'Look it up: 你好.'
const call = { id: 'call_1', name: 'find', args: `{"id":${bigId}}` }

/** An answer that thinks and calls, as the vendor's API gives it. */
const answers: Readonly<Record<'responses' | 'messages' | 'gemini', string>> = {
  responses: JSON.stringify({
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'm' },
    output: [
      {
        ...{ type: 'reasoning', id: 'rs_1', encrypted_content: secret },
        summary: [{ type: 'summary_text', text: thought }],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: call.id,
        name: call.name,
        arguments: call.args,
      },
    ],
    usage: { input_tokens: 5, output_tokens: 5 },
  }),
  messages: JSON.stringify({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use' },
    content: [
      { type: 'thinking', thinking: thought, signature: secret },
      { type: 'tool_use', id: call.id, name: call.name, input: 'INPUT' },
    ],
    usage: { input_tokens: 5, output_tokens: 5 },
  }).replace('"INPUT"', call.args),
  gemini: JSON.stringify({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: thought, thought: true },
            {
              functionCall: { id: call.id, name: call.name, args: 'ARGS' },
              thoughtSignature: secret,
            },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5 },
  }).replace('"ARGS"', call.args),
}
type Signing = keyof typeof answers
const signing = Object.keys(answers) as Signing[]

let upstream: FakeUpstream
let gateway: RunningBinary
beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    const { name } = dialectOf(request)
    const body = answers[name as Signing]
    if (body === undefined || request.text().includes('tool says')) {
      return jsonAnswer(dialectOf(request).body({ input: 5, output: 5 }))
    }
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  })
  const channels = allDialects.map(({ name }) => ({
    ...{ name: `on-${name}`, speaks: speaksAt(upstream.url, [name]), api_key: upstreamKey },
    ...{ models: ['test-model'], allow_private: true },
  }))
  gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, moreChannels: channels },
        moreGroups: allDialects.map(({ name }) => ({
          name: `on-${name}`,
          channels: [`on-${name}`],
        })),
        moreAccounts: ['one', 'two'].map((who) => ({
          ...{ email: `${who}@example.com`, balance: 10 },
          tokens: allDialects.map(({ name }) => ({
            ...{ name: `on-${name}`, group: `on-${name}`, key: `${keyOn({ name })}${who}` },
          })),
        })),
      }),
  })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
})

async function send(client: Dialect, key: string, body: string, strict = false) {
  const answer = await fetch(gateway.url + client.path(false), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(strict && { 'x-tollgate-strict': 'true' }) },
    body,
    proxy: false,
  })
  return {
    status: answer.status,
    dropped: answer.headers.get('x-tollgate-dropped'),
    text: await answer.text(),
  }
}

/** JSON.parse keeps so many digits only in a text; within a text they are in one already. */
const exact = (text: string) =>
  JSON.parse(text.replaceAll(`d":${bigId}`, `d":"${bigId}"`)) as Record<string, unknown>
const inexact = (value: unknown) => JSON.stringify(value).replaceAll(`"${bigId}"`, bigId)

/** The next request of a client that sends back what it was given, and the result of its call. */
function nextRequest(client: Dialect, text: string): string {
  const answer = exact(text)
  const request = client.request(false) as Record<string, unknown[]>
  const content = 'tool says 7'
  switch (client.name) {
    case 'chat': {
      const [choice] = answer.choices as { message: object }[]
      const result = { role: 'tool', tool_call_id: call.id, content }
      return inexact({
        ...request,
        messages: [...(request.messages ?? []), choice?.message, result],
      })
    }
    case 'responses': {
      const result = { type: 'function_call_output', call_id: call.id, output: content }
      const first = { role: 'user', content: 'hello' }
      return inexact({ ...request, input: [first, ...(answer.output as object[]), result] })
    }
    case 'messages': {
      const back = { role: 'assistant', content: answer.content }
      const result = { type: 'tool_result', tool_use_id: call.id, content }
      const messages = [...(request.messages ?? []), back, { role: 'user', content: [result] }]
      return inexact({ ...request, messages })
    }
    case 'gemini': {
      const [candidate] = answer.candidates as { content: object }[]
      const response = {
        functionResponse: { id: call.id, name: call.name, response: { output: content } },
      }
      const contents = [
        ...(request.contents ?? []),
        candidate?.content,
        { role: 'user', parts: [response] },
      ]
      return inexact({ ...request, contents })
    }
  }
}

const twoTurns = allDialects.flatMap((client) =>
  signing
    .filter((name) => name !== client.name)
    .map((name) => ({ name: `${client.name} on ${name}`, client, origin: dialects[name] })),
)

describe.each(twoTurns)('$name', ({ client, origin }) => {
  const key = `${keyOn(origin)}one`
  const first = async () => {
    const { status, text } = await send(client, key, inexact(client.request(false)))
    expect(status).toBe(200)
    expect(text).not.toContain(secret)
    return nextRequest(client, text)
  }

  test('T8, T9: what was signed comes back to its vendor byte for byte', async () => {
    const { status, dropped } = await send(client, key, await first())
    expect({ status, dropped }).toEqual({ status: 200, dropped: null })
    const asked = upstream.last().text()
    expect(asked).toContain(secret)
    expect(asked).toContain(bigId)
    expect(asked).not.toContain('tgs1.')
  })

  test('the client’s own vendor gets none of it, and every digit of the rest', async () => {
    const body = await first()
    const { status, dropped } = await send(client, testKey, body)
    expect(status).toBe(200)
    expect(dropped).toBeString()
    expect(dialectOf(upstream.last())).toBe(client)
    const asked = upstream.last().text()
    expect(asked).not.toContain('tgs1.')
    expect(asked).not.toContain(Buffer.from('tollgate:').toString('base64'))
    expect(asked).not.toContain(secret)
    for (const kept of [bigId, call.id, 'tool says 7', 'hello']) expect(asked).toContain(kept)
    expect(leftOut(body, asked)).toEqual([])
  })

  test('strict: that is a 400, and the field is named', async () => {
    upstream.clear()
    const body = await first()
    upstream.clear()
    const { status, text } = await send(client, testKey, body, true)
    expect(status).toBe(400)
    expect(text).toMatch(/would be left out, and the request is strict/)
    expect(upstream.requests.length).toBe(0)
  })

  test('a seal that was changed counts for nothing, and fails nothing', async () => {
    const body = (await first()).replaceAll(
      /(tgs1\.|dG9sbGdhdGU6)([\w+/-]{20})(.)/g,
      (_, start, head, one) => {
        return `${start}${head}${one === 'A' ? 'B' : 'A'}`
      },
    )
    const { status, dropped } = await send(client, key, body)
    expect(status).toBe(200)
    expect(dropped).toBeString()
    expect(upstream.last().text()).not.toContain(secret)
  })

  // It is whoever holds the answer that can go on with it, as with the vendors themselves.
  test('another account that was given the conversation can go on with it', async () => {
    const { status, dropped } = await send(client, `${keyOn(origin)}two`, await first())
    expect({ status, dropped }).toEqual({ status: 200, dropped: null })
    expect(upstream.last().text()).toContain(secret)
  })
})

/** Texts of a body that are not in what went upstream, but for reasoning and its members. */
function leftOut(body: string, asked: string): string[] {
  const texts: string[] = []
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    if (Array.isArray(value)) value.forEach(walk)
    if (!isJsonObject(value)) return
    const isReasoning = /thinking|reasoning/.test(String(value.type)) || value.thought === true
    if (isReasoning) return
    for (const [key, member] of Object.entries(value)) {
      if (!/reasoning|ignature/.test(key)) walk(member)
    }
  }
  walk(exact(body))
  const sent = JSON.stringify(exact(asked))
  return texts.filter((text) => !sent.includes(JSON.stringify(text).slice(1, -1)))
}

describe('without a seal every byte of a native request stays', () => {
  const odd: Readonly<Record<Dialect['name'], string>> = {
    chat: '{ "model" : "test-model", "x":1e2,\n"messages":[{"role":"user","content":"tgs1.abc"}] , "n2":12345678901234567890 }',
    responses:
      '{ "model" : "test-model", "x":1.0,\n"input":"tgs1.abc \\u00fc", "n2":12345678901234567890 }',
    messages:
      '{ "max_tokens":9, "model" : "test-model", "x":1.0,\n"messages":[{"role":"user","content":"dG9sbGdhdGU6abc"}]}',
    gemini:
      '{ "contents":[ {"parts":[{"text":"dG9sbGdhdGU6"}] }], "x":{"data":"text"}, "n2":12345678901234567890}',
  }
  test.each(allDialects)('$name: also where a text looks like one', async (client) => {
    const { status, dropped } = await send(client, testKey, odd[client.name])
    expect({ status, dropped }).toEqual({ status: 200, dropped: null })
    expect(upstream.last().text()).toBe(odd[client.name])
  })
})
