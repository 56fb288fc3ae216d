import { describe, expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { type TollgateYamlOptions, tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { allDialects, costNano, type Dialect, dialects } from './dialects.ts'
import { openLedger } from './ledger.ts'
import { startTalker } from './talker.ts'
import { until } from './until.ts'

// What is set aside before a request, and what happens when there is not enough of it.

const nano = 1e9

async function gatewayOf(upstream: string, options: Omit<TollgateYamlOptions, 'upstream'>) {
  return startBinary({
    config: (listen) => tollgateYaml({ listen, upstream, ...options }),
  })
}

/** A chat request with a limit of its own. */
const limited = (maxTokens: number, stream = false): Dialect => ({
  ...dialects.chat,
  request: () => ({
    ...dialects.chat.request(stream),
    max_completion_tokens: maxTokens,
  }),
})

const balanceOf = async (gateway: RunningBinary) => {
  await using ledger = openLedger(gateway.cwd)
  return await ledger.balanceNano()
}

describe('B1: 200 requests at once on a balance for one', () => {
  const tokens = { input: 100, output: 1000 }
  const parallel = 200

  test('with a limit of the answer, the balance ends at zero or above', async () => {
    const dialect = limited(tokens.output)
    let asked = 0
    await using upstream = startFakeUpstream(async () => {
      asked++
      await Bun.sleep(300)
      return Response.json(dialect.body(tokens))
    })
    // 1,000 tokens out at 2 USD per million, and 100 in, cost 2.1 thousandths.
    await using gateway = await gatewayOf(upstream.url, { balance: 0.0031 })
    const answers = await Promise.all(
      Array.from({ length: parallel }, () => ask(gateway.url, dialect, false)),
    )
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const busy = answers.filter(({ status }) => status === 429)
    expect(busy).toHaveLength(parallel - 1)
    expect(new Set(busy.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['1']))
    expect(texts.filter((text) => text.includes('reserved for other requests'))).toHaveLength(
      parallel - 1,
    )
    expect(asked).toBe(1)
    expect(await balanceOf(gateway)).toBe(0.0031 * nano - costNano(tokens))
    const late = await ask(gateway.url, dialect, false)
    expect([late.status, await late.text()]).toEqual([
      401,
      '{"code":"INSUFFICIENT_BALANCE","message":"Insufficient account balance"}',
    ])
  })

  test('streams: one in whole, one with what is left, and the balance ends at zero or above', async () => {
    const dialect = limited(tokens.output, true)
    const pieces = Array.from({ length: 150 }, (_, i) => `part ${i} of it. `)
    const output = await countTokens(pieces.join(''))
    const said = dialect.first(tokens) + pieces.map(dialect.piece).join('')
    const text = said + dialect.last({ input: 10, output })
    const decided = Promise.withResolvers<void>()
    await using upstream = startFakeUpstream(async () => {
      // What the first did not use would serve a third.
      await Promise.race([decided.promise, Bun.sleep(10_000)])
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    })
    await using gateway = await gatewayOf(upstream.url, { balance: 0.0031 })
    let refused = 0
    const one = async () => {
      const answer = await ask(gateway.url, dialect, true)
      if (answer.status === 429 && ++refused === parallel - 2) decided.resolve()
      return answer
    }
    const answers = await Promise.all(Array.from({ length: parallel }, one))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(texts.filter(dialect.isWhole)).toHaveLength(1)
    expect(texts.filter(dialect.isError)).toHaveLength(1)
    const left = await balanceOf(gateway)
    expect(left).toBeGreaterThanOrEqual(0)
    expect(left).toBeLessThan(costNano({ input: 10, output }))
  })

  test('without a limit one answer may go too far, and only one', async () => {
    const long = { input: 10, output: 9_000 }
    await using upstream = startFakeUpstream(async () => {
      await Bun.sleep(300)
      return Response.json(dialects.chat.body(long))
    })
    // The usual answer of 4,096 tokens is set aside: 8.2 thousandths of a dollar.
    await using gateway = await gatewayOf(upstream.url, { balance: 0.01 })
    const answers = await Promise.all(
      Array.from({ length: parallel }, () => ask(gateway.url, dialects.chat, false)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(parallel - 1)
    expect(await balanceOf(gateway)).toBe(0.01 * nano - costNano(long))
  })

  test('when one is over, what it did not use serves the next', async () => {
    const dialect = limited(1000)
    const little = { input: 10, output: 10 }
    await using upstream = startFakeUpstream(() => Response.json(dialect.body(little)))
    await using gateway = await gatewayOf(upstream.url, { balance: 0.0022 })
    for (let i = 0; i < 5; i++) {
      const answer = await ask(gateway.url, dialect, false)
      expect(answer.status).toBe(200)
      await answer.text()
    }
    const refused = await ask(gateway.url, limited(5000), false)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('x-tollgate-reason')).toBe('balance')
    expect(await balanceOf(gateway)).toBe(0.0022 * nano - 5 * costNano(little))
  })
})

/** The text of an answer, out of its events. */
function spoken(text: string): string {
  const pieces = text.matchAll(/"(?:content|delta|text)":"((?:[^"\\]|\\.)*)"/g)
  return [...pieces].map(([, piece]) => JSON.parse(`"${piece}"`)).join('')
}

describe('B2: a stream of 100,000 tokens on a small balance ends by itself', () => {
  test.each(allDialects.map((dialect) => [dialect.name, dialect] as const))(
    '%s: with an error of its protocol, within 1 % of what there was',
    async (_, dialect) => {
      await using talker = await startTalker(dialect)
      const balance = 0.02 // 10,000 tokens of output at 2 USD per million
      await using gateway = await gatewayOf(talker.url, { balance })
      const answer = await ask(gateway.url, dialect, true)
      expect(answer.status).toBe(200)
      const text = await answer.text()
      expect(dialect.isError(text)).toBeTrue()
      expect(dialect.isWhole(text)).toBeFalse()
      expect(text).toContain('used up')
      await until('the upstream to be let go', () => !talker.isOpen())
      await using ledger = openLedger(gateway.cwd)
      const record = await ledger.record(requestIdOf(answer))
      expect(record).toMatchObject({
        ending: 'cut',
        cause: 'balance_used_up',
        status: 200,
        estimated: 1,
      })
      const charged = record?.amount_nano ?? 0
      expect(charged).toBeGreaterThan(balance * nano * 0.99)
      expect(charged).toBeLessThanOrEqual(balance * nano)
      expect(await ledger.balanceNano()).toBe(balance * nano - charged)
      // What was charged is what was delivered, counted here by hand.
      const delivered = await countTokens(spoken(text))
      expect(Math.abs((record?.output_tokens ?? 0) - delivered)).toBeLessThan(delivered * 0.01)
      expect(await ledger.integrity()).toBe('ok')
    },
  )

  test('of two streams without a limit one has the balance, and the other is told to wait', async () => {
    await using talker = await startTalker(dialects.chat)
    const balance = 0.02
    await using gateway = await gatewayOf(talker.url, { balance })
    const answers = await Promise.all([0, 1].map(() => ask(gateway.url, dialects.chat, true)))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
    expect(texts.filter(dialects.chat.isError)).toHaveLength(1)
    const left = await balanceOf(gateway)
    expect(left).toBeGreaterThanOrEqual(0)
    expect(left).toBeLessThan(balance * nano * 0.02)
  })

  test('with money enough it goes on to its end', async () => {
    await using talker = await startTalker(dialects.responses)
    await using gateway = await gatewayOf(talker.url, { balance: 1 })
    const answer = await ask(gateway.url, dialects.responses, true)
    expect(dialects.responses.isWhole(await answer.text())).toBeTrue()
    await using ledger = openLedger(gateway.cwd)
    expect(await ledger.records()).toMatchObject([
      { ending: 'complete', amount_nano: costNano({ input: 10, output: 100_000 }), estimated: 0 },
    ])
  })
})
