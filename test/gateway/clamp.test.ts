import { describe, expect, test } from 'bun:test'
import { clampUsage } from '../../src/gateway/money/estimate.ts'
import { usedTokens } from '../../src/gateway/money/record.ts'
import { createObservation } from '../../src/protocols/canonical/observation.ts'
import { emptyUsage } from '../../src/protocols/canonical/usage.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { createExchange } from './exchange-parts.ts'

const usage = { ...emptyUsage, inputTokens: 60, outputTokens: 100, cacheReadTokens: 40 }

describe('B11: what a model can have used', () => {
  test('is left as it is up to its window, the very same', () => {
    expect(clampUsage(usage, 100, 1)).toBe(usage)
  })

  test('of too much input, the largest count is cut', () => {
    expect(clampUsage({ ...usage, inputTokens: 1_000_000 }, 100, 1)).toEqual(usage)
    const cached = { ...usage, inputTokens: 60, cacheReadTokens: 1_000_000 }
    expect(clampUsage(cached, 100, 1)).toEqual(usage)
  })

  test('of output, each answer has a window of its own, reasoning included', () => {
    const wordy = { ...usage, outputTokens: 500, reasoningTokens: 450 }
    expect(clampUsage(wordy, 100, 4)).toMatchObject({ outputTokens: 400, reasoningTokens: 400 })
  })

  test('is no more than the largest windows there are, where its own is not known', async () => {
    const body = { model: 'small', messages: [{ role: 'user', content: 'hello' }] }
    const operation = chat.operations.completions
    const { exchange } = await createExchange({ protocol: chat, operation, body })
    const absurd = { ...usage, outputTokens: 1_000_000_000 }
    const seen = { ...createObservation(), usage: absurd, outcome: 'complete' as const }
    expect(exchange.plan?.offer.contextWindow).toBeNull()
    expect(await usedTokens(exchange, seen, async () => 0)).toMatchObject({
      usage: { outputTokens: 2_000_000 },
      clamped: true,
    })
  })
})
