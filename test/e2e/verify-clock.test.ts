import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { runBinary, startBinary } from '../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { openTables } from '../support/tables.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { dialects } from './dialects.ts'
import { until } from './until.ts'

// The clock of the whole process is set, under the program's feet, by libfaketime where it is installed.

const [library] = [...new Glob('*/faketime/libfaketimeMT.so.1').scanSync('/usr/lib')]

test.skipIf(library === undefined)(
  'verify finds nothing after the clock of the process was set forwards and back, over requests and prices',
  async () => {
    let hold = Promise.resolve()
    await using upstream = startFakeUpstream(async () => {
      await hold
      return jsonAnswer(dialects.chat.body({ input: 100, output: 10 }))
    })
    using folder = createTempDir('tollgate-clock')
    const clock = folder.join('clock')
    const setClock = (by: string) => writeFileSync(clock, by)
    setClock('+0')
    const env = {
      ...{ LD_PRELOAD: join('/usr/lib', library ?? ''), FAKETIME_TIMESTAMP_FILE: clock },
      ...{ FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
    }
    const config = (listen: string) =>
      tollgateYaml({ listen, upstream: upstream.url, balance: 1_000 })
    await using gateway = await startBinary({ config, env })
    await using tables = openTables(gateway.cwd)
    const run = (...words: readonly string[]) =>
      runBinary([...words, '--config', join(gateway.cwd, 'tollgate.yaml')], { env })

    /** Resolves to the price that it was charged by. */
    async function charge(): Promise<unknown> {
      const answer = await ask(gateway.url, dialects.chat, false)
      expect(answer.status).toBe(200)
      await answer.text()
      return tables.one('SELECT price_id FROM request WHERE request_id = ?', requestIdOf(answer))
    }

    let price = await charge()
    for (const [at, by] of ['+9d', '-3d', '-1h', '+0'].entries()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const seen = upstream.requests.length
      hold = promise
      const under = charge()
      under.catch(() => {}) // told when it is awaited
      while (upstream.requests.length === seen) await Bun.sleep(5)
      hold = Promise.resolve()
      setClock(by)
      const set = await run('price', 'set', 'test-model', '--per-call', `0.00${at + 1}`)
      expect({ code: set.exitCode, err: set.stderr }).toMatchObject({ code: 0 })
      const before = price
      const isNew = async () => {
        price = await charge()
        return price !== before
      }
      await until('the new price is charged', isNew)
      resolve()
      expect(await under).toBe(before)
      await charge()
    }
    const verified = await run('verify', '--json')
    expect({ code: verified.exitCode, out: JSON.parse(verified.stdout) }).toMatchObject({
      code: 0,
      out: { valid: true, differences: [] },
    })
    const times = await tables.rows<{ at: number }>(
      'SELECT created_at AS at FROM ledger ORDER BY id',
    )
    expect(times.some(({ at }, place) => at < (times[place - 1]?.at ?? 0) - 86_400_000)).toBeTrue()
    expect(await gateway.stop()).toBe(0)
  },
)
