import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import {
  canForbidWriting,
  forbidWriting,
  heedingLimits,
  limitFileSize,
  mountTinyDisk,
  skipped,
} from '../support/disk-trouble.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { ofSqlite } from '../support/of-sqlite.ts'
import { openTables } from '../support/tables.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { logLines, startGateway } from '../torture/gateway.ts'
import { ask } from './caller.ts'
import { dialects } from './dialects.ts'
import { beginStream, startHesitating } from './hesitating.ts'
import { expectAnswers, livesThrough, slowest } from './trouble.ts'
import { until } from './until.ts'

// Nothing is given away: while charges can't be stored no answer is completed, and when they can
// be again, all goes on by itself.

const tokens = { input: 10, output: 20 }

interface Place {
  readonly cwd?: string
  readonly through?: readonly string[]
}

/** A gateway before an upstream whose streams wait for `go`. */
async function startTroubled(place: Place = {}) {
  const { upstream, go } = startHesitating(tokens)
  const gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
    ...place,
  })
  return {
    gateway,
    go,
    tokens,
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await upstream.stop()
    },
  }
}

/** Begins to write, as another process does; gives what ends it. */
async function lock({ cwd }: RunningBinary): Promise<() => Promise<void>> {
  const tables = openTables(cwd)
  const held = await tables.lock()
  return async () => {
    await held[Symbol.asyncDispose]()
    await tables[Symbol.asyncDispose]()
  }
}

test('a database locked for longer than the patience', async () => {
  await using troubled = await startTroubled()
  let unlock = async () => {}
  await livesThrough(troubled, {
    async begin() {
      unlock = await lock(troubled.gateway)
    },
    end: () => unlock(),
    told: 'is locked by another process',
  })
})

/** What needs no writing, while something is under way: the longest that it takes. */
const slowestHello = ({ url }: RunningBinary, during: Promise<unknown>): Promise<number> =>
  slowest(during, async () => {
    expect((await fetch(`${url}/api/hello`, { method: 'HEAD' })).status).toBe(200)
  })

test('a database locked before the first request of all', async () => {
  await using troubled = await startTroubled()
  const { gateway } = troubled
  const unlock = await lock(gateway)
  const asking = ask(gateway.url, dialects.chat, false)
  const slowestMs = await slowestHello(gateway, asking)
  expect((await asking).status).toBe(500)
  expect(slowestMs).toBeLessThan(500)
  await unlock()
  await expectAnswers(gateway, tokens, [false])
})

ofSqlite(
  'a database locked while a channel begins to cool',
  async () => {
    const asked = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    await using upstream = startFakeUpstream(async () => {
      asked.resolve()
      await locked.promise
      return jsonAnswer({ error: { message: 'No money is left.' } }, 402)
    })
    await using gateway = await startBinary({
      args: ['serve', '--log', 'json'],
      config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
    })
    const told = (line: string) => until(line, () => gateway.stdout.join().includes(line))
    const asking = ask(gateway.url, dialects.chat, false)
    await asked.promise
    const unlock = await lock(gateway)
    locked.resolve()
    const failing = told('health of channels not stored')
    expect(await slowestHello(gateway, failing)).toBeLessThan(500)
    await unlock()
    await Promise.all([asking, told('health of channels stored again')])
  },
  120_000,
)

test('a short lock is waited for, and nobody is told', async () => {
  await using troubled = await startTroubled()
  troubled.go()
  const unlock = await lock(troubled.gateway)
  const served = expectAnswers(troubled.gateway, tokens)
  await Bun.sleep(500)
  expect(Bun.peek.status(served)).toBe('pending')
  await unlock()
  await served
})

/** What the journal has left may be used up first. */
async function untilFull(gateway: RunningBinary): Promise<void> {
  await until('no more to be stored', async () => {
    const answer = await ask(gateway.url, dialects.chat, false)
    await answer.text()
    return answer.status === 500
  })
}

ofSqlite(
  'a full disk',
  async () => {
    using disk = mountTinyDisk('2m')
    if (disk === undefined) {
      return skipped('mounting takes root. "files that can not grow" stands for it.')
    }
    await using troubled = await startTroubled({ cwd: disk.path })
    await livesThrough(troubled, {
      async begin() {
        disk.fill()
        await untilFull(troubled.gateway)
      },
      end: () => disk.empty(),
      told: 'the disk is full',
    })
  },
  120_000,
)

ofSqlite(
  'a start on a full disk says so, and works when there is room',
  async () => {
    using disk = mountTinyDisk('2m')
    if (disk === undefined) return skipped('mounting takes root.')
    const { upstream } = startHesitating(tokens)
    await using _ = upstream
    const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
    const first = await startGateway(disk.path, config)
    const { text } = await beginStream(first, dialects.chat)
    text.catch(() => {}) // killed in the middle
    await first.kill('SIGKILL')
    disk.fill()
    const file = join(disk.path, 'tollgate.yaml')
    const refused = await runBinary(['serve', '--config', file])
    expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
    const path = join(disk.path, 'tollgate.db')
    expect(refused.stderr).toStartWith(
      `tollgate: The database ${path} can not grow because the disk is full: make room`,
    )
    disk.empty()
    await using gateway = await startGateway(disk.path, config)
    expect(logLines(gateway).flatMap((line) => line.interrupted ?? [])).toEqual([1])
    await expectAnswers(gateway, tokens, [false])
  },
  120_000,
)

describe.skipIf(process.platform !== 'linux')('on Linux, without any rights', () => {
  ofSqlite(
    'files that can not grow',
    async () => {
      await using troubled = await startTroubled({ through: heedingLimits })
      const { pid } = troubled.gateway
      await livesThrough(troubled, {
        async begin() {
          limitFileSize(pid, 200_000)
          await untilFull(troubled.gateway)
        },
        end: () => limitFileSize(pid, undefined),
        told: 'can not be read or written',
      })
    },
    120_000,
  )

  ofSqlite(
    'files that can not be written at all',
    async () => {
      await using troubled = await startTroubled({ through: heedingLimits })
      const { pid } = troubled.gateway
      await livesThrough(troubled, {
        begin: () => limitFileSize(pid, 0),
        end: () => limitFileSize(pid, undefined),
        told: 'can not be read or written',
        isOfSpool: true,
      })
    },
    120_000,
  )
})

ofSqlite(
  'files made read-only under way',
  async () => {
    await using troubled = await startTroubled()
    const { cwd } = troubled.gateway
    if (!canForbidWriting(cwd)) {
      return skipped('chattr +i takes root, and a file system that heeds it.')
    }
    const files = ['tollgate.db', 'tollgate.db-wal'].map((name) => join(cwd, name))
    let allow = () => {}
    try {
      await livesThrough(troubled, {
        begin() {
          allow = forbidWriting(files)
        },
        end: () => allow(),
        told: 'can not be read or written',
      })
    } finally {
      allow()
    }
  },
  120_000,
)
