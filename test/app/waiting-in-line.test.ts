import { beforeAll, describe, expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import { dialects } from '../e2e/dialects.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { type Clocked, startClocked, usual } from './clocked.ts'

// Requests that wait in line for a channel at its limits, and what may end their waiting.

beforeAll(() => countTokens('the tokenizer takes a moment to load'))

const { chat } = dialects

/** A channel for one request at a time, and one request that has its place until `release`. */
async function startFull(onDisconnect: 'bill_observed' | 'drain' = 'bill_observed') {
  const gateway = await startClocked({
    start: '2026-11-21T10:00:00Z',
    channel: { limits: { concurrency: 1 } },
    group: { on_disconnect: onDisconnect },
    settings: { queue_time: '60s' },
  })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  gateway.upstream.handle(async () => {
    await released
    return jsonAnswer(chat.body(usual))
  })
  const first = gateway.ask(chat)
  while (gateway.upstream.requests.length === 0) await Bun.sleep(1)
  return { gateway, first, release }
}

/** A request has come to where it waits. */
async function inLine({ tollgate }: Clocked): Promise<void> {
  while (tollgate.active() === 0) await Bun.sleep(1)
  await Bun.sleep(50)
}

async function recordOf(gateway: Clocked, answer: Response) {
  await answer.text()
  await gateway.tollgate.settled()
  return gateway.store.records.receipt(answer.headers.get('x-request-id') ?? '')
}

/** All is free again: one more request is answered at once. */
async function expectFree({ gateway, first, release }: Awaited<ReturnType<typeof startFull>>) {
  release()
  await (await first).text()
  expect((await gateway.ask(chat)).status).toBe(200)
  await gateway.tollgate.settled()
  const { balance, available } = await gateway.usage()
  expect(available).toBe(balance)
}

describe.each(['bill_observed', 'drain'] as const)('a client that leaves (%s)', (policy) => {
  test('gives up its place in line at once, and nobody is asked for it', async () => {
    const full = await startFull(policy)
    await using gateway = full.gateway
    const leaving = new AbortController()
    const asking = gateway.ask(chat, { signal: leaving.signal })
    await inLine(gateway)
    leaving.abort()
    const record = await recordOf(gateway, await asking)
    expect(record?.request).toMatchObject({ ending: 'client_left', amountNano: 0 })
    expect(record?.attempts).toEqual([])
    expect(gateway.complaints).toEqual([])
    await expectFree(full)
    expect(gateway.upstream.requests.length).toBe(2)
  })
})

test('the end of the process ends the waiting, with a record', async () => {
  await using gateway = await startClocked({
    start: '2026-11-21T10:00:00Z',
    channel: { limits: { rpm: 1 } },
    settings: { queue_time: '100s' },
  })
  await (await gateway.ask(chat)).text()
  const asking = gateway.ask(chat)
  await inLine(gateway)
  gateway.tollgate.interruptAll()
  const answer = await asking
  expect(answer.status).toBe(502)
  expect(gateway.tollgate.active()).toBe(0)
  expect((await recordOf(gateway, answer))?.request).toMatchObject({ ending: 'shutdown' })
  expect(gateway.upstream.requests.length).toBe(1)
})

test('no channel is asked for what turned out meanwhile to be paid by nobody', async () => {
  const full = await startFull()
  await using gateway = full.gateway
  // Another process takes it, and this one has not seen it yet.
  await gateway.store.admin.adjust({
    ...{ account: 'user@example.com', kind: 'debit', amountNano: 99_990_000_000 },
    ...{ reason: 'test', actor: 'test', idempotencyKey: null },
  })
  const answer = await gateway.ask(chat, { maxTokens: 6_000 })
  expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([401, 'balance'])
  expect((await recordOf(gateway, answer))?.attempts).toEqual([])
  await expectFree(full)
  expect(gateway.upstream.requests.length).toBe(2)
})
