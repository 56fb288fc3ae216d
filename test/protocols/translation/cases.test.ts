import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import type { CanonicalRequest, Tool } from '../../../src/protocols/canonical/request.ts'
import { arrayIn, isJsonObject, objectIn } from '../../../src/protocols/json.ts'
import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { validateBody, validateStream } from '../../support/validators/validate-stream.ts'
import { byteByByte, cutAtRandom } from '../feeding.ts'
import { contextFor, framesIn, framesOf, readStream, writeStream } from './answers.ts'
import { overTheWire, type Pair, pairs, protocols } from './pairs.ts'
import { gather } from './replay.ts'
import { said, streamText, wireErrors, wireEvents } from './wires.ts'

/** Answers across protocols: what breaks in other gateways, for every pair. */

const look: Tool = { kind: 'function', name: 'look' }
const patch: Tool = { kind: 'custom', name: 'patch' }
const asked: CanonicalRequest = {
  model: 'm',
  stream: true,
  turns: [],
  tools: [look, patch],
  native: [],
}
const context = { ...contextFor(asked), estimatedInputTokens: 77 }

/** What a client of one protocol is sent for a stream of another, given as its bytes. */
function translate({ client, upstream }: Pair, pieces: Iterable<Uint8Array>): string {
  return writeStream(client, readStream(upstream, framesOf(pieces), context), context)
}
const bytesOf = (text: string) => new TextEncoder().encode(text)
const streamed = (pair: Pair, text = streamText(pair.upstream, wireEvents[pair.upstream])) =>
  translate(pair, [bytesOf(text)])

type Piece = readonly [kind: string, ...texts: string[]]

/** An answer as its client's SDK has it, in order: what was thought, said and called. */
function pieces(client: ProtocolName, answer: JsonObject): readonly Piece[] {
  const objects = (value: JsonObject | undefined, key: string) =>
    arrayIn(value, key).filter(isJsonObject)
  switch (client) {
    case 'chat': {
      const message = objectIn(objects(answer, 'choices')[0], 'message')
      const calls = objects(message, 'tool_calls').map(({ id, function: called }): Piece => {
        const { name, arguments: input } = called as JsonObject
        return ['call', `${id}`, `${name}`, `${input}`]
      })
      return [
        ['reasoning', `${message?.reasoning_content}`],
        ['text', `${message?.content}`],
        ...calls,
      ]
    }
    case 'responses':
      return objects(answer, 'output').flatMap((item): readonly Piece[] => {
        // A signature alone, of gemini's calls, is an item, too.
        const [summary] = objects(item, 'summary')
        if (item.type === 'reasoning') return summary ? [['reasoning', `${summary.text}`]] : []
        if (item.type === 'message') return [['text', `${objects(item, 'content')[0]?.text}`]]
        return [['call', `${item.call_id}`, `${item.name}`, `${item.arguments}`]]
      })
    case 'messages':
      return objects(answer, 'content').flatMap((block): readonly Piece[] => {
        const { thinking } = block
        if (block.type === 'thinking') return thinking ? [['reasoning', `${thinking}`]] : []
        if (block.type === 'text') return [['text', `${block.text}`]]
        return [['call', `${block.id}`, `${block.name}`, JSON.stringify(block.input)]]
      })
    case 'gemini': {
      const content = objectIn(objects(answer, 'candidates')[0], 'content')
      return joined(objects(content, 'parts').filter(({ text }) => text !== ''))
    }
  }
}

function joined(parts: readonly JsonObject[]): readonly Piece[] {
  const list: Piece[] = []
  for (const { text, thought, functionCall: call } of parts) {
    const kind = thought === true ? 'reasoning' : 'text'
    const [lastKind, lastText] = list.at(-1) ?? []
    if (isJsonObject(call)) {
      list.push(['call', `${call.id}`, `${call.name}`, JSON.stringify(call.args)])
    } else if (lastKind === kind) list[list.length - 1] = [kind, `${lastText}${text}`]
    else list.push([kind, `${text}`])
  }
  return list
}

const wanted: readonly Piece[] = [
  ['reasoning', said.reasoning],
  ['text', said.text],
  ...said.calls.map(({ id, name, input }): Piece => ['call', id, name, input]),
]

describe.each(pairs)('$upstream answers a client of $client', (pair) => {
  const { client, upstream } = pair

  test('T1, T3, T4, T10, T12: reasoning, text, two calls, each whole and once', () => {
    const text = streamed(pair)
    expect(validateStream(client, text, { usage: true })).toEqual([])
    expect(pieces(client, gather(client, text))).toEqual(wanted)
  })

  test('T1, T4, T12: the same of one that is not streamed', () => {
    const { codec } = protocols[upstream]
    // What an upstream's own client has in the end is the whole answer.
    const whole = gather(upstream, streamText(upstream, wireEvents[upstream]))
    const answer = codec.decodeResponse(whole, context)
    const told = overTheWire(protocols[client].codec.encodeResponse(answer, context))
    expect(validateBody(client, told)).toEqual([])
    expect(pieces(client, told)).toEqual(wanted)
  })

  test('T2, T13: begins once, and says whose words they are', () => {
    const text = streamed(pair)
    const times = (word: string) => text.split(word).length - 1
    if (client === 'messages') expect(times('"type":"message_start"')).toBe(1)
    if (client === 'responses') expect(times('"type":"response.created"')).toBe(1)
    if (client === 'chat') expect(times('"role":"assistant"')).toBe(1)
    if (client === 'gemini') expect(times('"role":"model"')).toBe(framesIn(text).length)
    expect(framesIn(text)[0]?.data).toMatch(/message_start|response\.created|assistant|model/)
  })

  test('T18, T19: tells the usage, ids of its own kind, the client’s model and the time', () => {
    const text = streamed(pair)
    const events = readStream(client, framesIn(text), context)
    const usage = events.findLast(({ type }) => type === 'end')
    // Of two reports of the input a reader takes the larger: that of a beginning is estimated.
    const isGuessed = client === 'messages' && upstream !== 'messages'
    expect(usage).toMatchObject({ usage: { inputTokens: isGuessed ? 77 : 20, outputTokens: 9 } })
    const prefix = { chat: 'chatcmpl-', responses: 'resp_', messages: 'msg_', gemini: '' }[client]
    const time = upstream === 'chat' || upstream === 'responses' ? 5 : context.createdAt
    const isTimed = client === 'chat' || client === 'responses'
    expect(events[0]).toMatchObject({
      type: 'start',
      id: expect.stringMatching(new RegExp(`^${prefix}.`)),
      model: context.model,
      ...(isTimed ? { createdAt: time } : {}),
    })
  })

  test('T11: two stretches of reasoning are two, and T10: neither is told again', () => {
    // Of one character: gemini's clients get texts of more in pieces.
    const said = ['①', '②']
    const events: readonly AnswerEvent[] = ['first', 'second'].flatMap((text, at) => [
      ...(at === 0 ? [{ type: 'start' } as const] : []),
      { type: 'reasoning-start', id: `r${at}`, choice: 0 },
      { type: 'reasoning-delta', id: `r${at}`, text },
      { type: 'reasoning-end', id: `r${at}`, signature: `sig${at}` },
      { type: 'text-start', id: `t${at}`, choice: 0 },
      { type: 'text-delta', id: `t${at}`, text: said[at] ?? '' },
      { type: 'text-end', id: `t${at}` },
    ])
    const ends: readonly AnswerEvent[] = [
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'end' },
    ]
    // As the upstream would write it for a client of its own, and that for this one.
    const text = streamed(pair, writeStream(upstream, [...events, ...ends], context))
    expect(validateStream(client, text, { usage: true })).toEqual([])
    const answer = JSON.stringify({ ...gather(client, text), chunks: undefined })
    for (const word of ['first', 'second', ...said]) {
      expect({ word, times: answer.split(word).length - 1 }).toEqual({ word, times: 1 })
    }
    const ids = arrayIn(gather('responses', client === 'responses' ? text : ''), 'output')
    expect(new Set(ids.map((item) => objectIn({ item }, 'item')?.id)).size).toBe(ids.length)
  })

  test('S3: an error of the upstream is one for the client, and nothing follows', () => {
    const events = wireEvents[upstream].slice(0, 4)
    const text = streamed(pair, streamText(upstream, [...events, ...wireErrors[upstream]]))
    expect(validateStream(client, text, { ending: 'error', usage: true })).toEqual([])
    expect(framesIn(text).at(-1)?.data).toContain('Overloaded')
  })

  test('S5: without the upstream’s last words the client’s stream ends well, as an error', () => {
    // Chat and messages tell their reason before their last words.
    const words = upstream === 'chat' || upstream === 'messages' ? 2 : 1
    for (let count = 1; count <= wireEvents[upstream].length - words; count++) {
      const cut = streamText('messages', wireEvents[upstream].slice(0, count))
      const text = streamed(pair, cut)
      const violations = validateStream(client, text, { ending: 'error', usage: true })
      expect({ count, violations }).toEqual({ count, violations: [] })
    }
  })

  test('S6: line ends of every kind, comments, a mark of bytes and any cuts change nothing', () => {
    const expected = streamed(pair)
    for (const newline of ['\n', '\r\n', '\r']) {
      const text = streamText(upstream, wireEvents[upstream], newline)
      const marked = `\uFEFF: hello${newline}${newline}${text}`
      const bytes = bytesOf(marked)
      for (const pieces of [[bytes], byteByByte(bytes), cutAtRandom(bytes, 7, 40)]) {
        expect(translate(pair, pieces)).toBe(expected)
      }
    }
  })
})

describe.each(['messages', 'gemini'] as const)('%s calls a custom tool', (upstream) => {
  const input = '*** Begin\n"x" \\ 你好'
  const wires = {
    messages: [
      ['message_start', { type: 'message_start', message: { id: 'msg_1', usage: {} } }],
      [
        'content_block_start',
        {
          ...{ type: 'content_block_start', index: 0 },
          content_block: { type: 'tool_use', id: 'c', name: 'patch', input: {} },
        },
      ],
      [
        'content_block_delta',
        {
          ...{ type: 'content_block_delta', index: 0 },
          delta: { type: 'input_json_delta', partial_json: JSON.stringify({ input }) },
        },
      ],
      ['content_block_stop', { type: 'content_block_stop', index: 0 }],
      ['message_delta', { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} }],
      ['message_stop', { type: 'message_stop' }],
    ],
    gemini: [
      [
        undefined,
        {
          candidates: [
            {
              content: { parts: [{ functionCall: { id: 'c', name: 'patch', args: { input } } }] },
              finishReason: 'STOP',
            },
          ],
        },
      ],
    ],
  } as const

  test.each(['chat', 'responses'] as const)('T14: a client of %s gets its bare text', (client) => {
    const text = streamed({ client, upstream }, streamText('messages', wires[upstream]))
    expect(validateStream(client, text, { usage: true })).toEqual([])
    const answer = gather(client, text)
    const call =
      client === 'chat'
        ? { choices: [{ message: { tool_calls: [{ custom: { name: 'patch', input } }] } }] }
        : { output: [{ type: 'custom_tool_call', call_id: 'c', name: 'patch', input }] }
    expect(answer).toMatchObject(call)
  })
})
