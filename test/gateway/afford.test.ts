import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../src/gateway/errors.ts'
import { reserveMoney } from '../../src/gateway/money/afford.ts'
import type { CountTokens } from '../../src/gateway/money/estimate.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'
import { dialects } from '../e2e/dialects.ts'
import { createMoneyScene, type MoneyOptions, type MoneyScene } from './money-scene.ts'

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
  await scene.reserveMoney()
  const { reservation } = scene.exchange
  await reservation?.ensureStored()
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

  test('the same where only the tier of its context has that price', async () => {
    const dearer = { input: 1_000_000, cacheWrite: 1_250_000, cacheWrite1h: null }
    const tiers = [{ above: 20, ...rates, ...dearer }]
    const set = await aside({
      more: { max_tokens: 100 },
      terms: { ...byTokens(), tiers } as PriceTerms,
    })
    expect(set.amountNano).toBe(set.bytes * 1_000 + 100 * 1_600)
  })

  test('the question at the price of an hour in the cache, where it is to stay so long', async () => {
    const terms = byTokens({ cacheWrite: 1_250_000, cacheWrite1h: 2_000_000 })
    const cache_control = { type: 'ephemeral', ttl: '1h' }
    const content = [{ type: 'text', text: 'hello', cache_control }]
    const more = { max_tokens: 100, messages: [{ role: 'user', content }] }
    const set = await aside({ dialect: dialects.messages, more, terms })
    expect(set.amountNano).toBe(set.bytes * 1_600 + 100 * 1_600)
  })

  test.each([
    [dialects.chat, 'messages', 'text', '30m'],
    [dialects.responses, 'input', 'input_text', '12h'],
  ])('the same by the words of $name', async (dialect, turns, type, ttl) => {
    const terms = byTokens({ cacheWrite: 1_250_000, cacheWrite1h: 2_000_000 })
    const content = [{ type, text: 'hello', prompt_cache_breakpoint: { ttl } }]
    const limit = dialect === dialects.chat ? 'max_tokens' : 'max_output_tokens'
    const more = { [limit]: 100, [turns]: [{ role: 'user', content }] }
    const set = await aside({ dialect, more, terms })
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

const file = { type: 'input_file', file_id: 'file-1' }

describe('what its bytes do not show', () => {
  const { responses, messages } = dialects
  const limited = { max_output_tokens: 100 }
  const window = 2_000_000 // of a model whose context is not known
  const answer = 100 * 1_600
  const origin = { channelId: 1, keyMark: 'k', key: 'key' }

  /** Sets aside for what continues answers of which some are known. */
  async function continued(more: object, known: { readonly [id: string]: number }) {
    await using scene = await createMoneyScene({ ...rich, dialect: responses, more, stream: false })
    const { origins } = scene.parts
    origins.of = (_, id) => {
      const contextTokens = known[id]
      return contextTokens === undefined ? undefined : { ...origin, contextTokens }
    }
    await scene.reserveMoney()
    return {
      amountNano: scene.reservations.heldFor('req_1'),
      bytes: scene.body.bytes.byteLength,
    }
  }

  test('of an answer that is continued counts what is known of it', async () => {
    const more = { ...limited, previous_response_id: 'resp_1' }
    const { bytes, amountNano } = await continued(more, { resp_1: 5_000 })
    expect(amountNano).toBe((5_000 + bytes) * 800 + answer)
  })

  test('what is known of it has to be paid for: less than that lets nobody in', async () => {
    const more = { ...limited, previous_response_id: 'resp_1' }
    for (const [balanceNano, isIn] of [
      [5_000 * 800, false],
      [5_300 * 800, true],
    ] as const) {
      await using scene = await createMoneyScene({ balanceNano, dialect: responses, more })
      scene.parts.origins.of = () => ({ ...origin, contextTokens: 5_000 })
      const outcome = await Promise.resolve(scene.reserveMoney()).then(
        () => true,
        () => false,
      )
      expect([balanceNano, outcome]).toEqual([balanceNano, isIn])
    }
  })

  test('of several all have to be known, and be finished', async () => {
    const input = [{ type: 'item_reference', id: 'msg_1' }]
    const more = { ...limited, previous_response_id: 'resp_1', input }
    const { bytes, amountNano } = await continued(more, { resp_1: 5_000, msg_1: 70 })
    expect(amountNano).toBe((5_070 + bytes) * 800 + answer)
    const whole = window * 800 + answer
    expect((await continued(more, { resp_1: 5_000 })).amountNano).toBe(whole)
    expect((await continued(more, { resp_1: 5_000, msg_1: 0 })).amountNano).toBe(whole)
  })

  test.each([
    // It may bring tools of the vendor's with it.
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 3],
    ['a file by id', { input: [{ role: 'user', content: [file] }] }, 1],
    ['tools that the vendor runs', { tools: [{ type: 'mcp', server_label: 'a' }] }, 3],
  ])('%s is as large as the model’s context', async (_, more, times) => {
    const { amountNano } = await continued({ ...limited, ...more }, {})
    expect(amountNano).toBe(times * window * 800 + answer)
  })

  test.each([
    ['a text', ['a', 'b'], 0],
    ['LLM tokens', [1, 2, 3], 0],
    ['a picture', [{ type: 'image_url', image_url: { url: 'https://a.example/b' } }, 'b'], 2],
    ['something by address', [{ content: [{ pdf: 'https://a.example/b' }] }], 1],
  ])('of embeddings of %s is a window for each input, or nothing', async (_, input, windows) => {
    const options = { operation: chat.operations.embeddings, value: { model: 'small', input } }
    const { amountNano, bytes } = await aside(options)
    expect(amountNano).toBe((windows === 0 ? bytes : windows * window) * 800)
  })

  test('of pictures to be edited is what pictures are at the most', async () => {
    const images = Array.from({ length: 16 }, (_, at) => ({ image_url: `https://a.b/${at}` }))
    const value = { model: 'small', prompt: 'join', images }
    const { amountNano } = await aside({ operation: chat.operations.imageEdits, value })
    expect(amountNano).toBeGreaterThan(16 * 6_000 * 800)
    expect(amountNano).toBeLessThan(window * 800)
  })

  test('an account that can’t pay all of it has one such request at a time, streamed or not', async () => {
    for (const stream of [false, true]) {
      const more = { max_tokens: 100, thread: { type: 'continue', previous_message_id: 'm' } }
      const options = { balanceNano: 10_000_000, dialect: messages, more, stream }
      await using scene = await createMoneyScene(options)
      await scene.reserveMoney()
      expect(scene.reservations.heldFor('req_1')).toBe(10_000_000)
      expect(scene.reservations.hasOpen(scene.caller.account.id)).toBeTrue()
      Object.assign(scene.exchange, { requestId: 'req_2', reservation: undefined })
      const second = Promise.resolve(scene.reserveMoney())
      await expect(second).rejects.toMatchObject({
        ...{ kind: 'concurrency_limited', status: 429 },
        details: { retryAfter: 1 },
      })
      scene.committer.release('req_1')
      await scene.committer.idle()
      expect(scene.reservations.hasOpen(scene.caller.account.id)).toBeFalse()
      await scene.reserveMoney()
      expect(scene.reservations.heldFor('req_2')).toBe(10_000_000)
    }
  })
})

describe('the dearest that it may turn out', () => {
  const tokens = { max_tokens: 100 }
  const extras = (more: object) => ({ ...byTokens(), extras: more }) as PriceTerms

  test('is by the service tier that it names, which may be denied', async () => {
    const terms = extras({ serviceTiers: { priority: 2_000_000, flex: 500_000 } })
    const plain = (await aside({ more: tokens, terms })).amountNano
    const priority = await aside({ more: { ...tokens, service_tier: 'priority' }, terms })
    expect(priority.amountNano).toBe(2 * (priority.bytes * 800 + 100 * 1_600))
    const flex = await aside({ more: { ...tokens, service_tier: 'flex' }, terms })
    expect(flex.amountNano).toBe(flex.bytes * 800 + 100 * 1_600)
    expect(plain).toBeLessThan(flex.amountNano)
  })

  test('is with ten uses of each tool that the vendor runs', async () => {
    const terms = extras({ tools: { web_search: 10_000_000 } })
    const more = { ...tokens, web_search_options: {} }
    const { amountNano } = await aside({ more, terms })
    expect(amountNano).toBe(3 * 2_000_000 * 800 + 100 * 1_600 + 10 * 8_000_000)
  })

  test('is with a preview of the search as the search, where that costs more', async () => {
    const aside10 = async (tools: object) => {
      const asked = [{ type: 'web_search_preview' }]
      const more = { max_output_tokens: 100, tools: asked }
      const came = await aside({ dialect: dialects.responses, more, terms: extras({ tools }) })
      return came.amountNano - 3 * 2_000_000 * 800 - 100 * 1_600
    }
    expect(await aside10({ web_search: 10_000_000, web_search_preview: 0 })).toBe(10 * 8_000_000)
    expect(await aside10({ web_search: 0, web_search_preview: 20_000_000 })).toBe(10 * 16_000_000)
  })

  test('is with as many uses, and as large a container, as it asks for', async () => {
    const terms = extras({ tools: { web_search: 10_000_000, code_execution: 30_000_000 } })
    const container = { type: 'auto', memory_limit: '64g' }
    const tools = [{ type: 'web_search' }, { type: 'code_interpreter', container }]
    const more = { max_output_tokens: 100, max_tool_calls: 100, tools }
    const { amountNano } = await aside({ dialect: dialects.responses, more, terms })
    const uses = 100 * 8_000_000 + 100 * 64 * 24_000_000
    expect(amountNano).toBe(3 * 2_000_000 * 800 + 100 * 1_600 + uses)
  })

  test('is with input of the dearest kind where it may be no text, and answers of theirs', async () => {
    const modalities = { inputAudio: 40_000_000, inputImage: 5_000_000, outputAudio: 80_000_000 }
    const terms = byTokens({ modalities })
    const { amountNano, bytes } = await aside({ more: tokens, terms })
    expect(amountNano).toBe(bytes * 800 + 100 * 64_000)
    const content = [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }]
    const sound = await aside({ more: { ...tokens, messages: [{ role: 'user', content }] }, terms })
    expect(sound.amountNano).toBe(sound.bytes * 32_000 + 100 * 64_000)
  })
})

describe('when it can’t be written', () => {
  const more = { max_tokens: 100 }

  test('where money is plenty nobody waits for it; near its end it is written before anyone is asked', async () => {
    await using plenty = await createMoneyScene({ ...rich, more })
    expect(plenty.reserveMoney()).toBeUndefined()
    await plenty.exchange.reservation?.ensureStored()
    // Enough for one such request, not for two.
    await using near = await createMoneyScene({ balanceNano: 350_000, more })
    await near.reserveMoney()
    const { reservedNano } = await near.sum()
    expect(reservedNano).toBe(near.reservations.heldFor('req_1'))
    expect(reservedNano).toBeWithin(200_000, 350_001)
  })

  test('of several nodes none asks anyone before it is written, while less than 10 USD are left', async () => {
    for (const [balanceNano, isAsked] of [
      [9_000_000_000, false],
      [11_000_000_000, true],
    ] as const) {
      await using scene = await createMoneyScene({ balanceNano, more })
      Object.assign(scene.parts.committer, { isShared: true })
      expect(scene.reserveMoney() === undefined).toBe(isAsked)
      await scene.exchange.reservation?.ensureStored()
    }
  })

  test('money that somebody else took meanwhile: the upstream is let go, and it is a 401', async () => {
    await using scene = await createMoneyScene({ balanceNano: 1_000_000, more })
    let aborted = 0
    scene.exchange.abort = () => aborted++
    await scene.store.admin.adjust({
      ...{ account: 'ann@example.com', kind: 'debit', amountNano: 999_999, reason: 'taken' },
      ...{ actor: 'command line', idempotencyKey: null },
    })
    const coming = Promise.resolve(scene.reserveMoney())
    scene.caller.account.balanceNano = 1 // as a commit tells, that of its refusal too
    const written = coming.then(() => scene.exchange.reservation?.ensureStored())
    await expect(written).rejects.toMatchObject({ kind: 'insufficient_balance' })
    expect([aborted, scene.reservations.heldFor('req_1')]).toEqual([1, 0])
  })

  test('a store that fails: the upstream is let go, and it is a 500', async () => {
    const scene = await createMoneyScene({ balanceNano: 1_000_000, more })
    let aborted = 0
    scene.exchange.abort = () => aborted++
    await scene.store.close()
    const coming = Promise.resolve(scene.reserveMoney())
    const written = coming.then(() => scene.exchange.reservation?.ensureStored())
    await expect(written).rejects.toMatchObject({ kind: 'internal', status: 500 })
    expect([aborted, scene.reservations.heldFor('req_1')]).toEqual([1, 0])
  })
})

describe('what another node tells before it is written', () => {
  const more = { max_tokens: 100 }
  const news = { accountId: 1, channelId: 1, upstreamModel: 'm', factor: 3, byNano: 1_000_000 }

  /** Sets aside where others serve, too, who tell of it meanwhile. */
  function asideAmidNews(scene: MoneyScene) {
    const aborted = { times: 0 }
    scene.exchange.abort = () => aborted.times++
    const parts = { ...scene.parts, committer: { ...scene.committer, isShared: true } }
    const coming = Promise.resolve(reserveMoney(parts, scene.exchange, scene.body))
    const reckonedNano = scene.reservations.heldFor('req_1')
    scene.reservations.noteOverrun(news)
    const written = coming.then(() => scene.exchange.reservation?.ensureStored())
    return { aborted, reckonedNano, written }
  }

  test('is set aside, too', async () => {
    await using scene = await createMoneyScene({ ...rich, more })
    const { aborted, reckonedNano, written } = asideAmidNews(scene)
    await written
    expect(reckonedNano).toBeWithin(160_000, 300_000)
    const heldNano = scene.reservations.heldFor('req_1')
    // It fades from the moment on when it was told.
    expect(heldNano).toBeWithin(2.9 * reckonedNano, 3 * reckonedNano + 1)
    expect([(await scene.sum()).reservedNano, aborted.times]).toEqual([heldNano, 0])
  })

  test('and is not covered: the upstream is let go, and it may come again', async () => {
    await using scene = await createMoneyScene({ balanceNano: 400_000, more })
    const { aborted, written } = asideAmidNews(scene)
    await expect(written).rejects.toMatchObject({ kind: 'concurrency_limited', status: 429 })
    expect(aborted.times).toBe(1)
  })
})

describe('for a client that has left', () => {
  const more = { max_tokens: 100 }

  test('nothing is set aside: nobody would give it back', async () => {
    await using scene = await createMoneyScene({ ...rich, more })
    scene.exchange.interruption = 'client_left'
    expect(() => scene.reserveMoney()).toThrow(GatewayError)
    expect(scene.reservations.holds('req_1')).toBe(false)
  })

  test('while its question was counted, or what it continues was looked up', async () => {
    const count: CountTokens = async () => {
      scene.exchange.interruption = 'client_left'
      return 1
    }
    await using scene = await createMoneyScene({ balanceNano: 170_000, more, count })
    await expect(Promise.resolve(scene.reserveMoney())).rejects.toBeInstanceOf(GatewayError)
    expect(scene.reservations.holds('req_1')).toBe(false)
    expect(await scene.sum()).toMatchObject({ reservedNano: 0 })
  })
})

describe('by a token that allows only so much for one request', () => {
  const more = { max_tokens: 100 }

  test('what could cost more is refused, naming both amounts; nothing is set aside', async () => {
    const { amountNano } = await aside({ more })
    const options = { ...rich, more, stream: false, maxCostNano: amountNano - 1 }
    await using scene = await createMoneyScene(options)
    const refusal = { kind: 'max_cost_exceeded', status: 400 }
    const asked = async () => scene.reserveMoney()
    await expect(asked()).rejects.toMatchObject(refusal)
    const inUsd = (nano: number) => `${(nano / 1e9).toFixed(9).replace(/0+$/, '')} USD`
    await expect(asked()).rejects.toThrow(inUsd(amountNano))
    await expect(asked()).rejects.toThrow(inUsd(amountNano - 1))
    expect(scene.reservations.holds('req_1')).toBe(false)
    expect(await scene.sum()).toMatchObject({ reservedNano: 0 })
  })

  test('what could cost just so much is let in', async () => {
    const { amountNano } = await aside({ more })
    expect(await aside({ more, maxCostNano: amountNano })).toMatchObject({ amountNano })
  })

  test('where money is short, too', async () => {
    await using scene = await createMoneyScene({ balanceNano: 1, more, maxCostNano: 0 })
    const asked = async () => scene.reserveMoney()
    await expect(asked()).rejects.toMatchObject({ kind: 'max_cost_exceeded' })
  })
})
