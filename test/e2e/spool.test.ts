import { describe, expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { type Cable, layCable } from '../support/cable.ts'
import { mountTinyDisk, skipped } from '../support/disk-trouble.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { lendDatabase } from '../support/lent-databases.ts'
import { ofSqlite } from '../support/of-sqlite.ts'
import { ask as askDatabase, hasPostgres } from '../support/postgres.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { costNano, dialects } from './dialects.ts'
import { beginStream, saidFirst, startHesitating } from './hesitating.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

// What went out whole is charged, once, though the store was silent and the process is killed.

const tokens = { input: 10, output: 20 }
const { chat } = dialects

/** Answers and streams that are there as far as `go` lets them. */
function startWaiting() {
  const go = Promise.withResolvers<void>()
  const upstream = startFakeUpstream(async (seen) => {
    if ((seen.json() as { stream?: boolean }).stream !== true) {
      await go.promise
      return jsonAnswer(chat.body(tokens))
    }
    const encoder = new TextEncoder()
    async function* body() {
      yield encoder.encode(chat.first(tokens) + chat.piece(saidFirst))
      await go.promise
      yield encoder.encode(chat.last(tokens))
    }
    const headers = { 'content-type': 'text/event-stream' }
    return new Response(body() as unknown as Bun.BodyInit, { headers })
  })
  return { upstream, go: go.resolve }
}

interface Row {
  readonly request_id: string
  readonly ending: string
  readonly amount_nano: number
  readonly charges: number
}

const charged = `SELECT request_id, ending, amount_nano,
  (SELECT count(*) FROM ledger WHERE ledger.request_id = request.request_id) AS charges FROM request`

interface Scene {
  readonly url: string
  readonly cable: Cable
  readonly folder: string
  start(): Promise<RunningBinary>
  readonly go: () => void
}

async function withScene(work: (scene: Scene) => Promise<void>, server = {}): Promise<void> {
  await using database = await lendDatabase()
  const address = new URL(database.url)
  await using cable = await layCable(Number(address.port))
  address.port = String(cable.port)
  using folder = createTempDir('tollgate-spool')
  const { upstream, go } = startWaiting()
  await using _ = upstream
  const env = { TOLLGATE_SECRET: 'one-secret-of-all-nodes-0123456789' }
  await work({
    ...{ url: database.url, cable, folder: folder.path, go },
    start: () =>
      startBinary({
        ...{ cwd: folder.path, env, args: ['serve', '--log', 'json'], readyMs: 30_000 },
        config: (listen) =>
          tollgateYaml({ listen, upstream: upstream.url, store: address.href, balance: 1, server }),
      }),
  })
}

/** A whole answer and a stream are under way when `disturb` keeps their charges from being known. */
async function disturbed({ url, cable, start, go }: Scene, disturb: () => void) {
  const node = await start()
  const whole = ask(node.url, chat, false)
  const stream = await beginStream(node, chat)
  const isAside = async () => (await askDatabase(url, 'SELECT 1 FROM reservation')).length === 2
  await until('money to be set aside', isAside)
  await until('the gateway to be told so', cable.isQuiet)
  disturb()
  go()
  return { node, answer: await whole, stream }
}

/** They go out all the same, and the node is killed. */
async function answersAndDies(scene: Scene, disturb: () => void) {
  const { node, answer, stream } = await disturbed(scene, disturb)
  expect([answer.status, await answer.json()]).toEqual([200, chat.body(tokens)])
  const streamed = await stream.text
  await node.kill('SIGKILL')
  return { ids: [requestIdOf(answer), stream.id].toSorted(), isWhole: chat.isWhole(streamed) }
}

async function expectChargedOnce(url: string, ids: readonly string[]): Promise<void> {
  const rows = await askDatabase<Row>(url, charged)
  const amount_nano = costNano(tokens)
  expect(rows.toSorted((a, b) => a.request_id.localeCompare(b.request_id))).toEqual(
    ids.map((request_id) => ({ request_id, ending: 'complete', amount_nano, charges: 1 })),
  )
  // The lease of the killed node ends when it counts as dead.
  const [account] = await askDatabase(
    url,
    `SELECT balance_nano, (reserved_nano - coalesce((SELECT sum(amount_nano) FROM lease), 0))::bigint
      AS reserved_nano FROM account`,
  )
  expect(account).toEqual({ balance_nano: 1_000_000_000 - 2 * amount_nano, reserved_nano: 0 })
}

describe.skipIf(!hasPostgres)('an answer that arrived whole is charged after a kill', () => {
  test.concurrent(
    'though PostgreSQL was silent',
    () =>
      withScene(async (scene) => {
        const { ids, isWhole } = await answersAndDies(scene, scene.cable.cut)
        expect(await askDatabase(scene.url, charged)).toEqual([])
        scene.cable.mend()
        const again = await scene.start()
        await expectChargedOnce(scene.url, ids)
        expect(isWhole).toBeTrue()
        expect(await (await fetch(`${again.url}/readyz`, { proxy: false })).text()).toBe('ready\n')
        await again.kill()
      }),
    90_000,
  )

  test.concurrent(
    'once, where it was stored and only the answer to that was lost',
    () =>
      withScene(async (scene) => {
        const { ids, isWhole } = await answersAndDies(scene, () => scene.cable.cutAnswers(true))
        scene.cable.cutAnswers(false)
        const again = await scene.start()
        await expectChargedOnce(scene.url, ids)
        expect(isWhole).toBeTrue()
        await again.kill()
      }),
    90_000,
  )

  test.concurrent(
    'and where there is no spool it does not arrive whole',
    () =>
      withScene(
        async (scene) => {
          const { node, answer, stream } = await disturbed(scene, scene.cable.cut)
          const text = await stream.text
          expect([answer.status, chat.isWhole(text), chat.isError(text)]).toEqual([
            500,
            false,
            true,
          ])
          const ready = await fetch(`${node.url}/readyz`, { proxy: false })
          expect(ready.status).toBe(503)
          await node.kill('SIGKILL')
        },
        { spool: 'off' },
      ),
    90_000,
  )
})

ofSqlite('what went out whole while the disk was full is charged after a kill', async () => {
  using disk = mountTinyDisk('8m')
  if (disk === undefined) return skipped('mounting takes root.')
  const { upstream, go } = startHesitating(tokens)
  await using _ = upstream
  const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url, balance: 1 })
  const options = { cwd: disk.path, args: ['serve', '--log', 'json'], config }
  const node = await startBinary(options)
  const stream = await beginStream(node, chat)
  {
    await using ledger = openLedger(disk.path)
    const isAside = async () => (await ledger.reservations()).length === 1
    await until('money to be set aside', isAside)
  }
  disk.fill()
  const isRefused = async () => (await ask(node.url, chat, false)).status === 500
  await until('no more to be stored', isRefused)
  go()
  expect(chat.isWhole(await stream.text)).toBeTrue()
  await until('it to be told', () => node.stdout.join().includes('they wait in the spool'))
  await node.kill('SIGKILL')
  disk.empty()
  await using again = await startBinary(options)
  await using ledger = openLedger(disk.path)
  expect((await ledger.record(stream.id))?.charged_nano).toBe(-costNano(tokens))
  expect(await ledger.balanceNano()).toBe(await ledger.sumNano())
  expect(await (await fetch(`${again.url}/readyz`, { proxy: false })).text()).toBe('ready\n')
})
