import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { parseJsonObject, stringIn } from '../../src/protocols/json.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { RepeatedEvents } from '../../src/protocols/observer.ts'
import type { JsonObject, Operation } from '../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { recordings } from '../support/recordings.ts'
import { split } from './feeding.ts'

const operations = {
  chat: chat.operations.completions,
  messages: messages.operations.messages,
}

/** Fails where an observer that parses every event would note anything else, behind any of them. */
function compare(
  operation: Operation,
  frames: readonly { readonly data: string; readonly event: string }[],
): void {
  const quick = operation.createObserver()
  const exact = operation.createObserver()
  for (const { data, event } of frames) {
    const role = quick.push(data, event)
    // An event that is parsed already is not compared with others.
    const expected = exact.push(data, event, parseJsonObject(data))
    if (role !== expected || !Bun.deepEquals(quick.seen, exact.seen, true)) {
      expect({ data, role, ...quick.seen }).toEqual({ data, role: expected, ...exact.seen })
    }
  }
  expect(quick.seen).toEqual(exact.seen)
}

test('recorded streams are seen as if each of their events was parsed', () => {
  let streams = 0
  for (const { protocol, sse } of recordings) {
    if (sse === undefined || (protocol !== 'chat' && protocol !== 'messages')) continue
    streams++
    const { frames } = split(createSseSplitter(), [new TextEncoder().encode(sse)])
    compare(operations[protocol], frames)
  }
  if (recordings.length > 0) expect(streams).toBeGreaterThan(50)
})

const texts = ['a', 'b', 'ab', ' word', ':', ',', 'index', 'content', '0', '', '"', '\\', '\n']
const more = [
  'é',
  '世界',
  '🙂',
  '\ud83d',
  '\u2028',
  '\u007f',
  'stop',
  'null',
  'text',
  '"a"',
  '\\u0061',
]
const all = [...texts, ...more]

type Pick = <Value>(values: readonly Value[]) => Value

const chatEvent = (pick: Pick): object => {
  const text = pick(all)
  const delta = pick<object>([
    ...Array(8).fill({ content: text }),
    { role: 'assistant', content: text, refusal: null },
    { content: '', reasoning_content: text },
    { content: text, reasoning: pick(all) },
    { content: [{ type: 'text', text }] },
    { tool_calls: [{ index: 0, function: { arguments: text } }] },
    { tool_calls: [{ index: 0, function: { name: 'f', arguments: { a: text } } }] },
  ])
  const id = pick(['1', '1', '1', text])
  const usage = { prompt_tokens: 1, completion_tokens: pick([1, 2]) }
  return pick<object>([
    ...Array(12).fill({ id, choices: [{ index: 0, delta, finish_reason: null }] }),
    { id, choices: [{ index: pick<unknown>([0, 1, 2, null, '0', {}]), delta }] },
    { id, choices: [{ delta }, { index: 1, delta }] },
    { id, choices: [{ delta, finish_reason: pick(['stop', 'length', '', text]) }] },
    { id, choices: [{ delta }], usage },
    { id, choices: [], x_groq: { usage } },
    { id, choices: [{ delta }], error: pick<unknown>([null, false, { message: text }]) },
  ])
}

const messagesEvent = (pick: Pick): object => {
  const text = pick(all)
  const delta = pick<object>([
    ...Array(8).fill({ type: 'text_delta', text }),
    { type: 'thinking_delta', thinking: text },
    { type: 'input_json_delta', partial_json: text },
    { type: 'signature_delta', signature: text },
    { text: null, thinking: text },
  ])
  const index = pick<unknown>([0, 0, 0, 1])
  return pick<object>([
    ...Array(12).fill({ type: 'content_block_delta', index, delta }),
    { index, delta },
    { type: pick(['ping', text]), index, delta },
    { type: 'content_block_start', index, content_block: { type: 'text', text } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'error', error: { message: text } },
  ])
}

const made = { chat: chatEvent, messages: messagesEvent }

describe.each(['chat', 'messages'] as const)('made streams of %s', (name) => {
  test('are seen as if each of their events was parsed', () => {
    let state = 11
    const pick: Pick = (values) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return values[(state >>> 8) % values.length] as never
    }
    for (let stream = 0; stream < 1_500; stream++) {
      const frames = Array.from({ length: 25 }, () => {
        const whole = JSON.stringify(made[name](pick))
        // Some are cut, some have a member twice, some are no JSON.
        const data = pick([
          ...Array<string>(12).fill(whole),
          whole.slice(0, -1),
          whole.replace('"content":', '"content":"a","content":'),
          whole.replace('"text":', '"text":"a","text":'),
          whole.replaceAll('"a"', '"\t"'),
          ` ${whole} `,
          '[DONE',
        ])
        return { data, event: pick(['', 'content_block_delta', 'ping']) }
      })
      compare(operations[name], frames)
    }
  })
})

/** What is said is the text; what else there is must be the same. */
const read = (event: JsonObject) => stringIn(event, 'text')
const eventOf = (text: string, id = 'x') => JSON.stringify({ id, text, end: 1 })

/** What the reader knows that has learnt from these. */
function learnt(...events: readonly string[]) {
  const repeated = new RepeatedEvents(read)
  for (const data of events) repeated.learn(data, JSON.parse(data))
  return repeated
}

describe('one event and the next', () => {
  test('the text is known where nothing else differs', () => {
    const repeated = learnt(eventOf('one'))
    expect(repeated.textOf(eventOf('two'))).toBe('two')
    expect(repeated.textOf(eventOf('世界'))).toBe('世界')
    expect(repeated.textOf(eventOf(''))).toBe('')
  })

  test('what is escaped, cut or not the same is to be parsed', () => {
    const repeated = learnt(eventOf('one'))
    const others = [eventOf('a"b'), eventOf('\\'), eventOf('\n'), eventOf('two', 'y'), '{', '']
    const broken = [eventOf('one').slice(0, -1), '{"id":"x","text":"\t","end":1}']
    const within = ['{"id":"x","text":"', '{"id":"x","text":","end":1}']
    for (const data of [...others, ...broken, ...within]) {
      expect(repeated.textOf(data)).toBeUndefined()
    }
  })

  test('a text that stands elsewhere, too, is not taken for that', () => {
    const repeated = learnt(eventOf('x'))
    for (const text of ['x', 'y']) expect(repeated.textOf(eventOf(text))).toBeUndefined()
    expect(learnt(eventOf(':')).textOf(eventOf('x'))).toBeUndefined()
    expect(learnt(eventOf('end')).textOf(eventOf('x'))).toBe('x')
  })

  test('a stream whose events do not repeat is not compared for long', () => {
    const odd = ['1', '2', '3'].map((id) => eventOf('one', id))
    expect(learnt(...odd.slice(0, 2), eventOf('one')).textOf(eventOf('two'))).toBe('two')
    expect(learnt(...odd, eventOf('one')).textOf(eventOf('two'))).toBeUndefined()
  })
})
