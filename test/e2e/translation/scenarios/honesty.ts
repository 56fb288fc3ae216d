import { expect, test } from 'bun:test'
import type { Bench } from '../bench.ts'
import { ask, type PairNames, pairOf, refused } from '../pair.ts'

/** What a channel can't say is named; and counts, which no channel is asked for. */
export function honestyScenes(bench: () => Bench, names: PairNames): void {
  const pair = () => pairOf(bench(), names)

  test('what is left out is named', async () => {
    const wish = { system: 'Be short.', hint: true }
    await ask(pair(), 'play plain: …', wish, { dropped: pair().client.hint })
  })

  test('a strict request is refused instead, by the name of what would be left out', async () => {
    const wish = { system: 'Be short.', hint: true, headers: { 'x-tollgate-strict': 'true' } }
    const before = pair().upstream.requests()
    const record = { ending: 'refused', cause: 'unsupported_parameter' }
    const fault = await refused(pair(), 'play plain: …', wish, record)
    expect(fault).toMatchObject({ name: pair().client.faults[400], status: 400 })
    expect(fault.message).toStartWith(fault.message.match(/^\d+ /)?.[0] ?? pair().client.hint)
    expect(fault.message).toContain(`${pair().client.hint} (`)
    expect(fault.message).toContain('would be left out')
    expect(pair().upstream.requests()).toBe(before)
  })

  test('a strict request that loses nothing is answered', async () => {
    const headers = { 'x-tollgate-strict': 'true' }
    await ask(pair(), 'play tools: Weather?', { tools: true, system: 'Be short.', headers })
  })

  if (names.client === 'chat') return
  test('T20: the input is counted without asking the channel, and without a charge', async () => {
    const { client, upstream, model } = pair()
    const before = upstream.requests()
    const bare = (await client.count?.(model, 'What is the weather in Paris?', {})) ?? 0
    expect(bare).toBeGreaterThan(5)
    expect(bare).toBeLessThan(25)
    if (names.client !== 'gemini') {
      // Google's SDK sends neither of these.
      const wish = { tools: true, system: 'Be short.' }
      const more = (await client.count?.(model, 'What is the weather in Paris?', wish)) ?? 0
      expect(more).toBeGreaterThan(bare + 15)
    }
    expect(upstream.requests()).toBe(before)
  })
}
