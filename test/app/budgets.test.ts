import { describe, expect, test } from 'bun:test'
import { allDialects, dialects, wholeStream } from '../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Clocked, outcomeOf, startClocked, usual } from './clocked.ts'

// What may be spent with one token. An answer here costs 200,000 nano-USD (100 tokens in at 1,000,
// 50 out at 2,000): a budget of 0.001 USD is enough for five.

const start = '2026-11-29T12:00:00Z'
const { chat, messages } = dialects
const used = [401, 'budget'] as const
const passed = [200, null] as const
const five = 0.001

const withBudget = (budget: object | number) => startClocked({ start, token: { budget } })

async function spend(clocked: Clocked, times: number, key = testKey) {
  for (let i = 0; i < times; i++) {
    expect(await outcomeOf(clocked.ask(chat, { key }))).toEqual(passed)
  }
}

const budgets: readonly (readonly [string, object | number])[] = [
  ['a single number', five],
  ['total', { total: five }],
  ['day', { day: five }],
  ['month', { month: five }],
  ['the smallest of three', { total: 1, day: five, month: 0.002 }],
]

describe.each(budgets)('a used-up budget: %s', (_, budget) => {
  test('is a 401 of the protocol, with its reason, and the upstream is not asked', async () => {
    await using clocked = await withBudget(budget)
    await spend(clocked, 5)
    for (const dialect of allDialects) {
      const answer = await clocked.ask(dialect)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('x-tollgate-reason')).toBe('budget')
      const message = 'Insufficient account balance'
      expect(await answer.json()).toEqual(
        dialect.name === 'gemini'
          ? { error: { code: 401, message, status: 'UNAUTHENTICATED' } }
          : { code: 'INSUFFICIENT_BALANCE', message },
      )
    }
    expect(clocked.upstream.requests.length).toBe(5)
    expect(await clocked.balanceNano()).toBe(100_000_000_000 - 5 * 200_000)
  })
})

const busy = [429, 'concurrency_limited'] as const

describe('a budget', () => {
  test('is not for what is more than its rest', async () => {
    await using clocked = await withBudget(five)
    await spend(clocked, 4)
    // 200,000 nano-USD are left, and 100 tokens of output alone would cost that.
    expect(await outcomeOf(clocked.ask(chat, { maxTokens: 100 }))).toEqual(used)
    await spend(clocked, 1)
  })

  test('counts what is set aside for requests under way', async () => {
    await using clocked = await withBudget(0.0005)
    const go = Promise.withResolvers<void>()
    clocked.upstream.handle(async () => {
      await go.promise
      return jsonAnswer(chat.body({ input: 1, output: 1 }))
    })
    const under = [clocked.ask(chat), clocked.ask(chat)]
    while (clocked.upstream.requests.length < 2) await Bun.sleep(1)
    // Some 450,000 of 500,000 nano-USD are set aside: nothing is spent, and yet there is no room.
    expect(await outcomeOf(clocked.ask(chat))).toEqual(busy)
    go.resolve()
    for (const one of under) expect(await outcomeOf(one)).toEqual(passed)
    // 3,000 each: what they did not use is free again.
    expect(await outcomeOf(clocked.ask(chat))).toEqual(passed)
  })

  test('of many requests at once lets through what it covers, not one more', async () => {
    await using clocked = await withBudget(five)
    const all = Array.from({ length: 50 }, () => outcomeOf(clocked.ask(messages)))
    const answers = await Promise.all(all)
    const through = answers.filter(([status]) => status === 200).length
    expect(through).toBeWithin(1, 8)
    // Reserved by the others until these are settled, used up after that.
    const refused = answers.filter(([status]) => status !== 200)
    for (const answer of refused) expect<readonly unknown[]>([busy, used]).toContainEqual(answer)
  })

  test('ends a stream that has used it up, though the balance has more', async () => {
    await using clocked = await withBudget(0.002)
    const pieces = Array.from({ length: 3_000 }, (_, i) => ` word ${i}`)
    const whole = wholeStream(chat, { input: 10, output: 9_000 }, pieces)
    clocked.upstream.handle(() => sseAnswer(whole, { cuts: 500 }))
    const answer = await clocked.ask(chat, { stream: true, maxTokens: null })
    const text = await answer.text()
    expect(chat.isError(text)).toBeTrue()
    expect(text).toContain('budget of the key')
    const spentNano = 100_000_000_000 - (await clocked.balanceNano())
    expect(spentNano).toBeWithin(1_980_000, 2_000_001)
    expect(await outcomeOf(clocked.ask(chat))).toEqual(used)
  })

  test('of a token without one is none: the balance alone decides', async () => {
    await using clocked = await startClocked({ start, balance: five })
    await spend(clocked, 5)
    expect(await outcomeOf(clocked.ask(chat))).toEqual([401, 'balance'])
  })
})

describe('with the UTC day and month', () => {
  const day = { day: five }
  const month = { month: five }

  test.each([
    ['day', day, '2026-11-29T23:59:59.999Z', used],
    ['day', day, '2026-11-30T00:00:00.000Z', passed],
    ['month', month, '2026-11-30T23:59:59.999Z', used],
    ['month', month, '2026-12-01T00:00:00.000Z', passed],
    ['total', { total: five }, '2027-01-01T00:00:00.000Z', used],
    ['day and total', { day: five, total: five }, '2026-11-30T00:00:00.000Z', used],
    ['day and month', { day: five, month: 0.002 }, '2026-11-30T00:00:00.000Z', passed],
  ])('a budget by %s: %p, at %s: %p', async (_, budget, then, expected) => {
    await using clocked = await withBudget(budget)
    await spend(clocked, 5)
    expect(await outcomeOf(clocked.ask(chat))).toEqual(used)
    clocked.at(then)
    expect(await outcomeOf(clocked.ask(chat))).toEqual(expected)
    // The same by the store's figures, after all that is in memory was forgotten.
    if (expected === passed) await spend(clocked, 1)
    await clocked.tollgate.refresh()
    const again = await outcomeOf(clocked.ask(chat))
    expect(again).toEqual(expected)
  })

  test('a new day frees five more, not one more; and the month still counts all', async () => {
    await using clocked = await withBudget({ day: five, month: 0.0014 })
    await spend(clocked, 5)
    clocked.at('2026-11-30T08:00:00Z')
    await spend(clocked, 2)
    expect(await outcomeOf(clocked.ask(chat))).toEqual(used)
    clocked.at('2026-12-01T08:00:00Z')
    await spend(clocked, 5)
    expect(await outcomeOf(clocked.ask(chat))).toEqual(used)
  })

  test('an answer counts for the day on which it was asked for', async () => {
    await using clocked = await withBudget(day)
    await spend(clocked, 4)
    clocked.upstream.handle(() => {
      clocked.at('2026-11-30T00:00:01Z')
      return jsonAnswer(chat.body(usual))
    })
    expect(await outcomeOf(clocked.ask(chat))).toEqual(passed)
    await spend(clocked, 5)
    expect(await outcomeOf(clocked.ask(chat))).toEqual(used)
  })

  test('a clock that is set back gives nothing of the total back', async () => {
    await using clocked = await withBudget({ total: five })
    await spend(clocked, 5)
    clocked.at('2026-11-20T12:00:00Z')
    await clocked.tollgate.refresh()
    expect(await outcomeOf(clocked.ask(chat))).toEqual(used)
  })
})

describe('two tokens of one account', () => {
  const secondKey = 'sk-second-0123456789abcdefghijklmno'
  const withTwo = (balance: number) =>
    startClocked({
      start,
      balance: 1,
      token: { budget: five },
      moreAccounts: [
        {
          email: 'two@example.com',
          balance,
          tokens: [
            { name: 'first', key: `${secondKey}1`, group: 'default', budget: five },
            { name: 'second', key: `${secondKey}2`, group: 'default', budget: { day: 0.0004 } },
          ],
        },
      ],
    })

  test('have a budget each', async () => {
    await using clocked = await withTwo(1)
    await spend(clocked, 2, `${secondKey}2`)
    expect(await outcomeOf(clocked.ask(chat, { key: `${secondKey}2` }))).toEqual(used)
    await spend(clocked, 5, `${secondKey}1`)
    expect(await outcomeOf(clocked.ask(chat, { key: `${secondKey}1` }))).toEqual(used)
    expect(await clocked.balanceNano('two@example.com')).toBe(1_000_000_000 - 7 * 200_000)
  })

  test('share the balance', async () => {
    await using clocked = await withTwo(0.0008)
    await spend(clocked, 2, `${secondKey}2`)
    await spend(clocked, 2, `${secondKey}1`)
    expect(await outcomeOf(clocked.ask(chat, { key: `${secondKey}1` }))).toEqual([401, 'balance'])
    expect(await clocked.balanceNano('two@example.com')).toBe(0)
  })
})
