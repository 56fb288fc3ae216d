import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { startBinary } from '../support/binary.ts'
import { startOwnTime } from '../support/own-time.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { dialects } from './dialects.ts'
import { startHesitating } from './hesitating.ts'
import { openLedger } from './ledger.ts'

// Whoever reads the log has stopped reading it, and has not gone.

const tokens = { input: 10, output: 20 }

let folder: TempDir
let pipe: string
let held: number
beforeAll(() => {
  folder = createTempDir()
  pipe = folder.join('log')
  Bun.spawnSync(['mkfifo', pipe])
  held = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  // As full as it gets: not a line has room in it.
  for (const size of [65_536, 4_096, 1]) {
    try {
      for (;;) writeSync(held, Buffer.alloc(size, '\n'))
    } catch {
      // No room for so much.
    }
  }
})
afterAll(() => {
  closeSync(held)
  folder.remove()
})

/** A gateway whose output nobody reads: `>` the log, or `>` both. */
async function startUnread(where: string) {
  const { upstream, go } = startHesitating(tokens)
  go()
  const gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
    through: ['sh', '-c', `exec "$@" ${where}`, 'sh'],
  })
  return { gateway, upstream }
}

describe('a log that nobody reads', () => {
  test('does not hold up requests, nor the end; what was answered is charged', async () => {
    const { gateway, upstream } = await startUnread(`>'${pipe}'`)
    await using _ = upstream
    await using __ = gateway
    for (let count = 0; count < 20; count++) {
      expect((await ask(gateway.url, dialects.chat, false)).status).toBe(200)
    }
    using ownTime = startOwnTime()
    expect(await gateway.kill('SIGTERM')).toBe(0)
    expect(ownTime.now()).toBeLessThan(6_000)
    expect(gateway.stderr).toEqual(['tollgate: the log is not read: its last lines are lost'])
    await using ledger = openLedger(gateway.cwd)
    expect((await ledger.charges()).length).toBe(20)
  })

  test('nor when complaints are not read either', async () => {
    const { gateway, upstream } = await startUnread(`>'${pipe}' 2>&1`)
    await using _ = upstream
    await using __ = gateway
    expect((await ask(gateway.url, dialects.chat, false)).status).toBe(200)
    expect(await gateway.kill('SIGTERM')).toBe(0)
  })

  test('is not waited for when a second signal comes', async () => {
    const { gateway, upstream } = await startUnread(`>'${pipe}'`)
    await using _ = upstream
    await using __ = gateway
    const again = setInterval(() => process.kill(gateway.pid, 'SIGTERM'), 200)
    const ended = gateway.kill('SIGTERM').finally(() => clearInterval(again))
    // By when it comes: behind the stop, or within it.
    expect([0, 143]).toContain(await ended)
    expect(gateway.stderr.join()).not.toContain('the log is not read')
  })
})
