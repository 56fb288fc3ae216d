import { expect, test } from 'bun:test'
import { jsonAnswer, stall, startFakeUpstream } from '../../support/fake-upstream.ts'
import { createDatabase } from '../../support/postgres.ts'
import { ask } from '../caller.ts'
import { dialects } from '../dialects.ts'
import { until } from '../until.ts'
import { describeCluster } from './describe-cluster.ts'
import { startCluster } from './scene.ts'

// Three nodes spend one account's money, and one token's budget, each with what it remembers of them.

const { chat } = dialects
const affordable = 1_000
const asked = 3_000
const priceUsd = 0.01
const usedUp = '{"code":"INSUFFICIENT_BALANCE","message":"Insufficient account balance"}'

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
      const text = await answer.text().catch(String)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 401) refusals.add(text)
    }
    await Promise.all(Array.from({ length: asked }, one))
    // 429: what is left is set aside for others, who may give some of it back.
    const { 200: passed, 401: refused = 0, 429: early = 0 } = Object.fromEntries(statuses)
    expect({ passed, others: refused + early }).toEqual({
      passed: affordable,
      others: asked - affordable,
    })
    const late = await ask(cluster.url, chat, false)
    expect([late.status, await late.text()]).toEqual([401, usedUp])
    for (const refusal of refusals) expect(refusal).toBe(usedUp)

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
  })

  test('a budget for 300 requests lets 300 of 900 pass, and what a killed node had set aside comes back', async () => {
    const payable = 300
    const lostCount = 20
    await using upstream = startFakeUpstream(async () => {
      if (upstream.requests.length <= lostCount) return stall()
      await Bun.sleep(100)
      return jsonAnswer(chat.body({ input: 9, output: 9 }))
    })
    await using database = await createDatabase()
    await using cluster = await startCluster({
      store: database.url,
      upstream: upstream.url,
      balance: 1_000,
      prices: { 'test-model': { per_call: priceUsd } },
      token: { budget: { total: 2 * payable * priceUsd, day: payable * priceUsd } },
    })
    const one = async (url = cluster.url) => {
      try {
        const answer = await ask(url, chat, false)
        const text = await answer.text().catch(String)
        const reason = answer.headers.get('x-tollgate-reason')
        if (answer.status === 200) return '200 '
        return `${answer.status} ${reason ?? text}`
      } catch (error) {
        return String(error)
      }
    }
    const [victim, other] = cluster.nodes
    if (victim === undefined || other === undefined) throw new Error('There are no nodes.')
    // Some are under way on a node that is killed: nobody will settle them.
    const lost = Array.from({ length: lostCount }, () => one(victim.url))
    while (upstream.requests.length < lostCount) await Bun.sleep(5)
    await victim.kill()
    expect(await Promise.all(lost)).not.toContain('200 ')
    const outcomes = await Promise.all(Array.from({ length: 3 * payable }, () => one()))
    let passed = outcomes.filter((outcome) => outcome === '200 ').length
    // What the killed node has set aside may come back.
    const strange = outcomes.filter(
      (outcome) => !/^(200|401 budget|429 concurrency_limited)$/.test(`${outcome}`.trim()),
    )
    expect(strange).toEqual([])
    /** Asks until nothing is left for it. */
    const spendRest = () =>
      until('the rest to be spent', async () => {
        const found = await Promise.all(Array.from({ length: 10 }, () => one(other.url)))
        const served = found.filter((outcome) => outcome === '200 ').length
        passed += served
        return served === 0
      })
    await spendRest()
    const sums = async () => {
      const [found] = await cluster.rows<Record<string, number>>(
        `SELECT day_nano AS day, token_spending.reserved_nano AS reserved,
          account.reserved_nano AS of_account,
          (SELECT count(*) FROM ledger WHERE kind = 'charge') AS charges
        FROM token_spending, account`,
      )
      return found
    }
    // The rest is what the killed node has reserved, or leased.
    const heldNano = (await sums())?.reserved ?? 0
    expect(heldNano).toBe(Math.round((payable - passed) * priceUsd * 1e9))
    expect(heldNano).toBeGreaterThan(0)
    // Free when it was not heard of for 30 s: so much may be spent then, and not one more.
    await until(
      'what it held to be free',
      async () => {
        await spendRest()
        return passed >= payable
      },
      60_000,
    )
    // Idle leases of the account go back after some seconds.
    await until('nothing to be set aside', async () => (await sums())?.of_account === 0)
    const day = payable * priceUsd * 1e9
    expect(await sums()).toEqual({ day, reserved: 0, of_account: 0, charges: payable })
    expect(passed).toBe(payable)
    const verified = await cluster.run('verify')
    expect([verified.exitCode, verified.stderr]).toEqual([0, ''])
  }, 120_000)
})
