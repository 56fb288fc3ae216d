import { describe, expect, test } from 'bun:test'
import { createMeter, endlessMeter } from '../../src/gateway/money/meter.ts'
import {
  addText,
  createObservation,
  type Observation,
} from '../../src/protocols/canonical/observation.ts'
import { createMoneyScene, type MoneyOptions } from './money-scene.ts'

// One token costs 800 nano-USD in and 1,600 out. Every word here is one token, with the space in
// front of it; the question "hello" is one, and is set aside for as two, with the margin.

const little = 2 * 800 + 64 * 1_600

const said = (words: number): Observation => {
  const seen = createObservation()
  for (let i = 0; i < words; i++) addText(seen.text, ' one')
  return seen
}

/** A meter for a stream that was let in. */
async function meterFor(options: MoneyOptions) {
  const scene = await createMoneyScene(options)
  await scene.reserveMoney()
  await scene.exchange.reservation?.ensureStored()
  return { ...scene, meter: createMeter(scene.parts, scene.exchange) }
}

const held = ({ reservations }: Awaited<ReturnType<typeof meterFor>>) =>
  reservations.heldFor('req_1')

describe('a meter', () => {
  test('of what costs nothing, or is not set aside, never asks', async () => {
    await using scene = await createMoneyScene({ balanceNano: 1_000 })
    const none = createMeter(scene.parts, scene.exchange)
    expect(none).toBe(endlessMeter)
    expect(none.limit).toBe(Number.POSITIVE_INFINITY)
    expect(await none.cover(said(1_000_000))).toBeTrue()
    expect(await none.pays(said(1_000_000))).toBeTrue()
    await using free = await meterFor({ balanceNano: 1_000, terms: { unit: 'free' } })
    expect(await free.meter.cover(said(100_000))).toBeTrue()
    expect(free.meter.limit).toBe(Number.POSITIVE_INFINITY)
  })

  test('by the call never asks again either', async () => {
    const terms = { unit: 'call', perCallNano: 500 } as const
    await using scene = await meterFor({ balanceNano: 1_000, terms })
    expect(await scene.meter.cover(said(100_000))).toBeTrue()
    expect(scene.meter.limit).toBe(Number.POSITIVE_INFINITY)
    expect(held(scene)).toBe(400)
  })

  test('asks for the first time where a token to each character would have used it up', async () => {
    await using scene = await meterFor({ balanceNano: little })
    expect(scene.exchange.reservation?.outputTokens).toBe(64)
    expect(scene.meter.limit).toBe(64)
  })

  test('of an answer with a limit of its own asks when it is longer than that', async () => {
    const more = { max_completion_tokens: 100 }
    await using scene = await meterFor({ balanceNano: 1e9, more })
    expect(scene.exchange.reservation?.isEnough).toBeTrue()
    // Ordinary text has four to five characters to a token.
    expect(scene.meter.limit).toBeGreaterThanOrEqual(400)
  })

  test('sets more aside as the answer grows, as long as there is room', async () => {
    // Its own limit is what is set aside for; this upstream overlooks it.
    const more = { max_completion_tokens: 64 }
    await using scene = await meterFor({ balanceNano: 10_000_000, more })
    const before = held(scene)
    expect(await scene.meter.cover(said(200))).toBeTrue()
    expect(held(scene)).toBeGreaterThan(before)
    expect(scene.meter.limit).toBeGreaterThan(200 * ' one'.length)
    expect((await scene.sum()).reservedNano).toBe(held(scene))
    expect(await scene.meter.cover(said(5_000))).toBeTrue()
    expect(held(scene)).toBeWithin(5_000 * 1_600, 10_000_001)
  })

  test('never sets aside more than there is, and says when that is used', async () => {
    await using scene = await meterFor({ balanceNano: little, usualOutputTokens: 64 })
    expect(await scene.meter.cover(said(30))).toBeTrue()
    expect(await scene.meter.cover(said(60))).toBeTrue()
    expect(held(scene)).toBe(little)
    // 800 + 65 × 1,600 are more than 104,000; 64 words are paid, and leave a hundredth of a word.
    expect(await scene.meter.pays(said(64))).toBeTrue()
    expect(await scene.meter.pays(said(65))).toBeFalse()
    expect(await scene.meter.cover(said(65))).toBeFalse()
    expect(held(scene)).toBe(little)
  })

  test('lets no more text pass unasked than is paid for, of whatever kind it is', async () => {
    await using scene = await meterFor({ balanceNano: 2 * 800 + 1_000 * 1_600 })
    const seen = said(500)
    expect(await scene.meter.cover(seen)).toBeTrue()
    // English until now; what follows has two tokens to the character.
    const bytesOf = ({ text }: Observation) => new TextEncoder().encode(text.sample).length
    let passed = 0
    while (!isAsked(scene.meter.limit, seen)) {
      passed = bytesOf(seen)
      addText(seen.text, 'ሀሆለሎ')
    }
    expect(passed).toBeGreaterThan(0)
    seen.text.sample = new TextDecoder().decode(
      new TextEncoder().encode(seen.text.sample).slice(0, passed),
    )
    seen.text.length = seen.text.sample.length
    expect(await scene.meter.pays(seen)).toBeTrue()
  })

  test('goes by the upstream’s own figures where they are higher', async () => {
    await using scene = await meterFor({ balanceNano: little })
    const usage = { ...said(0), ...createObservation() }
    const told = { inputTokens: 1, outputTokens: 70, reasoningTokens: 60 }
    const cached = { cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 }
    const seen = { ...usage, usage: { ...told, ...cached }, text: said(10).text }
    expect(await scene.meter.pays(seen)).toBeFalse()
    expect(await scene.meter.cover(seen)).toBeFalse()
  })
})

/** As the relay asks it. */
function isAsked(limit: number, { text }: Observation): boolean {
  const { length, bytes = length } = text as { readonly length: number; readonly bytes?: number }
  return bytes > limit
}
