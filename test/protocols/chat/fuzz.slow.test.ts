import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import { createFolder } from '../../../src/protocols/canonical/fold.ts'
import { chatCodec } from '../../../src/protocols/chat/index.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import { startCpuTime } from '../../support/cpu-time.ts'
import { createDice } from '../../support/random.ts'
import { recordings } from '../../support/recordings.ts'
import { checkChunks } from './chunk-checker.ts'
import {
  calls,
  chunk,
  context,
  decodeChunks,
  ending,
  options,
  piece,
  wantsUsage,
  write,
} from './codec-scene.ts'
import { checkEvents } from './event-checker.ts'

type Dice = ReturnType<typeof createDice>

const strange: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    1e300,
    '',
    'x',
    '{',
    '{}',
    '[]',
    [],
    [null],
    [[]],
    {},
    { a: {} },
  ],
  ...[
    { type: 'text' },
    { type: 'function', function: { name: 'f', arguments: {} } },
    'error',
    'data:,',
  ],
]

/** A copy of a value in which a few members are gone, doubled or something else. */
function mutate(value: unknown, dice: Dice, depth = 0): unknown {
  if (dice(depth < 2 ? 40 : 14) === 0) return strange[dice(strange.length)]
  if (Array.isArray(value)) {
    const items = value.map((item) => mutate(item, dice, depth + 1))
    return dice(12) === 0 ? [...items, ...items] : items
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).filter(() => dice(20) > 0)
  return Object.fromEntries(entries.map(([key, member]) => [key, mutate(member, dice, depth + 1)]))
}

const seeds: readonly unknown[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk(
    { content: 'a' },
    {
      logprobs: {
        content: [{ token: 'a', logprob: -1, top_logprobs: [{ token: 'b', logprob: 0 }] }],
      },
    },
  ),
  chunk({
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: 'a' }] },
      { type: 'text', text: 'b' },
    ],
  }),
  chunk({
    reasoning: 'a',
    reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: 's', index: 0 }],
  }),
  chunk({ refusal: 'No', images: [{ image_url: { url: 'https://a.test' } }] }),
  chunk({
    annotations: [
      { type: 'url_citation', url_citation: { url: 'u', start_index: 1, end_index: 2 } },
    ],
  }),
  calls(piece(0, 'a', 'f', '{"x"'), piece(1, 'b', 'g', '{}')),
  calls(piece(0, undefined, undefined, ':1}')),
  calls({ index: 2, id: 'c', type: 'custom', custom: { name: 'p', input: 'x' } }),
  chunk({ function_call: { name: 'f', arguments: '{}' } }),
  { ...ending('tool_calls'), usage: { prompt_tokens: 1, completion_tokens: 2 } },
  { choices: [{ index: 1, delta: { content: 'x' } }], x_groq: { usage: { prompt_tokens: 1 } } },
  { choices: [], citations: ['https://a.test'], error: null },
]

describe('bytes of any kind', () => {
  test('from an upstream never throw, and give events in good order', () => {
    for (let round = 0; round < 400; round++) {
      const dice = createDice(round)
      const chunks = Array.from({ length: 12 }, () => mutate(seeds[dice(seeds.length)], dice))
      if (dice(3) > 0) chunks.push('[DONE]')
      const events = decodeChunks(chunks)
      expect(() => checkEvents(events, false)).not.toThrow()
      const written = write(events)
      if (events.at(-1)?.type === 'end') expect(() => checkChunks(written, true)).not.toThrow()
      const folder = createFolder()
      for (const event of events) folder.push(event)
      expect(() => chatCodec.encodeResponse(folder.response(), wantsUsage)).not.toThrow()
    }
  })

  test('as a whole answer never throw', () => {
    const bodies = recordings.filter(({ protocol }) => protocol === 'chat').map(({ body }) => body)
    const whole = [...bodies.slice(0, 60), { choices: seeds.map((seed) => ({ message: seed })) }]
    for (let round = 0; round < 1_500; round++) {
      const dice = createDice(round)
      const body = mutate(whole[dice(whole.length)], dice)
      if (!isJsonObject(body)) continue
      const answer = chatCodec.decodeResponse(body, context())
      expect(() => chatCodec.encodeResponse(answer, context())).not.toThrow()
      expect(() => chatCodec.decodeError(body)).not.toThrow()
    }
  })

  test('as a request give a request that can be written, or a refusal that names the field', () => {
    const requests = recordings
      .filter(({ protocol }) => protocol === 'chat')
      .map(({ request }) => request)
    const small = requests.filter((request) => JSON.stringify(request ?? '').length < 20_000)
    for (let round = 0; round < 1_500 && small.length > 0; round++) {
      const dice = createDice(round)
      const body = mutate(small[dice(small.length)], dice)
      if (!isJsonObject(body)) continue
      const outcome = attempt(() => {
        const request = chatCodec.decodeRequest(body, { model: 'm', stream: false })
        return chatCodec.encodeRequest(request, options('reasoning_content', 'cache_control'))
      })
      if (outcome instanceof TranslationError) expect(outcome.fault.param).not.toBe('')
      else expect(outcome).toMatchObject({ model: 'upstream-model' })
    }
  })
})

function attempt(step: () => unknown): unknown {
  try {
    return step()
  } catch (error) {
    if (error instanceof TranslationError) return error
    throw error
  }
}

describe('a long stream', () => {
  test('costs no more for each chunk at its end than at its beginning', () => {
    const open = Array.from({ length: 4_000 }, (_, index) =>
      calls(piece(index, `c${index}`, 'f', '{"a')),
    )
    const more = Array.from({ length: 20_000 }, () =>
      calls(piece(3_999, undefined, undefined, 'a')),
    )
    const cpuMs = startCpuTime()
    const events = decodeChunks([...open, ...more, ending('stop'), '[DONE]'])
    expect(cpuMs()).toBeLessThan(2_000)
    expect(events.at(-1)?.type).toBe('end')
  })
})
