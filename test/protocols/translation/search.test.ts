import { describe, expect, test } from 'bun:test'
import type { CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { arrayIn, isJsonObject, objectIn } from '../../../src/protocols/json.ts'
import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { validateBody, validateStream } from '../../support/validators/validate-stream.ts'
import { byteByByte, cutAtRandom } from '../feeding.ts'
import { contextFor, framesIn, framesOf, readStream, writeStream } from './answers.ts'
import { overTheWire, protocols } from './pairs.ts'
import { streamText } from './wires.ts'

/** A web search that one vendor has run, told of in the words of another. */

type Searching = 'responses' | 'messages' | 'gemini'
const searching: readonly Searching[] = ['responses', 'messages', 'gemini']

const query = 'weather in Utrecht'
const page = { url: 'https://weather.example/utrecht', title: 'Utrecht today' }
const said = 'It is raining.'

/** The same search in an upstream's stream. */
const wire: { readonly [name in Searching]: readonly JsonObject[] } = {
  responses: [
    { type: 'response.created', response: { id: 'resp_1', model: 'up', created_at: 5 } },
    item('added', 0, { type: 'web_search_call', id: 'ws_1', status: 'in_progress' }),
    { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
    item('done', 0, {
      ...{ type: 'web_search_call', id: 'ws_1', status: 'completed' },
      action: { type: 'search', query, sources: [{ type: 'url', ...page }] },
    }),
    item('done', 1, {
      ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
      content: [
        {
          ...{ type: 'output_text', text: said },
          annotations: [{ type: 'url_citation', ...page, start_index: 0, end_index: 14 }],
        },
      ],
    }),
    {
      type: 'response.completed',
      response: { status: 'completed', usage: { input_tokens: 20, output_tokens: 9 } },
    },
  ],
  messages: [
    {
      type: 'message_start',
      message: { id: 'msg_1', model: 'up', usage: { input_tokens: 20, output_tokens: 1 } },
    },
    block(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{"query":"weather' }),
    delta(0, { type: 'input_json_delta', partial_json: ' in Utrecht"}' }),
    { type: 'content_block_stop', index: 0 },
    block(1, {
      ...{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1' },
      content: [{ type: 'web_search_result', ...page, encrypted_content: 'E', page_age: null }],
    }),
    { type: 'content_block_stop', index: 1 },
    block(2, { type: 'text', text: '', citations: [] }),
    delta(2, { type: 'text_delta', text: said }),
    delta(2, {
      type: 'citations_delta',
      citation: {
        ...{ type: 'web_search_result_location', ...page, cited_text: 'Rain' },
        encrypted_index: 'I',
      },
    }),
    { type: 'content_block_stop', index: 2 },
    {
      ...{ type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      usage: { output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
    },
    { type: 'message_stop' },
  ],
  gemini: [
    { candidates: [{ content: { role: 'model', parts: [{ text: said }] }, index: 0 }] },
    {
      candidates: [
        {
          ...{ content: { role: 'model', parts: [{ text: '' }] }, index: 0, finishReason: 'STOP' },
          groundingMetadata: {
            webSearchQueries: [query],
            groundingChunks: [{ web: { uri: page.url, title: page.title } }],
            groundingSupports: [
              {
                segment: { startIndex: 0, endIndex: 14, text: said },
                groundingChunkIndices: [0],
              },
            ],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 9 },
      ...{ modelVersion: 'up', responseId: 'r' },
    },
  ],
}

function item(step: string, index: number, of: JsonObject): JsonObject {
  return { type: `response.output_item.${step}`, output_index: index, item: of }
}
function block(index: number, of: JsonObject): JsonObject {
  return { type: 'content_block_start', index, content_block: of }
}
function delta(index: number, of: JsonObject): JsonObject {
  return { type: 'content_block_delta', index, delta: of }
}

/** With the names that their frames have. */
const eventsOf = (upstream: Searching) =>
  wire[upstream].map((event) => [`${event.type ?? ''}`, event] as const)

const objects = (value: JsonObject | undefined, key: string) =>
  arrayIn(value, key).filter(isJsonObject)

/** What a client of a protocol has of the search in the end: its query, pages, and sources. */
function had(client: ProtocolName, answer: JsonObject): unknown {
  switch (client) {
    case 'chat': {
      const [cited] = objects(objectIn(objects(answer, 'choices')[0], 'message'), 'annotations')
      return objectIn(cited, 'url_citation')?.url
    }
    case 'responses': {
      const items = objects(answer, 'output')
      const search = items.find(({ type }) => type === 'web_search_call')
      const message = items.find(({ type }) => type === 'message')
      const [text] = objects(message, 'content')
      const { type, query: asked, sources } = objectIn(search, 'action') ?? {}
      return [search?.status, type, asked, sources, objects(text, 'annotations')[0]]
    }
    case 'messages': {
      const content = objects(answer, 'content')
      const use = content.find(({ type }) => type === 'server_tool_use')
      const result = content.find(({ type }) => type === 'web_search_tool_result')
      const text = content.find(({ type }) => type === 'text')
      const [found] = objects(result, 'content')
      return [
        ...[use?.input, result?.tool_use_id === use?.id, found?.url, found?.type],
        ...[objects(text, 'citations')[0]?.url, objectIn(answer, 'usage')?.server_tool_use],
      ]
    }
    case 'gemini': {
      const grounding = objectIn(objects(answer, 'candidates')[0], 'groundingMetadata')
      const { webSearchQueries, groundingChunks, groundingSupports } = grounding ?? {}
      return [webSearchQueries, groundingChunks, groundingSupports]
    }
  }
}

const wanted: { readonly [client in ProtocolName]: unknown } = {
  chat: page.url,
  responses: [
    ...['completed', 'search', query, [{ type: 'url', url: page.url }]],
    { type: 'url_citation', ...page, start_index: 0, end_index: said.length },
  ],
  messages: [
    ...[{ query }, true, page.url, 'web_search_result', page.url],
    { web_search_requests: 1, web_fetch_requests: 0 },
  ],
  gemini: [
    [query],
    [{ web: { uri: page.url, title: page.title } }],
    [{ segment: { startIndex: 0, endIndex: 14, text: said }, groundingChunkIndices: [0] }],
  ],
}

const bare = { model: 'm', stream: true, turns: [], tools: [], native: [] }
const context = {
  ...contextFor(bare),
  body: {
    ...{ include: ['web_search_call.action.sources'], stream_options: { include_usage: true } },
  },
}
const clients: readonly ProtocolName[] = ['chat', ...searching]
const ways = searching.flatMap((upstream) =>
  clients.filter((client) => client !== upstream).map((client) => ({ client, upstream })),
)

describe.each(ways)('a search that $upstream has run, for a client of $client', (way) => {
  const { client, upstream } = way
  const bytes = new TextEncoder().encode(streamText(upstream, eventsOf(upstream)))
  const cuts = [[bytes], [...byteByByte(bytes)], [...cutAtRandom(bytes, 7, 30)]]

  const events = readStream(upstream, framesOf([bytes]), context)
  const whole = (answer: CanonicalResponse) =>
    overTheWire(protocols[client].codec.encodeResponse(answer, context))

  test('is told as it is streamed, however the stream is cut', () => {
    const texts = cuts.map((pieces) =>
      writeStream(client, readStream(upstream, framesOf(pieces), context), context),
    )
    const [text = ''] = texts
    expect(new Set(texts).size).toBe(1)
    expect(validateStream(client, text, { usage: true })).toEqual([])
    for (const word of words[client]) expect(text).toContain(word)
    const again = foldEvents(readStream(client, framesIn(text), context))
    expect(had(client, whole(again))).toEqual(wanted[client])
  })

  test('is told in a whole answer', () => {
    const told = whole(foldEvents(events))
    expect(validateBody(client, told)).toEqual([])
    expect(had(client, told)).toEqual(wanted[client])
  })
})

/** What a stream has to hold. */
const words: { readonly [client in ProtocolName]: readonly string[] } = {
  chat: ['"annotations":[{"type":"url_citation"'],
  responses: [
    ...['in_progress', 'searching', 'completed'].map((step) => `response.web_search_call.${step}`),
    'event: response.output_text.annotation.added',
  ],
  messages: [
    ...['"type":"server_tool_use"', '"type":"web_search_tool_result"', '"type":"citations_delta"'],
    '"server_tool_use":{"web_search_requests":1,"web_fetch_requests":0}',
  ],
  gemini: ['"webSearchQueries"', '"groundingChunks"', '"groundingSupports"'],
}
