import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningBinary, residentBytes, runBinary, startBinary } from '../../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { lives } from '../../support/processes.ts'
import { testKey } from '../../support/tollgate-yaml.ts'
import { ask } from '../caller.ts'
import { dialects, wholeStream } from '../dialects.ts'
import { beginStream, startHesitating } from '../hesitating.ts'
import { openLedger } from '../ledger.ts'
import { until } from '../until.ts'
import { hasLine, sharesPorts, startGroup, wholeGroup } from './scene.ts'

const tokens = { input: 1000, output: 500 }
const { chat } = dialects

const startUpstream = () => startFakeUpstream(() => jsonAnswer(chat.body(tokens)))

/** Asks until it is answered: a group without its keeper refuses for a moment. */
const answered = (url: string) =>
  until('an answer', async () => {
    const answer = await ask(url, chat, false).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  })

/** Whether nobody listens: a connection that waits in a socket is not refused. */
async function refuses({ url }: RunningBinary): Promise<boolean> {
  try {
    await fetch(url, { keepalive: false, proxy: false, signal: AbortSignal.timeout(2_000) })
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'ECONNREFUSED'
  }
}

describe.skipIf(!sharesPorts)('a group of processes', () => {
  test('charges each request once, whichever worker answered it', async () => {
    await using upstream = startUpstream()
    await using gateway = await startGroup({ upstream, workers: 3 })
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => ask(gateway.url, chat, false)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    expect(residentBytes(gateway.pid)).toBeLessThan(44 * 1_048_576)
    expect(await gateway.kill()).toBe(0)
    await using ledger = openLedger(gateway.cwd)
    expect(await ledger.charges()).toHaveLength(60)
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
    expect(await ledger.reservations()).toEqual([])
  })

  test('a worker that is killed loses its own requests only: they are interrupted, and another one comes', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await startGroup({ upstream })
    const { workers } = await wholeGroup(gateway)
    const streams = await Promise.all(Array.from({ length: 12 }, () => beginStream(gateway, chat)))
    const texts = Promise.allSettled(streams.map(({ text }) => text))
    process.kill(workers[0] ?? 0, 'SIGKILL')
    await until('another worker', async () => (await wholeGroup(gateway)).workers[0] !== workers[0])
    await answered(gateway.url)
    go()
    const whole = wholeStream(chat, tokens, ['Hello, and welcome', ' there'])
    const isWhole = (await texts).map((one) => one.status === 'fulfilled' && one.value === whole)
    expect(await gateway.kill()).toBe(0)
    await using ledger = openLedger(gateway.cwd)
    for (const [i, { id }] of streams.entries())
      expect((await ledger.record(id))?.ending).toBe(isWhole[i] ? 'complete' : 'interrupted')
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
    expect(await ledger.reservations()).toEqual([])
  })

  test('without a keeper requests under way go on; a new one answers in a moment', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await startGroup({ upstream })
    const before = await wholeGroup(gateway)
    const streams = await Promise.all(Array.from({ length: 6 }, () => beginStream(gateway, chat)))
    process.kill(before.keeper, 'SIGKILL')
    await answered(gateway.url)
    go()
    const whole = wholeStream(chat, tokens, ['Hello, and welcome', ' there'])
    for (const { text } of streams) expect(await text).toBe(whole)
    const after = await wholeGroup(gateway)
    expect(after.workers).toEqual(before.workers)
    expect(after.keeper).not.toBe(before.keeper)
    expect(await gateway.kill()).toBe(0)
    await using ledger = openLedger(gateway.cwd)
    expect(await ledger.charges()).toHaveLength(7)
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
    expect(await ledger.reservations()).toEqual([])
  })

  test('when the first process is killed, the others end by themselves, and it can be started again', async () => {
    await using upstream = startUpstream()
    await using gateway = await startGroup({ upstream })
    const { keeper, workers } = await wholeGroup(gateway)
    await gateway.kill('SIGKILL')
    await until('all have ended', () => ![keeper, ...workers].some(lives))
    const { cwd, port } = gateway
    const args = ['serve', '--log', 'json', '--config', join(cwd, 'tollgate.yaml')]
    await using again = await startBinary({ args, cwd, port })
    expect((await ask(again.url, chat, false)).status).toBe(200)
  })

  test('a stop lets streams end, settles them, and exits with 0', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await startGroup({ upstream })
    const streams = await Promise.all(Array.from({ length: 6 }, () => beginStream(gateway, chat)))
    const ended = gateway.kill('SIGTERM')
    await until('all processes stop', () => hasLine(gateway, '"message":"stopping"'))
    await until('connections to be refused', () => refuses(gateway))
    expect(Bun.peek.status(ended)).toBe('pending')
    go()
    const whole = wholeStream(chat, tokens, ['Hello, and welcome', ' there'])
    for (const { text } of streams) expect(await text).toBe(whole)
    expect(await ended).toBe(0)
    await using ledger = openLedger(gateway.cwd)
    expect(await ledger.charges()).toHaveLength(6)
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
  })

  test('a second signal ends the streams; they are charged by what was seen', async () => {
    const { upstream } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await startGroup({ upstream })
    const { text } = await beginStream(gateway, chat)
    process.kill(gateway.pid, 'SIGTERM')
    await until('all processes stop', () => hasLine(gateway, '"message":"stopping"'))
    expect(await gateway.kill('SIGTERM')).toBe(0)
    expect(chat.isError(await text)).toBe(true)
  })

  test('SIGHUP: the workers have what the file says now', async () => {
    await using upstream = startUpstream()
    await using gateway = await startGroup({ upstream })
    const file = join(gateway.cwd, 'tollgate.yaml')
    const text = readFileSync(file, 'utf8')
    expect((await ask(gateway.url, chat, false, { key: `${testKey}-new` })).status).toBe(401)
    writeFileSync(
      file,
      text.replaceAll(testKey, `${testKey}-new`).replace(/name: test-token/, 'name: other'),
    )
    process.kill(gateway.pid, 'SIGHUP')
    await until('it is applied', () => hasLine(gateway, 'configuration applied'))
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await ask(gateway.url, chat, false, { key: `${testKey}-new` })).status,
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('a second installation on the port is refused in words', async () => {
    await using upstream = startUpstream()
    await using gateway = await startGroup({ upstream })
    const config = join(gateway.cwd, 'second.yaml')
    const { port } = gateway
    writeFileSync(
      config,
      `server: { listen: "127.0.0.1:${port}", workers: 2 }\nstore: sqlite:./second.db\n`,
    )
    const { exitCode, stderr } = await runBinary(['serve', '--config', config], {
      cwd: gateway.cwd,
    })
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use.`)
    expect(exitCode).toBe(1)
  })

  test('what keeps the keeper from starting ends the group with its words', async () => {
    await using upstream = startUpstream()
    await using gateway = await startGroup({ upstream })
    const config = join(gateway.cwd, 'beside.yaml')
    const text = readFileSync(join(gateway.cwd, 'tollgate.yaml'), 'utf8')
    writeFileSync(config, text.replace(`127.0.0.1:${gateway.port}`, '127.0.0.1:0'))
    const { exitCode, stderr } = await runBinary(['serve', '--config', config], {
      cwd: gateway.cwd,
    })
    expect(stderr).toContain('Another process serves from the database')
    expect(exitCode).toBe(1)
  })
})
