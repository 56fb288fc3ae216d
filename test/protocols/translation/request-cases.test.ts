import { describe, expect, test } from 'bun:test'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import type { Quirk } from '../../../src/protocols/canonical/quirks.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import type { Fault, JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { createEventSealer, openRequest } from '../../../src/protocols/translation/seal.ts'
import { contextFor, framesIn, readStream, writeStream } from './answers.ts'
import { fit } from './fitting.ts'
import { optionsFor, overTheWire, type Pair, pairs, protocols } from './pairs.ts'
import { bodyAfter, gather } from './replay.ts'
import { type Bodies, choices, image, images, limits, tools } from './request-wires.ts'
import { sendRequest } from './send-request.ts'
import { said, streamText, wireEvents } from './wires.ts'

/** Requests across protocols: what breaks in other gateways, for every pair. */

const target = { model: 'm', stream: false }

/** A client's body with what each of them must have. */
const whole = (client: ProtocolName, body: JsonObject): JsonObject => {
  const least: Bodies = {
    chat: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
    responses: { model: 'm', input: 'Hi' },
    messages: { model: 'm', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] },
    gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  }
  return { ...least[client], ...body }
}

/** The body that an upstream gets for one of a client; both are what their protocols take. */
function taken(pair: Pair, given: JsonObject): JsonObject {
  const body = whole(pair.client, given)
  expect(protocols[pair.client].generation.check(body)).toBeUndefined()
  const request = protocols[pair.client].codec.decodeRequest(body, target)
  const { body: sent } = sendRequest(request, pair)
  expect(protocols[pair.upstream].generation.check(sent)).toBeUndefined()
  return sent
}

/** Why a client's body is refused. */
function refusal(pair: Pair, given: JsonObject): Fault | undefined {
  try {
    taken(pair, given)
    return undefined
  } catch (error) {
    if (error instanceof TranslationError) return error.fault
    throw error
  }
}

const from = (...clients: readonly ProtocolName[]) =>
  pairs.filter(({ client }) => clients.includes(client))

/** Members of a body, by their path. */
function read(body: JsonObject, path: string): unknown {
  let value: unknown = body
  for (const step of path.split('.')) value = isJsonObject(value) ? value[step] : undefined
  return value
}

const place = (path: string, value: unknown): JsonObject =>
  path.split('.').reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as JsonObject

describe.each(pairs)('a client of $client asks $upstream', (pair) => {
  const { client, upstream } = pair

  test('T16: for a limit, whatever it is called', () => {
    const sent = taken(pair, place(limits[client], 300))
    const found = Object.values(limits).filter((path) => read(sent, path) !== undefined)
    expect(found).toEqual([limits[upstream]])
    expect(read(sent, limits[upstream])).toBe(300)
  })

  test.each(Object.entries(choices))('T17: to call %s of its tools', (_name, bodies) => {
    const sent = taken(pair, { ...tools[client], ...bodies[client] })
    expect(sent).toMatchObject(bodies[upstream])
  })

  test.each(Object.entries(images))('T15: with an image %s, which arrives', (_name, bodies) => {
    const text = JSON.stringify(taken(pair, bodies[client]))
    expect(text.split(image.data).length - 1).toBe(1)
  })

  test('T15: of text only with one, which is refused by name', () => {
    if (upstream !== 'chat') return
    const quirks = new Set<Quirk>(['text_only'])
    for (const bodies of Object.values(images)) {
      const body = whole(client, bodies[client])
      const request = protocols[client].codec.decodeRequest(body, target)
      const asking = () => fit(request, client, { protocol: upstream, quirks }, false)
      expect(asking).toThrow(/image/i)
    }
  })

  test('T19: to stop at a sequence: it is told, or the gateway’s own work', () => {
    const stops: { readonly [protocol in ProtocolName]?: string } = {
      chat: 'stop',
      messages: 'stop_sequences',
      gemini: 'generationConfig.stopSequences',
    }
    const [own, theirs] = [stops[client], stops[upstream]]
    if (own === undefined) return
    const body = place(own, ['END'])
    if (theirs === undefined) expect(JSON.stringify(taken(pair, body))).not.toContain('END')
    else expect(read(taken(pair, body), theirs)).toEqual(['END'])
  })

  test('T22: with a schema that says what it does not take: in words, or as it is', () => {
    // Chat, responses and messages pass schemas of tools on as they are.
    const schema = { type: 'object', properties: { a: { not: { type: 'string' } } } }
    const body: Bodies = {
      chat: { tools: [{ type: 'function', function: { name: 'a', parameters: schema } }] },
      responses: { tools: [{ type: 'function', name: 'a', parameters: schema }] },
      messages: { tools: [{ name: 'a', input_schema: schema }] },
      gemini: { tools: [{ functionDeclarations: [{ name: 'a', parametersJsonSchema: schema }] }] },
    }
    const text = JSON.stringify(taken(pair, body[client]))
    if (upstream === 'gemini') expect(text).toContain('Must not fit: {\\"type\\":\\"string\\"}.')
    else expect(text).toContain('"not":{"type":"string"}')
  })
})

describe('calls in earlier turns', () => {
  const input = { at: 'home', n: 12 }
  const called: { readonly [client in 'chat' | 'responses']: JsonObject } = {
    chat: {
      messages: [
        { role: 'user', content: 'Hi' },
        {
          ...{ role: 'assistant', content: null },
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: input } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
      ],
    },
    responses: {
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'c', name: 'a', arguments: input },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
      ],
    },
  }
  test.each(from('chat', 'responses'))(
    'T5: with arguments as an object, from $client to $upstream',
    (pair) => {
      const { client, upstream } = pair
      if (client !== 'chat' && client !== 'responses') return
      const text = JSON.stringify(taken(pair, called[client]))
      const isText = upstream === 'chat' || upstream === 'responses'
      const json = JSON.stringify(input)
      expect(text).toContain(isText ? JSON.stringify(json) : json)
    },
  )

  test.each(pairs.filter(({ upstream }) => upstream === 'chat'))(
    'T7: have the reasoning that $upstream wants back beside them, by clients of $client',
    ({ client }) => {
      const sealer = createSecretBox('a secret').texts
      const asked = { ...target, turns: [], tools: [], native: [] }
      const context = contextFor(asked)
      const events = readStream('chat', framesIn(streamText('chat', wireEvents.chat)), context)
      const sealed = events.map(createEventSealer('here', sealer))
      const next = bodyAfter(client, gather(client, writeStream(client, sealed, context)))
      const request = protocols[client].codec.decodeRequest(overTheWire(next), target)
      const opened = openRequest(request, 'here', sealer)
      const quirks = new Set<Quirk>(['reasoning_content'])
      const fitted = fit(opened, client, { protocol: 'chat', quirks }, false)
      expect(fitted.dropped).toEqual([])
      const options = { ...optionsFor('chat'), quirks }
      expect(protocols.chat.codec.encodeRequest(fitted.request, options)).toMatchObject({
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: said.text,
            reasoning_content: said.reasoning,
            tool_calls: said.calls.map(({ id }) => ({ id })),
          },
          ...said.calls.map(({ id }) => ({ role: 'tool', tool_call_id: id })),
        ],
      })
    },
  )
})

describe('what other gateways mishandle in a client’s request', () => {
  test.each(
    pairs
      .filter(({ upstream }) => upstream === 'messages' || upstream === 'gemini')
      .filter(({ client }) => client === 'chat' || client === 'responses'),
  )('T14: a custom tool of $client is a function for $upstream, its grammar in words', (pair) => {
    const definition = 'start: "a" | "b"'
    const grammar = { syntax: 'lark', definition }
    const custom = { name: 'patch', description: 'Patches.' }
    const body: JsonObject =
      pair.client === 'chat'
        ? {
            tools: [
              { type: 'custom', custom: { ...custom, format: { type: 'grammar', grammar } } },
            ],
          }
        : { tools: [{ type: 'custom', ...custom, format: { type: 'grammar', ...grammar } }] }
    const text = JSON.stringify(taken(pair, body))
    expect(text).toContain('Patches.')
    expect(text).toContain(JSON.stringify(definition).slice(1, -1))
    expect(text).toContain('"required":["input"]')
  })

  test.each(from('responses').concat(from('messages')))(
    'T14: tools and items of the vendor’s own are refused by name, from $client to $upstream',
    (pair) => {
      const body: JsonObject =
        pair.client === 'responses'
          ? { tools: [{ type: 'local_shell' }] }
          : { tools: [{ type: 'bash_20250124', name: 'bash' }] }
      expect(refusal(pair, body)).toMatchObject({
        code: 'unsupported_parameter',
        param: 'tools[0]',
      })
    },
  )

  test.each(from('chat'))('T21: roles, names, empty and null content, for $upstream', (pair) => {
    const messages = [
      { role: 'system', content: '' },
      { role: 'developer', name: 'boss', content: 'Be kind.' },
      { role: 'user', name: 'ann', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'user', content: [] },
      { role: 'assistant', content: '', refusal: null },
      { role: 'user', content: 'Go on' },
    ]
    const text = JSON.stringify(taken(pair, { messages }))
    for (const word of ['Be kind.', 'Hi', 'Go on']) expect(text).toContain(word)
    expect(text).not.toMatch(/"role":"(system|developer)","content":""/)
  })
})
