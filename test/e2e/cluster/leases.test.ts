import { expect, test } from 'bun:test'
import { startBinary } from '../../support/binary.ts'
import { layCable } from '../../support/cable.ts'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { createDatabase } from '../../support/postgres.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { ask } from '../caller.ts'
import { dialects } from '../dialects.ts'
import { until } from '../until.ts'
import { describeCluster } from './describe-cluster.ts'
import { type Cluster, startCluster } from './scene.ts'

// A node promises money that it has leased without asking. Whatever becomes of it, the account's money is
// spent once. A node is taken for dead after half a minute: the tests wait for it at the same time.

const { chat } = dialects
const priceUsd = 0.01
const priceNano = priceUsd * 1e9
const affordable = 300
const options = {
  balance: affordable * priceUsd,
  prices: { 'test-model': { per_call: priceUsd } },
}
const startUpstream = () => startFakeUpstream(() => jsonAnswer(chat.body({ input: 9, output: 9 })))

/** The statuses of requests that come together. */
const askTogether = (url: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await ask(url, chat, false)
      await answer.text()
      return answer.status
    }),
  )
const served = (statuses: readonly number[]) => statuses.filter((status) => status === 200).length

/** What the nodes have leased, in requests. */
async function leased({ rows }: Pick<Cluster, 'rows'>): Promise<number> {
  const [sum] = await rows<{ nano: number }>(
    'SELECT coalesce(sum(amount_nano), 0) AS nano FROM lease',
  )
  return (sum?.nano ?? 0) / priceNano
}

/** Asks until a lease is there; gives how many were served. */
async function askUntilLeased(cluster: Cluster, url: string): Promise<number> {
  let count = 0
  await until('a node has leased money', async () => {
    count += served(await askTogether(url, 5))
    return (await leased(cluster)) > 0
  })
  return count
}

/** Asks until the account has nothing left; gives how many were served. */
async function spendAll(url: string): Promise<number> {
  let count = 0
  await until('the account has nothing left', async () => {
    const statuses = await askTogether(url, 10)
    count += served(statuses)
    return statuses.every((status) => status === 401)
  })
  return count
}

async function books({ rows }: Pick<Cluster, 'rows'>) {
  const [sums] = await rows<{ balance: number; reserved: number; charges: number }>(
    `SELECT balance_nano AS balance, reserved_nano AS reserved,
      (SELECT count(*) FROM ledger WHERE kind = 'charge') AS charges FROM account`,
  )
  return sums
}

async function expectSound(cluster: Cluster): Promise<void> {
  const verified = await cluster.run('verify')
  expect([verified.exitCode, verified.stderr]).toEqual([0, ''])
}

describeCluster('a node with a lease', () => {
  test.concurrent('returns it when it is idle; a killed one has it taken back by another', async () => {
    await using upstream = startUpstream()
    await using database = await createDatabase()
    await using cluster = await startCluster({
      ...{ ...options, store: database.url, upstream: upstream.url, count: 2 },
    })
    const [first, other] = cluster.nodes
    if (first === undefined || other === undefined) throw new Error('No nodes.')
    let count = await askUntilLeased(cluster, first.url)
    const report = JSON.parse(
      (await cluster.run('account', 'show', 'user@example.com', '--json')).stdout,
    )
    expect(report.reserved_nano).toBeGreaterThan(0)
    await until('it has returned it', async () => (await leased(cluster)) === 0)
    expect(await books(cluster)).toMatchObject({ reserved: 0, charges: count })

    count += await askUntilLeased(cluster, first.url)
    await first.kill()
    expect(await leased(cluster)).toBeGreaterThan(0)
    await until('another one has taken it back', async () => (await leased(cluster)) === 0)
    count += await spendAll(other.url)
    expect(count).toBe(affordable)
    await until('all is free', async () => (await books(cluster))?.reserved === 0)
    expect(await books(cluster)).toEqual({ balance: 0, reserved: 0, charges: affordable })
    await expectSound(cluster)
  }, 200_000)

  test.concurrent('that was frozen for longer than it lasts begins nothing on it', async () => {
    await using upstream = startUpstream()
    await using database = await createDatabase()
    await using cluster = await startCluster({
      ...{ ...options, store: database.url, upstream: upstream.url, count: 2 },
    })
    const [frozen, other] = cluster.nodes
    const pid = frozen?.pid()
    if (frozen === undefined || other === undefined || pid === undefined)
      throw new Error('No nodes.')
    let count = await askUntilLeased(cluster, frozen.url)
    process.kill(pid, 'SIGSTOP')
    const late = []
    try {
      await until('it is taken for dead', async () => (await leased(cluster)) === 0)
      count += await spendAll(other.url)
      // They wait for it, and are the first that it sees.
      late.push(askTogether(frozen.url, 10))
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    count += served((await Promise.all(late)).flat())
    expect(count).toBe(affordable)
    expect(await books(cluster)).toMatchObject({ balance: 0, charges: affordable })
    await until('all is free', async () => (await books(cluster))?.reserved === 0)
    await expectSound(cluster)
  }, 200_000)

  test.concurrent('that is cut off from the database is charged for what it delivers, and ends with its lease', async () => {
    await using upstream = startUpstream()
    await using database = await createDatabase()
    await using cluster = await startCluster({
      ...{ ...options, store: database.url, upstream: upstream.url, count: 1 },
    })
    const [other] = cluster.nodes
    if (other === undefined) throw new Error('No node.')
    const url = new URL(database.url)
    await using cable = await layCable(Number(url.port))
    url.port = String(cable.port)
    await using node = await startBinary({
      args: ['serve', '--log', 'json'],
      env: { TOLLGATE_SECRET: 'one-secret-of-all-nodes-0123456789' },
      config: (listen) =>
        tollgateYaml({ ...options, listen, store: url.href, upstream: upstream.url }),
    })
    let count = await askUntilLeased(cluster, node.url)
    cable.cut()
    const onLease = served(await askTogether(node.url, 5))
    await until('it is taken for dead', async () => (await leased(cluster)) === 0)
    count += await spendAll(other.url)
    expect(count).toBe(affordable)
    expect(served(await askTogether(node.url, 5))).toBe(0)
    cable.mend()
    const charges = affordable + onLease
    await until(
      'what it has delivered is charged',
      async () => (await books(cluster))?.charges === charges,
    )
    await until('it has nothing left', async () =>
      (await askTogether(node.url, 3)).every((status) => status === 401),
    )
    await until('all is free', async () => (await books(cluster))?.reserved === 0)
    expect(await books(cluster)).toEqual({ balance: -onLease * priceNano, reserved: 0, charges })
    const { overdrawn } = JSON.parse((await cluster.run('status', '--json')).stdout)
    expect(overdrawn.count).toBe(onLease > 0 ? 1 : 0)
    await expectSound(cluster)
  }, 200_000)
})
