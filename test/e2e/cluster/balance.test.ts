import { expect, test } from 'bun:test'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { createDatabase } from '../../support/postgres.ts'
import { ask } from '../caller.ts'
import { dialects } from '../dialects.ts'
import { describeCluster } from './describe-cluster.ts'
import { startCluster } from './scene.ts'

// Three nodes spend one account's money, each with what it remembers of the balance.

const { chat } = dialects
const affordable = 1_000
const asked = 3_000
const priceUsd = 0.01
const refusal = '{"code":"INSUFFICIENT_BALANCE","message":"Insufficient account balance"}'

describeCluster('three nodes behind nginx', () => {
  test('a balance for 1,000 requests lets 1,000 of 3,000 pass, whichever nodes they come to', async () => {
    await using upstream = startFakeUpstream(() => jsonAnswer(chat.body({ input: 9, output: 9 })))
    await using database = await createDatabase()
    await using cluster = await startCluster({
      store: database.url,
      upstream: upstream.url,
      balance: affordable * priceUsd,
      prices: { 'test-model': { per_call: priceUsd } },
    })
    const statuses = new Map<number, number>()
    const refusals = new Set<string>()
    const one = async () => {
      const answer = await ask(cluster.url, chat, false)
      const text = await answer.text()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status !== 200) refusals.add(text)
    }
    await Promise.all(Array.from({ length: asked }, one))
    expect(Object.fromEntries(statuses)).toEqual({ 200: affordable, 401: asked - affordable })
    expect([...refusals]).toEqual([refusal])

    const [sums] = await cluster.rows(
      `SELECT balance_nano AS balance, reserved_nano AS reserved,
           (SELECT sum(amount_nano) FROM ledger) AS ledger,
           (SELECT count(*) FROM ledger WHERE kind = 'charge') AS charges,
           (SELECT count(DISTINCT request_id) FROM ledger WHERE kind = 'charge') AS requests
         FROM account`,
    )
    expect(sums).toEqual({
      ...{ balance: 0, reserved: 0, ledger: 0 },
      ...{ charges: affordable, requests: affordable },
    })
    // nginx has shared them out: none has stood by.
    for (const node of cluster.nodes) {
      const requests = node.said().filter(({ message }) => message === 'request')
      expect(requests.length).toBeGreaterThan(asked / 20)
    }
    const verified = await cluster.run('verify')
    expect([verified.exitCode, verified.stderr]).toEqual([0, ''])
  }, 60_000)
})
