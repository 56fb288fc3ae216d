import { describe, expect, test } from 'bun:test'
import { allDialects, dialects, wholeStream } from '../e2e/dialects.ts'
import { sseAnswer } from '../support/fake-upstream.ts'
import { type Clocked, outcomeOf, startClocked } from './clocked.ts'

// An account with a credit limit goes down to minus the limit, and not further. An answer here costs
// 200,000 nano-USD: a limit of 0.001 USD is enough for five.

const key = 'sk-later-0123456789abcdefghijklmnop'
const email = 'later@example.com'
const { chat } = dialects
const usedUp = [401, 'balance'] as const
const passed = [200, null] as const

const account = (credit_limit: number, balance = 0) => ({
  moreAccounts: [
    { email, balance, credit_limit, tokens: [{ name: 'later', key, group: 'default' }] },
  ],
})
const withLimit = (limit: number, balance?: number) =>
  startClocked({ start: '2026-11-21T08:00:00Z', ...account(limit, balance) })

async function spend(clocked: Clocked, times: number) {
  for (let i = 0; i < times; i++) {
    expect(await outcomeOf(clocked.ask(chat, { key }))).toEqual(passed)
  }
}

describe('a postpaid account', () => {
  test('starts at nothing, goes down to minus its limit, and is refused there', async () => {
    await using clocked = await withLimit(0.001)
    await spend(clocked, 5)
    expect(await clocked.balanceNano(email)).toBe(-1_000_000)
    for (const dialect of allDialects) {
      for (const stream of [false, true]) {
        expect(await outcomeOf(clocked.ask(dialect, { key, stream }))).toEqual(usedUp)
      }
    }
    expect(clocked.upstream.requests.length).toBe(5)
    expect(await clocked.balanceNano(email)).toBe(-1_000_000)
  })

  test('uses its balance first', async () => {
    await using clocked = await withLimit(0.0004, 0.0006)
    await spend(clocked, 3)
    expect(await clocked.balanceNano(email)).toBe(0)
    await spend(clocked, 2)
    expect(await outcomeOf(clocked.ask(chat, { key }))).toEqual(usedUp)
    expect(await clocked.balanceNano(email)).toBe(-400_000)
  })

  test('without a limit is none: nothing is lent', async () => {
    await using clocked = await withLimit(0)
    expect(await outcomeOf(clocked.ask(chat, { key }))).toEqual(usedUp)
    expect(await clocked.balanceNano(email)).toBe(0)
  })

  test('asked 100 times at once stays at or above minus its limit', async () => {
    await using clocked = await withLimit(0.001)
    const all = Array.from({ length: 100 }, () => outcomeOf(clocked.ask(chat, { key })))
    const through = (await Promise.all(all)).filter(([status]) => status === 200).length
    expect(through).toBeWithin(4, 8)
    // The answers used 50 % more input than such a question has: each a little more than set aside.
    expect(await clocked.balanceNano(email)).toBe(through * -200_000)
    expect(await outcomeOf(clocked.ask(chat, { key, maxTokens: 5_000 }))).toEqual(usedUp)
  })

  test('has its stream ended at minus its limit, within a hundredth', async () => {
    await using clocked = await withLimit(0.002)
    const pieces = Array.from({ length: 3_000 }, (_, i) => ` word ${i}`)
    const whole = wholeStream(chat, { input: 10, output: 9_000 }, pieces)
    clocked.upstream.handle(() => sseAnswer(whole, { cuts: 500 }))
    const answer = await clocked.ask(chat, { key, stream: true, maxTokens: null })
    const text = await answer.text()
    expect(chat.isError(text)).toBeTrue()
    const left = await clocked.balanceNano(email)
    expect(left).toBeWithin(-2_000_000, -1_980_000)
  })

  test('goes on when its limit is raised, and stops when it is lowered', async () => {
    await using clocked = await withLimit(0.0004)
    await spend(clocked, 2)
    expect(await outcomeOf(clocked.ask(chat, { key }))).toEqual(usedUp)
    await clocked.configure(account(0.0008))
    await spend(clocked, 2)
    expect(await outcomeOf(clocked.ask(chat, { key }))).toEqual(usedUp)
    await clocked.configure(account(1))
    await spend(clocked, 1)
    await clocked.configure(account(0.0001))
    expect(await outcomeOf(clocked.ask(chat, { key }))).toEqual(usedUp)
    expect(await clocked.balanceNano(email)).toBe(-1_000_000)
  })
})
