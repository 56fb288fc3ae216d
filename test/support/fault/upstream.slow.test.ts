import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { allDialects } from '../../e2e/dialects.ts'
import { openRaw, rawCall, requestHead } from '../../e2e/raw-client.ts'
import { until } from '../../e2e/until.ts'
import { validateStream } from '../validators/validate-stream.ts'
import {
  cutAt,
  drip,
  end,
  gate,
  httpBytes,
  httpHead,
  leaveWhenReused,
  repeat,
  reset,
  type Steps,
  stall,
  wait,
  write,
} from './steps.ts'
import { type FaultOptions, startFaultUpstream } from './upstream.ts'
import { answerWell, usualTokens, words } from './well.ts'

const good = httpBytes({ body: '{"ok":true}' })
const call = { method: 'POST', path: '/v1/x', body: '{"model":"m"}' }

/** Of what comes on a connection. */
interface Expected {
  readonly text: string
  readonly ending?: string
}

/**
 * Sends bytes on a connection of its own; gives all that comes, and how it ended. One that is expected
 * to stay open is looked at for a moment.
 */
async function exchange(port: number, bytes: string, expected?: Expected) {
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  let ending = 'open'
  socket.on('data', (piece: Buffer) => {
    text += piece.toString('latin1')
  })
  socket.on('end', () => {
    ending = 'end'
  })
  socket.on('error', (error: Error & { code?: string }) => {
    ending = error.code ?? 'error'
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(bytes)
  await Promise.race(expected?.ending === 'open' ? [closed, Bun.sleep(300)] : [closed])
  socket.destroy()
  return { text, ending }
}

const one = requestHead(call) + call.body

describe('a connection', () => {
  test.each<[string, Steps, Expected]>([
    ['ends', [write('abc'), end], { text: 'abc', ending: 'end' }],
    ['ends without a byte', [end], { text: '', ending: 'end' }],
    ['is reset without a byte', [reset], { text: '', ending: 'ECONNRESET' }],
    ['stays open behind its last step', [write('abc')], { text: 'abc', ending: 'open' }],
    ['stalls at any byte', cutAt('abcdef', 3, stall, end), { text: 'abc', ending: 'open' }],
    ['ends at any byte', cutAt('abcdef', 5, end), { text: 'abcde', ending: 'end' }],
    ['goes on after a while', [write('a'), wait(20), write('b'), end], { text: 'ab' }],
    ['repeats without holding', [repeat('xy', 100_000), end], { text: 'xy'.repeat(100_000) }],
  ])('%s', async (_name, script, expected) => {
    await using upstream = await startFaultUpstream({ script })
    expect(await exchange(upstream.port, one, expected)).toMatchObject(expected)
    expect([upstream.connections(), upstream.count()]).toEqual([1, 1])
  })

  test('is reset behind bytes that have arrived', async () => {
    await using upstream = await startFaultUpstream({ script: [write('abc'), wait(50), reset] })
    expect(await exchange(upstream.port, one)).toEqual({ text: 'abc', ending: 'ECONNRESET' })
  })

  test('drips', async () => {
    await using upstream = await startFaultUpstream({ script: [drip('abcdefg', 3, 60), end] })
    const started = performance.now()
    expect((await exchange(upstream.port, one)).text).toBe('abcdefg')
    expect(performance.now() - started).toBeGreaterThan(100)
  })

  test('waits at a gate until it is opened', async () => {
    const script = [write('a'), gate('go'), write('b'), end]
    await using upstream = await startFaultUpstream({ script })
    using connection = await openRaw(upstream.port)
    connection.socket.write(one)
    await connection.received('a')
    upstream.openGate('go')
    await connection.received('ab')
    expect((await exchange(upstream.port, one)).text).toBe('ab')
  })

  test.each(['end', 'reset'] as const)('is kept, and gone when it is reused: %s', async (how) => {
    const script = [write(good), leaveWhenReused(how)]
    await using upstream = await startFaultUpstream({ script })
    using connection = await openRaw(upstream.port)
    connection.socket.write(one)
    expect((await connection.answer('POST')).body).toBe('{"ok":true}')
    await Bun.sleep(30)
    expect(upstream.open()).toBe(1)
    connection.socket.write(one)
    await expect(connection.answer('POST')).rejects.toThrow('ended')
    await until('its end', () => upstream.open() === 0)
    expect(upstream.count()).toBe(1)
  })

  test('is answered again and again, in order', async () => {
    const rules = [0, 1, 2].map((order) => ({
      ...{ order, script: [wait(20 - order * 10), write(httpBytes({ body: String(order) }))] },
    }))
    await using upstream = await startFaultUpstream({ rules })
    using connection = await openRaw(upstream.port)
    connection.socket.write(one.repeat(3))
    for (const body of ['0', '1', '2']) expect((await connection.answer()).body).toBe(body)
    expect(upstream.requests.map(({ connection: by, turn }) => [by, turn])).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
    ])
  })
})

describe('before a request', () => {
  test.each<[string, FaultOptions, Expected]>([
    ['reset at once', { atConnect: [reset] }, { text: '', ending: 'ECONNRESET' }],
    ['ended at once', { atConnect: [end] }, { text: '' }],
    ['silent', { atConnect: [stall] }, { text: '', ending: 'open' }],
    ['spoken to first', { atConnect: [write('220 hello'), end] }, { text: '220 hello' }],
    ['at its first bytes', { atFirstBytes: [write('?'), end] }, { text: '?', ending: 'end' }],
  ])('a connection is %s', async (_name, options, expected) => {
    await using upstream = await startFaultUpstream(options)
    expect(await exchange(upstream.port, one, expected)).toMatchObject(expected)
    expect([upstream.connections(), upstream.count()]).toEqual([1, 0])
  })

  test('is whole: it can be answered at its head', async () => {
    await using upstream = await startFaultUpstream({ atHead: true, script: [write(good)] })
    using connection = await openRaw(upstream.port)
    connection.socket.write(requestHead({ ...call, body: 'x'.repeat(1000) }))
    expect((await connection.answer()).body).toBe('{"ok":true}')
    connection.socket.write('x'.repeat(1000))
    await Bun.sleep(20)
    expect(upstream.requests.map(({ text }) => text)).toEqual([''])
  })
})

describe('a script', () => {
  test('is chosen by model, header and order: the first rule that fits', async () => {
    const say = (body: string) => [write(httpBytes({ body }))]
    await using upstream = await startFaultUpstream({
      rules: [
        { model: 'm', header: ['authorization', 'Bearer two'], script: say('second key') },
        { model: 'm', order: [0, 2], script: say('the first three') },
        { model: 'm', script: say('the others') },
      ],
      script: ({ model }) => say(`no rule for ${model}`),
    })
    const ask = async (model: string, key = 'one') => {
      const headers = [['authorization', `Bearer ${key}`]] as const
      const body = `{"model":"${model}"}`
      return (await rawCall(upstream.port, { ...call, headers, body })).body
    }
    const said = [await ask('m'), await ask('m', 'two'), await ask('n'), await ask('m')]
    expect(said).toEqual(['the first three', 'second key', 'no rule for n', 'the first three'])
    expect(await ask('m')).toBe('the others')
    expect([upstream.count('m'), upstream.count('n'), upstream.count()]).toEqual([4, 1, 5])
    upstream.handle(say('another script'))
    expect(await ask('m')).toBe('another script')
  })

  test('breaks all connections when it is told to', async () => {
    await using upstream = await startFaultUpstream({ script: [stall] })
    using connection = await openRaw(upstream.port)
    await until('a connection', () => upstream.open() === 1)
    upstream.breakAll()
    await expect(connection.answer()).rejects.toThrow('ended')
    await until('its end', () => upstream.open() === 0)
  })
})

test('a gigabyte is made as it is read, and not held', async () => {
  const size = 1024 * 1024 * 1024
  const script = [write(httpHead({ length: size })), repeat(' '.repeat(65_536), 16_384)]
  await using upstream = await startFaultUpstream({ script })
  const before = process.memoryUsage.rss()
  // Read in a process of its own: what is received there is no part of what is held here.
  const read = `
    const answer = await fetch('${upstream.url}', { method: 'POST', body: 'x', proxy: false })
    let received = 0
    for await (const piece of answer.body) received += piece.length
    console.log(received)`
  const child = Bun.spawn([process.execPath, '-e', read], { stdout: 'pipe' })
  expect(Number(await child.stdout.text())).toBe(size)
  expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 1024 * 1024)
})

describe('TLS', () => {
  const pem = (name: string) =>
    Bun.file(new URL(`../../fixtures/tls/${name}`, import.meta.url)).text()
  const tls = async () => ({ cert: await pem('local.pem'), key: await pem('local.key') })
  const ask = async (url: string, ca?: string) => {
    try {
      const init = { method: 'POST', body: 'x', proxy: false, ...(ca && { tls: { ca } }) }
      return await (await fetch(url, init)).text()
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error)
    }
  }

  test('with a certificate that nobody signed but itself: taken by those who know it', async () => {
    await using upstream = await startFaultUpstream({ tls: await tls(), script: [write(good)] })
    expect(await ask(upstream.url)).toMatch(/SELF_SIGNED|CERT/)
    expect(await ask(upstream.url, await pem('local.pem'))).toBe('{"ok":true}')
  })

  test('ends in its greeting, or is none', async () => {
    const broken: FaultOptions[] = [
      { atFirstBytes: [end] },
      { atFirstBytes: [reset] },
      { atFirstBytes: [write(good), end] },
    ]
    for (const options of broken) {
      await using upstream = await startFaultUpstream(options)
      const url = upstream.url.replace('http:', 'https:')
      expect(await ask(url)).not.toContain('ok')
      expect(upstream.connections()).toBeGreaterThan(0)
    }
  })

  test('resets a connection in the middle of an answer', async () => {
    const script = [write(good.subarray(0, 40)), wait(30), reset]
    await using upstream = await startFaultUpstream({ tls: await tls(), script })
    expect(await ask(upstream.url, await pem('local.pem'))).not.toContain('ok')
  })
})

describe.each(allDialects)('answers well: $name', (dialect) => {
  const ask = async (port: number, stream: boolean) => {
    const body = JSON.stringify(dialect.request(stream))
    return await rawCall(port, { method: 'POST', path: dialect.path(stream), body })
  }

  test('a stream that its protocol allows, with its usage', async () => {
    await using upstream = await startFaultUpstream({ script: (request) => answerWell(request) })
    const answer = await ask(upstream.port, true)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    for (const word of words) expect(answer.body).toContain(word)
    expect(dialect.isWhole(answer.body)).toBeTrue()
    expect(answer.body).toContain(String(usualTokens.input))
    const violations = validateStream(dialect.name, answer.body, { ending: 'complete' })
    // The shortened items of these answers lack what no gateway reads.
    expect(violations.filter((violation) => /order|twice|after/.test(violation))).toEqual([])
  })

  test('a whole answer, with its usage', async () => {
    await using upstream = await startFaultUpstream({ script: (request) => answerWell(request) })
    const answer = await ask(upstream.port, false)
    expect(JSON.parse(answer.body)).toEqual(dialect.body(usualTokens))
  })
})
