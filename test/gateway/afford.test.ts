import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../src/gateway/errors.ts'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'
import { dialects } from '../e2e/dialects.ts'
import { createMoneyScene, type MoneyOptions } from './money-scene.ts'

// What is set aside for a request. One token costs 1,000 nano-USD in and 2,000 out, times the
// group's multiplier of 0.8: 800 and 1,600.

const rich = { balanceNano: 1_000_000_000_000 }
const rates = { input: 1_000_000, output: 2_000_000, cacheRead: null, cacheWrite: null }
const byTokens = (more: object = {}): PriceTerms => ({
  ...{ unit: 'tokens', tiers: [] },
  base: { ...rates, cacheWrite1h: null, ...more },
})

/** Sets aside; gives the amount, and what of it the meter goes by. */
async function aside(options: Partial<MoneyOptions>) {
  await using scene = await createMoneyScene({ ...rich, stream: false, ...options })
  await scene.setAside()
  const { reservation } = scene.exchange
  await reservation?.written()
  const { reservedNano } = await scene.sum()
  const { outputTokens, isEnough } = reservation ?? {}
  const amountNano = scene.reservations.heldFor('req_1')
  expect(reservedNano).toBe(amountNano)
  return { amountNano, outputTokens, isEnough, bytes: scene.body.bytes.byteLength }
}

describe('with money enough', () => {
  test('the question by its bytes, and the request’s own limit of its answer', async () => {
    const { bytes, ...set } = await aside({ more: { max_completion_tokens: 100 } })
    const amountNano = bytes * 800 + 100 * 1_600
    expect(set).toEqual({ amountNano, outputTokens: 100, isEnough: true })
  })

  test('without a limit of its own, the longest of answers', async () => {
    const { bytes, ...set } = await aside({ usualOutputTokens: 500 })
    const amountNano = bytes * 800 + 131_072 * 1_600
    expect(set).toEqual({ amountNano, outputTokens: 131_072, isEnough: false })
  })

  test('as many answers as are asked for', async () => {
    const { bytes, ...set } = await aside({ more: { max_tokens: 100, n: 7 } })
    const amountNano = bytes * 800 + 700 * 1_600
    expect(set).toEqual({ amountNano, outputTokens: 700, isEnough: true })
  })

  test('the question at the price of writing it to a cache, where that is dearer', async () => {
    const more = { max_tokens: 100 }
    const dear = await aside({ more, terms: byTokens({ cacheWrite: 1_250_000 }) })
    expect(dear.amountNano).toBe(dear.bytes * 1_000 + 100 * 1_600)
    const cheap = await aside({ more, terms: byTokens({ cacheWrite: 900_000 }) })
    expect(cheap.amountNano).toBe(cheap.bytes * 800 + 100 * 1_600)
  })

  test('the question at the price of an hour in the cache, where it is to stay so long', async () => {
    const terms = byTokens({ cacheWrite: 1_250_000, cacheWrite1h: 2_000_000 })
    const cache_control = { type: 'ephemeral', ttl: '1h' }
    const content = [{ type: 'text', text: 'hello', cache_control }]
    const more = { max_tokens: 100, messages: [{ role: 'user', content }] }
    const set = await aside({ dialect: dialects.messages, more, terms })
    expect(set.amountNano).toBe(set.bytes * 1_600 + 100 * 1_600)
  })

  test('by the tier of its context', async () => {
    const tiers = [{ above: 20, ...rates, input: 3_000_000, output: 5_000_000, cacheWrite1h: null }]
    const terms = { ...byTokens(), tiers } as PriceTerms
    const { bytes, amountNano } = await aside({ more: { max_tokens: 100 }, terms })
    expect(bytes).toBeGreaterThan(20)
    expect(amountNano).toBe(bytes * 2_400 + 100 * 4_000)
  })

  test('by the call, exactly; and nothing for what is free', async () => {
    const call = await aside({ terms: { unit: 'call', perCallNano: 40_000_000 } })
    expect(call).toMatchObject({ amountNano: 32_000_000, isEnough: true })
    const free = await aside({ terms: { unit: 'free' } })
    expect(free).toMatchObject({ amountNano: 0, isEnough: true })
  })

  test('of a large body, images are not taken for text', async () => {
    const url = `data:image/png;base64,${'A'.repeat(3_000_000)}`
    const content = [{ type: 'image_url', image_url: { url } }]
    const more = { max_tokens: 100, messages: [{ role: 'user', content }] }
    const { amountNano } = await aside({ more })
    // Six thousand tokens for the image, and some for the rest of the body.
    expect(amountNano).toBeWithin(6_000 * 800 + 100 * 1_600, 6_200 * 800 + 100 * 1_600)
  })
})

describe('with little money', () => {
  // "hello" is 1 token, taken for 2 with the margin; its body is some 40 by its size.
  const least = 2 * 800
  const more = { max_tokens: 100 }
  const limited = 100 * 1_600

  test('the question is counted before anybody is refused', async () => {
    const set = await aside({ more, balanceNano: least + limited })
    expect(set).toMatchObject({ amountNano: least + limited, isEnough: true })
  })

  test('one nano-USD less, and a plain request is refused', async () => {
    const refused = aside({ more, balanceNano: least + limited - 1 })
    await expect(refused).rejects.toMatchObject({ kind: 'insufficient_balance', status: 401 })
  })

  test('a stream begins with all that is left, if that is some words', async () => {
    const stream = { more, stream: true }
    const words = least + 64 * 1_600
    const set = await aside({ ...stream, balanceNano: least + limited - 1 })
    expect(set).toMatchObject({
      ...{ amountNano: least + limited - 1, outputTokens: 64, isEnough: false },
    })
    expect((await aside({ ...stream, balanceNano: words })).amountNano).toBe(words)
    await expect(aside({ ...stream, balanceNano: words - 1 })).rejects.toBeInstanceOf(GatewayError)
  })

  test('a request for fewer words needs no more than those', async () => {
    const stream = { more: { max_tokens: 10 }, stream: true }
    const words = least + 10 * 1_600
    expect(await aside({ ...stream, balanceNano: words })).toMatchObject({ isEnough: true })
  })

  test('a limit beyond all money is no fault of the gateway’s', async () => {
    const most = { max_tokens: 2 ** 53 - 1, n: 128 }
    const dear = byTokens({ output: 100_000_000 })
    const plain = aside({ more: most, terms: dear })
    await expect(plain).rejects.toMatchObject({ kind: 'insufficient_balance' })
    const stream = aside({ more: most, terms: dear, stream: true })
    expect(await stream).toMatchObject({ amountNano: rich.balanceNano, isEnough: false })
  })
})

describe('when it can’t be written', () => {
  const more = { max_tokens: 100 }

  test('money that somebody else took meanwhile: the upstream is let go, and it is a 401', async () => {
    await using scene = await createMoneyScene({ balanceNano: 1_000_000, more })
    let aborted = 0
    scene.exchange.abort = () => aborted++
    await scene.store.admin.adjust({
      ...{ account: 'ann@example.com', kind: 'debit', amountNano: 999_999, reason: 'taken' },
      ...{ actor: 'command line', idempotencyKey: null },
    })
    await scene.setAside()
    scene.caller.account.balanceNano = 1 // as a commit tells, that of its refusal too
    const written = scene.exchange.reservation?.written()
    await expect(written).rejects.toMatchObject({ kind: 'insufficient_balance' })
    expect([aborted, scene.reservations.heldFor('req_1')]).toEqual([1, 0])
  })

  test('a store that fails: the upstream is let go, and it is a 500', async () => {
    const scene = await createMoneyScene({ balanceNano: 1_000_000, more })
    let aborted = 0
    scene.exchange.abort = () => aborted++
    await scene.store.close()
    await scene.setAside()
    const written = scene.exchange.reservation?.written()
    await expect(written).rejects.toMatchObject({ kind: 'internal', status: 500 })
    expect([aborted, scene.reservations.heldFor('req_1')]).toEqual([1, 0])
  })
})
