import { expect, test } from 'bun:test'
import { startFakeUpstream } from '../../support/fake-upstream.ts'
import { createDatabase } from '../../support/postgres.ts'
import { ask, readUntil, requestIdOf } from '../caller.ts'
import { dialects } from '../dialects.ts'
import { until } from '../until.ts'
import { describeCluster } from './describe-cluster.ts'
import { startCluster } from './scene.ts'

// A node that is frozen with streams under way is taken for dead; another one spends what its streams
// had set aside. When it goes on, what ended meanwhile is charged once, and the account is flagged.

const { chat } = dialects
const priceUsd = 0.01
const priceNano = priceUsd * 1e9
const affordable = 8
const streams = 3
const used = { input: 9, output: 9 }

describeCluster('a node that is frozen and goes on', () => {
  test('charges what it has delivered once, and the account that has nothing left is flagged', async () => {
    const go = Promise.withResolvers<void>()
    await using upstream = startFakeUpstream(({ json }) => {
      const { stream } = json() as { stream?: boolean }
      if (!stream) return Response.json(chat.body(used))
      async function* pieces() {
        yield chat.first(used) + chat.piece('Hello')
        await go.promise
        yield chat.piece(' there') + chat.last(used)
      }
      const headers = { 'content-type': 'text/event-stream' }
      return new Response(pieces() as unknown as Bun.BodyInit, { headers })
    })
    await using database = await createDatabase()
    await using cluster = await startCluster({
      ...{ store: database.url, upstream: upstream.url, count: 2 },
      balance: affordable * priceUsd,
      prices: { 'test-model': { per_call: priceUsd } },
    })
    const [frozen, other] = cluster.nodes
    const pid = frozen?.pid()
    if (frozen === undefined || other === undefined || pid === undefined)
      throw new Error('No nodes.')

    const begun = []
    for (let at = 0; at < streams; at++) {
      const answer = await ask(frozen.url, chat, true)
      const { reader } = await readUntil(answer, (text) => text.includes('Hello'))
      begun.push({ id: requestIdOf(answer), reader })
    }
    const ids = begun.map(({ id }) => id)
    const count = async (sql: string) => (await cluster.rows<{ n: number }>(sql))[0]?.n
    const held = () => count('SELECT count(*) AS n FROM reservation')
    await until('all streams have set something aside', async () => (await held()) === streams)

    process.kill(pid, 'SIGSTOP')
    try {
      // As after half a minute of silence, which a test need not wait for.
      const silent = 'created_at = created_at - 40000'
      await cluster.rows(`UPDATE node SET seen_at = seen_at - 40000
        WHERE id IN (SELECT node_id FROM reservation)`)
      await cluster.rows(`UPDATE reservation SET ${silent}`)
      await until('it is taken for dead', async () => (await held()) === 0)
      const endings = await cluster.rows('SELECT ending, amount_nano AS nano FROM request')
      expect(endings).toEqual(begun.map(() => ({ ending: 'interrupted', nano: 0 })))

      for (let at = 0; at < affordable; at++) {
        const answer = await ask(other.url, chat, false)
        expect([answer.status, await answer.json()]).toEqual([200, expect.anything()])
      }
      expect((await ask(other.url, chat, false)).status).toBe(401)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    go.resolve()
    for (const { reader } of begun) {
      let text = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        text += new TextDecoder().decode(value)
      }
      expect(text).toEndWith('data: [DONE]\n\n')
    }

    const charged = `SELECT count(*) AS n FROM ledger WHERE kind = 'charge'`
    const all = affordable + streams
    await until('what was delivered is charged', async () => (await count(charged)) === all)
    const ofStreams = await cluster.rows(
      `SELECT request_id AS id, ending, request.amount_nano AS nano, count(ledger.id) AS charges
       FROM request JOIN ledger USING (request_id) WHERE request_id IN ('${ids.join("','")}')
       GROUP BY request.id, request_id, ending, request.amount_nano ORDER BY request_id`,
    )
    expect(ofStreams).toEqual(
      ids.toSorted().map((id) => ({ id, ending: 'complete', nano: priceNano, charges: 1 })),
    )
    const money = () =>
      cluster.rows<{ balance: number; held: number }>(
        'SELECT balance_nano AS balance, reserved_nano AS held FROM account',
      )
    await until('what it held for them is free', async () => (await money())[0]?.held === 0)
    expect(await money()).toEqual([{ balance: -streams * priceNano, held: 0 }])
    expect(await held()).toBe(0)
    const verified = await cluster.run('verify')
    expect([verified.exitCode, verified.stderr]).toEqual([0, ''])

    const told = () => frozen.said().filter(({ message }) => message === 'account is overdrawn')
    await until('it is said', () => told().length > 0)
    expect(told()).toHaveLength(1)
    expect(told()[0]).toMatchObject({ account: 'user@example.com', credit_limit_nano: 0 })
    const { overdrawn } = JSON.parse((await cluster.run('status', '--json')).stdout)
    expect(overdrawn).toMatchObject({
      count: 1,
      accounts: [{ email: 'user@example.com', overdrawn_nano: streams * priceNano }],
    })
    expect(ids).toContain(overdrawn.accounts[0].request_id)

    for (const node of cluster.nodes) expect((await ask(node.url, chat, false)).status).toBe(401)
    const credit = ['account', 'credit', 'user@example.com', '1', '--reason', 'paid']
    expect((await cluster.run(...credit)).exitCode).toBe(0)
    const isServed = async () => {
      const answers = await Promise.all(cluster.nodes.map((node) => ask(node.url, chat, false)))
      return answers.every(({ status }) => status === 200)
    }
    await until('both nodes serve it again', isServed)
    expect(JSON.parse((await cluster.run('status', '--json')).stdout).overdrawn.count).toBe(0)
  })
})
