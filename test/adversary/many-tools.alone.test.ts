import { expect, test } from 'bun:test'
import { type JsonObject, type ProtocolName, protocolNames } from '../../src/protocols/protocol.ts'
import { othersThan, readRequest, translate } from '../fuzz/scene.ts'

// What names a tool grows together with the tools: calls in the history, and the tools that are allowed.

const schema = { type: 'object', properties: {} }
const numbered = <T>(count: number, make: (name: string, at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(`tool_${at}`, at))

/** A request with so many tools, of which each was called once, and each is allowed. */
const requestOf: { readonly [name in ProtocolName]: (count: number) => JsonObject } = {
  chat: (count) => ({
    model: 'gpt-5.1',
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        tool_calls: numbered(count, (name) => ({
          id: `c_${name}`,
          type: 'function',
          function: { name, arguments: '{}' },
        })),
      },
      ...numbered(count, (name) => ({ role: 'tool', tool_call_id: `c_${name}`, content: 'ok' })),
    ],
    tools: numbered(count, (name) => ({
      type: 'function',
      function: { name, parameters: schema },
    })),
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'auto',
        tools: numbered(count, (name) => ({ type: 'function', function: { name } })),
      },
    },
  }),
  responses: (count) => ({
    model: 'gpt-5.1',
    input: [
      { role: 'user', content: 'hi' },
      ...numbered(count, (name) => ({
        ...{ type: 'function_call', call_id: `c_${name}`, namespace: 'n', name, arguments: '{}' },
      })),
      ...numbered(count, (name) => ({
        ...{ type: 'function_call_output', call_id: `c_${name}`, output: 'ok' },
      })),
    ],
    tools: [
      {
        type: 'namespace',
        name: 'n',
        tools: numbered(count, (name) => ({ type: 'function', name, parameters: schema })),
      },
    ],
    tool_choice: {
      type: 'allowed_tools',
      mode: 'auto',
      tools: numbered(count, (name) => ({ type: 'function', namespace: 'n', name })),
    },
  }),
  messages: (count) => ({
    model: 'claude-sonnet-4-5',
    max_tokens: 64,
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: numbered(count, (name) => ({
          ...{ type: 'tool_use', id: `c_${name}`, name, input: {} },
        })),
      },
      {
        role: 'user',
        content: numbered(count, (name) => ({
          ...{ type: 'tool_result', tool_use_id: `c_${name}`, content: 'ok' },
        })),
      },
    ],
    tools: numbered(count, (name) => ({ name, input_schema: schema })),
  }),
  gemini: (count) => ({
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: numbered(count, (name) => ({ functionCall: { name, args: {} } })) },
      {
        role: 'user',
        parts: numbered(count, (name) => ({ functionResponse: { name, response: { ok: 1 } } })),
      },
    ],
    tools: [
      {
        functionDeclarations: numbered(count, (name) => ({ name, parametersJsonSchema: schema })),
      },
    ],
    toolConfig: {
      functionCallingConfig: {
        mode: 'ANY',
        allowedFunctionNames: numbered(count, (name) => name),
      },
    },
  }),
}

const models = {
  chat: 'gpt-5.1',
  responses: 'gpt-5.1',
  messages: 'claude-sonnet-4-5',
  gemini: 'gemini-3-pro',
}

/** Of work in proportion this is 4; where each looks through all, 16. */
const mostTimes = 10

test.each(protocolNames)(
  'A7: tools, their calls and a choice of them, of a client of %s',
  async (client) => {
    const take = async (count: number) => {
      const text = JSON.stringify(requestOf[client](count))
      let least = Number.POSITIVE_INFINITY
      for (let run = 0; run < 3; run++) {
        const before = performance.now()
        const asked = readRequest(client, text)
        if (asked === undefined) throw new Error('not read')
        for (const upstream of othersThan(client)) {
          const sent = await translate(asked, upstream, models[upstream])?.encode(signal)
          expect(sent?.length).toBeGreaterThan(0)
        }
        least = Math.min(least, performance.now() - before)
      }
      return least
    }
    const { signal } = new AbortController()
    await take(500)
    let times = 0
    for (let attempt = 0; attempt < 4; attempt++) {
      times = (await take(8_000)) / (await take(2_000))
      if (times < mostTimes) break
    }
    expect(times).toBeLessThan(mostTimes)
  },
)
