import { describe, expect, test } from 'bun:test'
import {
  createCounts,
  decodeUsage,
  noteUsage,
  type UsageReports,
} from '../../src/protocols/canonical/extras.ts'
import { createObservation } from '../../src/protocols/canonical/observation.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { chatReports } from '../../src/protocols/chat/usage.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { geminiReports } from '../../src/protocols/gemini/usage.ts'
import { decodeStoredUsage } from '../../src/protocols/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { messagesReports } from '../../src/protocols/messages/usage.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { responsesReports } from '../../src/protocols/responses/usage.ts'
import { createRandom } from '../support/random.ts'
import { recordings } from '../support/recordings.ts'
import { watch } from './feeding.ts'

/** What is stored of some reports of one stream. */
function stored(reports: UsageReports, ...wires: readonly unknown[]) {
  const seen = createObservation()
  const counts = createCounts()
  for (const wire of wires) noteUsage(seen, counts, wire, reports)
  return seen
}

describe('the reports of a stream', () => {
  test('that grow are laid over each other: what was left out later stays', () => {
    const start = { input_tokens: 5, output_tokens: 1, service_tier: 'standard' }
    const seen = stored(messagesReports, start, { output_tokens: 9 })
    expect(seen.usageRaw).toEqual({ input_tokens: 5, output_tokens: 9, service_tier: 'standard' })
  })

  test('that take a count back are both kept', () => {
    const wires = [{ promptTokenCount: 169 }, { promptTokenCount: 79, candidatesTokenCount: 12 }]
    const seen = stored(geminiReports, ...wires)
    expect(seen.usage).toMatchObject({ inputTokens: 169, outputTokens: 12 })
    expect(seen.usageRaw).toEqual(wires)
  })

  test('become one again when a later one knows more', () => {
    const wires = [{ promptTokenCount: 5 }, { promptTokenCount: 3 }, { promptTokenCount: 7 }]
    expect(stored(geminiReports, ...wires).usageRaw).toEqual({ promptTokenCount: 7 })
  })

  test('without counts are as if there were none', () => {
    const seen = stored(geminiReports, { promptTokenCount: 5 }, { trafficType: 'x' }, null)
    expect(seen.usageRaw).toEqual({ promptTokenCount: 5 })
  })

  test('never fill the memory, however often they change their mind', () => {
    const wires = Array.from({ length: 1000 }, (_, at) => ({
      prompt_tokens: at % 2 === 0 ? 1000 - at : at,
      completion_tokens: at % 2 === 0 ? at : 1000 - at,
    }))
    const { usageRaw, usage } = stored(chatReports, ...wires)
    expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 999 })
    expect(JSON.stringify(usageRaw).length).toBeLessThan(10_000)
  })
})

const fields: { readonly [protocol: string]: readonly string[] } = {
  chat: [
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
    'prompt_cache_hit_tokens',
    'prompt_tokens_details.cached_tokens',
    'prompt_tokens_details.cache_write_tokens',
    'completion_tokens_details.reasoning_tokens',
  ],
  responses: [
    'input_tokens',
    'output_tokens',
    'input_tokens_details.cached_tokens',
    'output_tokens_details.reasoning_tokens',
  ],
  messages: [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'cache_creation.ephemeral_5m_input_tokens',
    'cache_creation.ephemeral_1h_input_tokens',
    'output_tokens_details.thinking_tokens',
  ],
  gemini: [
    'promptTokenCount',
    'toolUsePromptTokenCount',
    'cachedContentTokenCount',
    'candidatesTokenCount',
    'thoughtsTokenCount',
  ],
}

/** Reports such as no vendor would send: every field at random, or absent. */
function randomReport(protocol: string, random: () => number): object {
  const report: { [field: string]: unknown } = {}
  for (const path of fields[protocol] ?? []) {
    if (random() < 0.4) continue
    const [field = '', inner] = path.split('.')
    const count = Math.floor(random() * 40)
    report[field] = inner === undefined ? count : { ...(report[field] as object), [inner]: count }
  }
  const compaction = { type: 'compaction', input_tokens: Math.floor(random() * 9) }
  if (protocol === 'messages' && random() < 0.3) report.iterations = [compaction]
  return report
}

describe('what is stored decodes to what is charged', () => {
  test.each<[string, UsageReports]>([
    ['chat', chatReports],
    ['responses', responsesReports],
    ['messages', messagesReports],
    ['gemini', geminiReports],
  ])('%s: for any reports, in any order', (protocol, reports) => {
    const random = createRandom(7)
    for (let round = 0; round < 5_000; round++) {
      const wires = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
        randomReport(protocol, random),
      )
      const { usage, usageRaw } = stored(reports, ...wires)
      const again = JSON.parse(JSON.stringify(usageRaw ?? null)) as unknown
      expect({ wires, usage: decodeUsage(again, reports) }).toEqual({ wires, usage })
      expect(decodeStoredUsage(protocol, again)).toEqual(usage)
    }
  })

  const observers: { readonly [protocol: string]: typeof chat.operations.completions } = {
    chat: chat.operations.completions,
    responses: responses.operations.responses,
    messages: messages.operations.messages,
    gemini: gemini.operations.generate,
  }

  test.skipIf(recordings.length === 0)('for every recorded answer', () => {
    let checked = 0
    for (const { id, protocol, status, sse, body } of recordings) {
      const operation = observers[protocol]
      if (status !== 200 || operation === undefined) continue
      const observer = operation.createObserver()
      if (sse === undefined) observer.pushBody(body)
      else watch(observer, sse)
      const { usage, usageRaw } = observer.seen
      if (usage === undefined) continue
      const again: unknown = JSON.parse(JSON.stringify(usageRaw))
      expect({ id, usage: decodeStoredUsage(protocol, again) }).toEqual({ id, usage })
      checked++
    }
    expect(checked).toBeGreaterThan(700)
  })

  test('a protocol that is none has no decoder', () => {
    expect(decodeStoredUsage('telegraph', { prompt_tokens: 5 })).toBeUndefined()
    expect(decodeStoredUsage('toString', { prompt_tokens: 5 })).toBeUndefined()
  })
})

test('an answer that is still being worked on has used nothing yet', () => {
  const observer = responses.operations.responses.createObserver()
  observer.pushBody({
    id: 'resp_1',
    object: 'response',
    background: true,
    status: 'in_progress',
    usage: { input_tokens: 5, output_tokens: 0 },
  })
  expect(observer.seen).toMatchObject({ pending: true, usage: undefined, usageRaw: undefined })
})

describe('counts that are written as texts', () => {
  /** A report of each protocol, with all that it counts. */
  const told = {
    chat: {
      prompt_tokens: 12,
      completion_tokens: 7,
      total_tokens: 19,
      prompt_tokens_details: { cached_tokens: 3, audio_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
    responses: {
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 3, cache_write_tokens: 1 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 4 },
    },
    messages: {
      input_tokens: 12,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
      output_tokens: 7,
      server_tool_use: { web_search_requests: 2 },
    },
    gemini: {
      promptTokenCount: 12,
      cachedContentTokenCount: 3,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 4,
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
    },
  } as const
  const written = (report: object, text: (count: number) => string): unknown =>
    JSON.parse(JSON.stringify(report), (_, value) =>
      typeof value === 'number' ? text(value) : value,
    )

  test.each([
    ['as they are', (count: number) => `${count}`],
    ['with a point', (count: number) => `${count}.0`],
    ['in spaces', (count: number) => ` ${count} `],
  ])('are read as the numbers that they are, in all protocols: %s', (_, text) => {
    for (const [protocol, report] of Object.entries(told)) {
      const usage = decodeStoredUsage(protocol, report)
      expect(usage).toBeDefined()
      expect([protocol, decodeStoredUsage(protocol, written(report, text))]).toEqual([
        protocol,
        usage,
      ])
    }
  })

  test('count when they come, and are stored so that they are read again as what was charged', () => {
    const report = written(told.chat, String)
    const seen = stored(chatReports, report)
    expect(seen.usage).toMatchObject({ inputTokens: 9, outputTokens: 7, reasoningTokens: 4 })
    expect([seen.usageRaw, seen.lacksInput, seen.reportedLength]).toEqual([report, false, 0])
    expect(decodeStoredUsage('chat', seen.usageRaw)).toEqual(seen.usage)
  })
})
