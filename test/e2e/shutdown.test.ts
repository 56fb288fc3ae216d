import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningBinary, requireBinary, runBinary, startBinary } from '../support/binary.ts'
import { heedingLimits, limitFileSize } from '../support/disk-trouble.ts'
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { inOneRound } from '../support/in-one-round.ts'
import { ofSqlite } from '../support/of-sqlite.ts'
import { startOwnTime } from '../support/own-time.ts'
import { openTables } from '../support/tables.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, callBySocket, readUntil, requestIdOf } from './caller.ts'
import { allDialects, costNano, dialects, wholeStream } from './dialects.ts'
import { startFlood } from './flood.ts'
import { beginStream, startHesitating } from './hesitating.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

const tokens = { input: 1000, output: 500 }

const start = (upstream: FakeUpstream | { url: string }, server: object = {}) =>
  startBinary({ config: (listen) => tollgateYaml({ listen, upstream: upstream.url, server }) })

const said = (gateway: RunningBinary, text: string) =>
  until(`the line ${text}`, () => gateway.stdout.some((line) => line.includes(text)))

async function refuses(gateway: RunningBinary): Promise<boolean> {
  try {
    const answer = await fetch(`${gateway.url}/api/hello`, { method: 'HEAD', keepalive: false })
    return answer.status >= 500
  } catch {
    return true
  }
}

describe('SIGTERM', () => {
  test('takes no more requests, lets running streams end, settles, exits with 0', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await start(upstream)
    const streams = await Promise.all(allDialects.map((one) => beginStream(gateway, one)))
    const ended = gateway.kill('SIGTERM')
    await until('new requests to be refused', () => refuses(gateway))
    expect(Bun.peek.status(ended)).toBe('pending')
    go()
    for (const [at, dialect] of allDialects.entries()) {
      const text = await streams[at]?.text
      expect(text).toBe(wholeStream(dialect, tokens, ['Hello, and welcome', ' there']))
    }
    expect(await ended).toBe(0)
    await using ledger = openLedger(gateway.cwd)
    expect((await ledger.records()).map(({ ending }) => ending)).toEqual(
      allDialects.map(() => 'complete'),
    )
    expect((await ledger.charges()).length).toBe(allDialects.length)
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
  })

  test('a stream beyond the grace ends with an error event and is charged; exit code 0', () =>
    inOneRound(async () => {
      const { upstream } = startHesitating(tokens)
      await using _ = upstream
      await using gateway = await start(upstream, { shutdown_grace: '1s' })
      const streams = await Promise.all(allDialects.map((one) => beginStream(gateway, one)))
      const stopped = performance.now()
      using ownTime = startOwnTime()
      const ended = gateway.kill('SIGTERM')
      for (const [at, dialect] of allDialects.entries()) {
        const text = (await streams[at]?.text) ?? ''
        expect([dialect.name, dialect.isError(text)]).toEqual([dialect.name, true])
        expect(dialect.isWhole(text)).toBeFalse()
      }
      expect(await ended).toBe(0)
      expect(performance.now() - stopped).toBeGreaterThanOrEqual(950)
      expect(ownTime.now()).toBeLessThan(3000)
      await until('the upstream connections to close', () =>
        upstream.requests.every(({ abortedAt }) => abortedAt !== undefined),
      )
      await using ledger = openLedger(gateway.cwd)
      for (const { id } of streams) {
        const record = await ledger.record(id)
        expect(record).toMatchObject({ ending: 'shutdown', cause: 'shutdown', estimated: 1 })
        expect(record?.amount_nano).toBeGreaterThan(0)
        expect(record?.charged_nano).toBe(-(record?.amount_nano ?? 0))
      }
    }))

  test('a second one cuts the grace', () =>
    inOneRound(async () => {
      const { upstream } = startHesitating(tokens)
      await using _ = upstream
      await using gateway = await start(upstream, { shutdown_grace: '60s' })
      const stream = await beginStream(gateway, dialects.chat)
      process.kill(gateway.pid, 'SIGTERM')
      await said(gateway, 'stopping')
      using ownTime = startOwnTime()
      expect(await gateway.kill('SIGTERM')).toBe(0)
      expect(ownTime.now()).toBeLessThan(2000)
      expect(dialects.chat.isError(await stream.text)).toBeTrue()
      await using ledger = openLedger(gateway.cwd)
      expect((await ledger.record(stream.id))?.ending).toBe('shutdown')
    }))

  test('a request that waits for its upstream is told to repeat itself', async () => {
    await using upstream = startFakeUpstream(() => new Promise<Response>(() => {}))
    await using gateway = await start(upstream, { shutdown_grace: '300ms' })
    const asked = ask(gateway.url, dialects.chat, false)
    await until('the upstream to be asked', () => upstream.requests.length > 0)
    const ended = gateway.kill('SIGTERM')
    const answer = await asked
    expect(answer.status).toBe(502)
    expect((await answer.json()) as object).toMatchObject({ error: { type: 'api_error' } })
    expect(await ended).toBe(0)
    await using ledger = openLedger(gateway.cwd)
    expect(await ledger.record(requestIdOf(answer))).toMatchObject({
      ending: 'shutdown',
      amount_nano: 0,
    })
  })

  test('clients that do not read, or stay connected, do not hold up the end', () =>
    inOneRound(async () => {
      await using flood = await startFlood(dialects.chat, tokens, 100_000_000)
      await using gateway = await start(flood, { shutdown_grace: '300ms' })
      using paused = await callBySocket(gateway.port, dialects.chat, true)
      await paused.pauseAtFirst()
      const idle = await Bun.connect({
        hostname: '127.0.0.1',
        port: gateway.port,
        socket: { data() {} },
      })
      using ownTime = startOwnTime()
      expect(await gateway.kill('SIGTERM')).toBe(0)
      expect(ownTime.now()).toBeLessThan(4000)
      idle.end()
      await using ledger = openLedger(gateway.cwd)
      expect(await ledger.records()).toMatchObject([{ ending: 'shutdown', estimated: 1 }])
      expect((await ledger.charges()).length).toBe(1)
    }))
})

test('SIGTERM is heard from the first moment in which there are answers', async () => {
  const { upstream } = startHesitating(tokens)
  await using _ = upstream
  for (const _time of [1, 2, 3, 4, 5]) {
    await using gateway = await start(upstream)
    expect(await gateway.kill('SIGTERM')).toBe(0)
  }
})

describe('behind a load balancer', () => {
  const readiness = async ({ url }: RunningBinary) => (await fetch(`${url}/readyz`)).status

  test('SIGTERM is told by /readyz while requests still pass, then the port closes', () =>
    inOneRound(async () => {
      const { upstream, go } = startHesitating(tokens)
      await using _ = upstream
      await using gateway = await start(upstream, { shutdown_delay: '3s' })
      expect(await readiness(gateway)).toBe(200)
      const began = await beginStream(gateway, dialects.chat)
      const told = performance.now()
      const ended = gateway.kill('SIGTERM')
      await until('readyz to say it', async () => (await readiness(gateway)) === 503)
      const answers = await Promise.all(allDialects.map((one) => ask(gateway.url, one, false)))
      expect(answers.map(({ status }) => status)).toEqual(allDialects.map(() => 200))
      const late = await beginStream(gateway, dialects.messages)
      expect(performance.now() - told).toBeLessThan(3000) // else this shows nothing
      await until('new requests to be refused', () => refuses(gateway))
      expect(performance.now() - told).toBeGreaterThan(2950)
      expect(Bun.peek.status(ended)).toBe('pending')
      go()
      expect(dialects.chat.isWhole(await began.text)).toBeTrue()
      expect(dialects.messages.isWhole(await late.text)).toBeTrue()
      expect(await ended).toBe(0)
      await using ledger = openLedger(gateway.cwd)
      expect((await ledger.charges()).length).toBe(allDialects.length + 2)
      expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
    }))

  test('a second SIGTERM cuts the delay', () =>
    inOneRound(async () => {
      const { upstream } = startHesitating(tokens)
      await using _ = upstream
      await using gateway = await start(upstream, { shutdown_delay: '1h' })
      process.kill(gateway.pid, 'SIGTERM')
      await until('readyz to say it', async () => (await readiness(gateway)) === 503)
      using ownTime = startOwnTime()
      expect(await gateway.kill('SIGTERM')).toBe(0)
      expect(ownTime.now()).toBeLessThan(2000)
    }))
})

describe('SIGHUP', () => {
  const yamlOf = (gateway: RunningBinary) => join(gateway.cwd, 'tollgate.yaml')

  test('applies a changed configuration without dropping a running stream', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await start(upstream)
    const stream = await beginStream(gateway, dialects.messages)
    const newKey = 'sk-test-new-0123456789abcdefghijklm'
    const changed = readFileSync(yamlOf(gateway), 'utf8').replace(testKey, newKey)
    writeFileSync(yamlOf(gateway), changed.replace('name: test\n', 'name: newer\n'))
    process.kill(gateway.pid, 'SIGHUP')
    await said(gateway, 'configuration applied')
    expect((await ask(gateway.url, dialects.chat, true, { key: newKey })).status).toBe(200)
    go()
    expect(dialects.messages.isWhole(await stream.text)).toBeTrue()
    await using ledger = openLedger(gateway.cwd)
    expect(await ledger.record(stream.id)).toMatchObject({
      ending: 'complete',
      charged_nano: -costNano(tokens),
    })
  })

  test('reports a broken configuration and changes nothing', async () => {
    await using upstream = startFakeUpstream(() =>
      sseAnswer(wholeStream(dialects.chat, tokens, ['Hello'])),
    )
    await using gateway = await start(upstream)
    for (const broken of ['channels: [', 'channels:\n  - name: 7\n', 'no_such_field: 1\n']) {
      const lines = gateway.stdout.length
      writeFileSync(yamlOf(gateway), broken)
      process.kill(gateway.pid, 'SIGHUP')
      const line = await until('a report', () =>
        gateway.stdout.slice(lines).find((one) => one.includes('not applied')),
      )
      expect(JSON.parse(line)).toMatchObject({ level: 'error' })
      expect(line).toContain('tollgate.yaml')
      const answer = await ask(gateway.url, dialects.chat, true)
      expect(dialects.chat.isWhole(await answer.text())).toBeTrue()
    }
  })
})

ofSqlite('what can not be stored at the end is told, with 1', async () => {
  const { upstream } = startHesitating(tokens)
  await using _ = upstream
  const server = { shutdown_grace: '1ms' }
  await using gateway = await startBinary({
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url, server }),
    through: heedingLimits,
  })
  const { text } = await beginStream(gateway, dialects.chat)
  text.catch(() => {})
  limitFileSize(gateway.pid, 0)
  expect(await gateway.kill('SIGTERM')).toBe(1)
  expect(gateway.stderr.join()).toContain('this could not be done, or not in time: settlements')
  expect(gateway.stdout.join()).toContain('request not stored: it is lost')
})

ofSqlite('SIGHUP before it is up does not end it', async () => {
  const { upstream } = startHesitating(tokens)
  await using _ = upstream
  using folder = createTempDir()
  const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
  await (await startBinary({ cwd: folder.path, config })).stop()
  // It waits for its turn to write.
  await using tables = openTables(folder.path)
  const held = await tables.lock()
  const file = folder.join('tollgate.yaml')
  const child = Bun.spawn([requireBinary(), 'serve', '--config', file], { stdout: 'pipe' })
  // Bit 0 of the signals that it handles.
  const caught = () =>
    readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/SigCgt:\s*(\w+)/)?.[1]
  await until('SIGHUP to be heard', () => Number.parseInt(caught()?.at(-1) ?? '0', 16) & 1)
  child.kill('SIGHUP')
  await held[Symbol.asyncDispose]()
  const { text } = await readUntil(new Response(child.stdout), (so) => so.includes('applied'))
  expect(text).toContain('listening')
  expect(text).toContain('configuration applied')
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

describe('a second serve', () => {
  test('on the same port fails with a clear message and exit code 1', async () => {
    const { upstream } = startHesitating(tokens)
    await using _ = upstream
    await using gateway = await start(upstream)
    using folder = createTempDir() // with a database of its own
    const file = folder.join('tollgate.yaml')
    const listen = `127.0.0.1:${gateway.port}`
    writeFileSync(file, tollgateYaml({ listen, upstream: upstream.url }))
    const second = await runBinary(['serve', '--config', file])
    expect(second.exitCode).toBe(1)
    expect(second.stdout + second.stderr).toContain(`Port ${gateway.port} on 127.0.0.1 is in use`)
    expect(second.stderr).not.toContain('    at ')
    expect((await fetch(`${gateway.url}/api/hello`, { method: 'HEAD' })).status).toBe(200)
  })
})
