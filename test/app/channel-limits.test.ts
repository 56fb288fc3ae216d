import { describe, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { outcomeOf, startClocked, usual } from './clocked.ts'

// Limits of channels: nobody is told of them who can be answered elsewhere, or a little later.

const { chat } = dialects

/** An upstream that answers when it is let. */
function createGate() {
  const waiting: (() => void)[] = []
  const asked: string[] = []
  return {
    asked,
    async answer(request: { json(): unknown; headers: Headers }) {
      const { messages } = request.json() as { messages: { content: string }[] }
      asked.push(messages[0]?.content ?? '')
      await new Promise<void>((resolve) => waiting.push(resolve))
      return jsonAnswer(chat.body(usual))
    },
    async letOne() {
      while (waiting.length === 0) await Bun.sleep(5)
      waiting.shift()?.()
    },
  }
}

async function startLimited(queueTime: string, more: object = {}) {
  const gateway = await startClocked({
    start: '2026-11-21T10:00:00Z',
    channel: { limits: { concurrency: 1 } },
    settings: { queue_time: queueTime },
    ...more,
  })
  const gate = createGate()
  gateway.upstream.handle(gate.answer)
  return { gateway, gate }
}

describe('a channel that may do one thing at once', () => {
  test('another request is told to come again, and why', async () => {
    const { gateway, gate } = await startLimited('0s')
    await using _ = gateway
    const first = gateway.ask(chat)
    while (gate.asked.length === 0) await Bun.sleep(5)
    const second = await gateway.ask(chat)
    expect(second.status).toBe(429)
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await outcomeOf(second)).toEqual([429, 'channels_busy'])
    await gate.letOne()
    expect((await first).status).toBe(200)
    expect(gate.asked.length).toBe(1)
    const third = gateway.ask(chat)
    await gate.letOne()
    expect((await third).status).toBe(200)
  })

  test('with a queue requests wait for it, and are answered in order', async () => {
    const { gateway, gate } = await startLimited('10s')
    await using _ = gateway
    const questions = ['one', 'two', 'three', 'four']
    const asking = []
    for (const question of questions) {
      asking.push(gateway.ask(chat, { question }))
      // They come one after the other.
      while (gateway.tollgate.active() < asking.length) await Bun.sleep(1)
      await Bun.sleep(30)
    }
    while (gate.asked.length === 0) await Bun.sleep(1)
    expect(gate.asked).toEqual(['one'])
    for (const _ of questions) await gate.letOne()
    for (const answer of await Promise.all(asking)) expect(answer.status).toBe(200)
    expect(gate.asked).toEqual(questions)
    expect(gateway.upstream.requests.length).toBe(4)
  })

  test('who waits in vain is told after that time', async () => {
    const { gateway, gate } = await startLimited('200ms')
    await using _ = gateway
    const first = gateway.ask(chat)
    while (gate.asked.length === 0) await Bun.sleep(5)
    const startedAt = performance.now()
    expect(await outcomeOf(gateway.ask(chat))).toEqual([429, 'channels_busy'])
    expect(performance.now() - startedAt).toBeGreaterThan(190)
    await gate.letOne()
    expect((await first).status).toBe(200)
  })

  test('who leaves while waiting leaves nothing behind', async () => {
    const { gateway, gate } = await startLimited('10s')
    await using _ = gateway
    const first = gateway.ask(chat)
    while (gate.asked.length === 0) await Bun.sleep(5)
    const leaving = new AbortController()
    const second = gateway.ask(chat, { question: 'left', signal: leaving.signal })
    await Bun.sleep(50)
    leaving.abort()
    expect((await second).status).toBeGreaterThanOrEqual(499)
    const third = gateway.ask(chat, { question: 'third' })
    await gate.letOne()
    await gate.letOne()
    expect((await first).status).toBe(200)
    expect((await third).status).toBe(200)
    expect(gate.asked).toEqual(['hello', 'third'])
    await gateway.tollgate.settled()
    const account = await gateway.store.admin.account('user@example.com')
    expect(account).toMatchObject({ reservedNano: 0, balanceNano: 100e9 - 400_000 })
  })

  test('the other channel takes what it has no room for', async () => {
    const { gateway, gate } = await startLimited('0s', { hasFirst: true })
    await using _ = gateway
    // Of the channels `first` and `main` only the latter, which is asked after it, has a limit.
    const asking = [gateway.ask(chat), gateway.ask(chat), gateway.ask(chat)]
    for (const _ of asking) await gate.letOne()
    for (const answer of await Promise.all(asking)) expect(answer.status).toBe(200)
  })
})
