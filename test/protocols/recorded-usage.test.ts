import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { AnswerObserver } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { recordedBill } from '../support/recorded-bill.ts'
import { type Recording, recordings } from '../support/recordings.ts'
import { watch } from './feeding.ts'

const ways: Record<string, () => AnswerObserver> = {
  chat: chat.operations.completions.createObserver,
  responses: responses.operations.responses.createObserver,
  messages: messages.operations.messages.createObserver,
  gemini: gemini.operations.generate.createObserver,
  images: chat.operations.imageEdits.createObserver,
}

function wayOf(recording: Recording) {
  if (recording.protocol !== 'embeddings') return ways[recording.protocol]
  const google = recording.provider.startsWith('google')
  const operation = google ? gemini.operations.batchEmbed : chat.operations.embeddings
  return operation.createObserver
}

function observe(recording: Recording, observer: AnswerObserver): AnswerObserver['seen'] {
  if (recording.sse === undefined) observer.pushBody(recording.body)
  else watch(observer, recording.sse)
  return observer.seen
}

describe.skipIf(recordings.length === 0)('recorded answers', () => {
  const answers = recordings.filter(({ status }) => status === 200)

  test('the usage of every one is what the vendor reports', () => {
    const wrong: unknown[] = []
    const counted: Record<string, number> = {}
    for (const recording of answers) {
      const way = wayOf(recording)
      if (way === undefined) continue
      const { usage } = observe(recording, way())
      const got = usage && [
        usage.inputTokens,
        usage.outputTokens,
        usage.reasoningTokens,
        usage.cacheReadTokens,
        usage.cacheWriteTokens,
        usage.cacheWrite1hTokens,
      ]
      const expected = recordedBill(recording)
      const kind = `${recording.protocol} ${expected ? 'with' : 'without'} usage`
      counted[kind] = (counted[kind] ?? 0) + 1
      if (!Bun.deepEquals(got, expected)) wrong.push({ id: recording.id, got, expected })
    }
    expect(wrong).toEqual([])
    console.log('recorded usage checked:', counted)
  })

  test('every one that ended is known to have ended, and how', () => {
    const wrong: unknown[] = []
    for (const recording of answers) {
      const way = wayOf(recording)
      if (way === undefined) continue
      const { phase, outcome, errorMessage } = observe(recording, way())
      const failed = recording.features.includes('error_mid_stream')
      const stays = recording.protocol === 'gemini' && recording.stream && !failed
      const right =
        phase === (stays ? 'closing' : 'closed') &&
        (outcome === 'failed') === failed &&
        (errorMessage !== undefined) === failed &&
        outcome !== undefined
      if (!right) wrong.push({ id: recording.id, phase, outcome, errorMessage })
    }
    expect(wrong).toEqual([])
  })

  test('an answer that was cut off by its length limit is incomplete', () => {
    const cut = answers.filter(
      ({ features }) =>
        features.includes('max_tokens_stop') && !features.includes('error_mid_stream'),
    )
    for (const recording of cut) {
      const way = wayOf(recording)
      const outcome = way && observe(recording, way()).outcome
      expect({ id: recording.id, outcome }).toEqual({ id: recording.id, outcome: 'incomplete' })
    }
    expect(cut.length).toBeGreaterThan(0)
  })

  test('chunks of nothing but usage are told from the others', () => {
    let alone = 0
    for (const { protocol, sse, stream } of answers) {
      if (protocol !== 'chat' || !stream || sse === undefined) continue
      const said = watch(chat.operations.completions.createObserver(), sse)
      const marked = said.filter((word) => word === 'usage-only').length
      expect(marked).toBeLessThanOrEqual(1)
      expect(marked).toBe(
        /"choices":\s*\[\],[^\n]*"usage":\s*\{|"usage":\s*\{[^\n]*"choices":\s*\[\]/.test(sse)
          ? 1
          : 0,
      )
      alone += marked
    }
    expect(alone).toBeGreaterThan(20)
  })
})
