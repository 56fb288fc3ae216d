import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentNodeMs } from '../../src/store/ports/nodes.ts'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { freePort } from '../support/free-port.ts'
import { ofSqlite } from '../support/of-sqlite.ts'
import { startOwnTime } from '../support/own-time.ts'
import { openTables } from '../support/tables.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testEngine } from '../support/test-store.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { killDuringStart, logLines, startGateway } from '../torture/gateway.ts'
import { ask, requestIdOf } from './caller.ts'
import { allDialects, costNano, dialects } from './dialects.ts'
import { beginStream, startHesitating } from './hesitating.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

// One process serves from a database at a time; a killed one is followed at once.

const tokens = { input: 1000, output: 500 }

const interrupted = (gateway: RunningBinary) =>
  logLines(gateway).flatMap((line) => line.interrupted ?? [])

describe('a second serve on the same database', () => {
  ofSqlite('is refused with a clear message, and changes nothing', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await startBinary({
      config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
    })
    const stream = await beginStream(gateway, dialects.messages)
    await using ledger = openLedger(gateway.cwd)
    const open = await ledger.reservations()
    expect(open.map(({ request_id }) => request_id)).toEqual([stream.id])

    const file = join(gateway.cwd, 'second.yaml')
    const other = {
      upstream: upstream.url,
      prices: { 'test-model': { input: 70, output: 90 } },
      moreAccounts: [{ email: 'new@example.com', balance: 5 }],
    }
    writeFileSync(file, tollgateYaml({ listen: `127.0.0.1:${await freePort()}`, ...other }))
    const second = await runBinary(['serve', '--config', file])
    expect(second.exitCode).toBe(1)
    const database = join(gateway.cwd, 'tollgate.db')
    expect(second.stderr).toBe(
      `tollgate: Another process serves from the database ${database}. Stop it first, or give ` +
        'this one a database of its own (store: in the configuration).\n',
    )
    expect(second.stdout).toBe('')

    expect(await ledger.reservations()).toEqual(open)
    expect(await ledger.reservedNano()).toBe(open[0]?.amount_nano ?? 0)
    const accounts = await runBinary(['account', 'list', '--json', '--config', file])
    expect(accounts.stdout).not.toContain('new@example.com')
    go()
    expect(dialects.messages.isWhole(await stream.text)).toBeTrue()
    const answer = await ask(gateway.url, dialects.chat, false)
    await answer.text()
    for (const id of [stream.id, requestIdOf(answer)]) {
      expect(await ledger.record(id)).toMatchObject({
        ending: 'complete',
        charged_nano: -costNano(tokens),
      })
    }
    expect(await ledger.reservedNano()).toBe(0)
  })

  test('starts at once when the first one was killed, and closes what that left open', async () => {
    const { upstream } = startHesitating(tokens)
    await using _ = upstream
    using folder = createTempDir()
    const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
    const first = await startGateway(folder.path, config)
    const streams = await Promise.all(allDialects.map((one) => beginStream(first, one)))
    for (const { text } of streams) text.catch(() => {}) // killed in the middle
    await first.kill('SIGKILL')
    // Nodes on a server close what was left half a minute ago.
    await using tables = openTables(folder.path)
    await tables.change(`UPDATE reservation SET created_at = created_at - ${silentNodeMs}`)
    using ownTime = startOwnTime()
    await using second = await startGateway(folder.path, config)
    expect(ownTime.now()).toBeLessThan(3_000)
    await using ledger = openLedger(folder.path)
    const isClosed = async () => (await ledger.reservations()).length === 0
    // On a server nodes look for the dead every five seconds, in a file the next one when it starts.
    if (testEngine === 'postgres') await until('a look for the dead', isClosed)
    expect(await ledger.reservations()).toEqual([])
    expect(await ledger.reservedNano()).toBe(0)
    for (const { id } of streams) {
      expect(await ledger.record(id)).toMatchObject({
        ...{ status: 500, ending: 'interrupted', cause: 'interrupted' },
        ...{ amount_nano: 0, charged_nano: null },
      })
    }
    expect(interrupted(second)).toEqual([streams.length])
    const answer = await ask(second.url, dialects.chat, false)
    expect(await answer.json()).toEqual(dialects.chat.body(tokens))
    expect(await ledger.balanceNano()).toBe(100e9 - costNano(tokens))
  })

  test('has nothing to close when the first one was stopped', async () => {
    const { upstream } = startHesitating(tokens)
    await using _ = upstream
    using folder = createTempDir()
    const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
    const first = await startGateway(folder.path, config)
    await (await ask(first.url, dialects.chat, false)).text()
    expect(await first.stop()).toBe(0)
    await using second = await startGateway(folder.path, config)
    expect(interrupted(second)).toEqual([])
  })
})

test('killed while it starts for the first time, it starts the next time', async () => {
  const { upstream } = startHesitating(tokens)
  await using _ = upstream
  const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
  // Later each time, until it is through; the last ones kill starts on what others left.
  for (const afterMs of [20, 50, 70, 80, 90, 100, 110, 130, 160]) {
    using folder = createTempDir()
    await killDuringStart(folder.path, config, afterMs)
    await killDuringStart(folder.path, config, afterMs / 2)
    await using gateway = await startGateway(folder.path, config)
    expect(interrupted(gateway)).toEqual([])
    const answer = await ask(gateway.url, dialects.chat, false)
    expect(answer.status).toBe(200)
    await answer.text()
    await using ledger = openLedger(folder.path)
    expect(await ledger.integrity()).toBe('ok')
    expect(await ledger.sumNano()).toBe(100e9 - costNano(tokens))
    expect(await ledger.balanceNano()).toBe(await ledger.sumNano())
  }
})
