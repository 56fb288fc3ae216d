import { beforeAll, describe, expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import { readUntil } from '../e2e/caller.ts'
import { countBeats, type Dialect, dialects, withoutBeats } from '../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { shownModels, speaksAt, testModels } from '../support/tollgate-yaml.ts'
import { type Clocked, startClocked, usual } from './clocked.ts'

// Streams whose upstream is slow: the client hears heartbeats, and the truth in the end. The times of
// DESIGN 5 are a hundred times shorter here.

const heartbeat = { firstMs: 250, everyMs: 150 }
const all = Object.values(dialects)

beforeAll(() => countTokens('the tokenizer takes a moment to load'))

const start = (more: Partial<Parameters<typeof startClocked>[0]> = {}) =>
  startClocked({ start: '2026-11-21T10:00:00Z', heartbeat, ...more })

/** A whole stream, in the words of a protocol. */
const wholeStream = (dialect: Dialect) =>
  dialect.first(usual) + dialect.piece('hello') + dialect.last(usual)

/** An upstream that waits until its client has heard as much, and a client that hears it then. */
function createSilence(isEnough: (heard: string) => boolean) {
  const { promise: isHeard, resolve } = Promise.withResolvers<void>()
  return {
    isHeard,
    before: (answer: () => Response) => () => isHeard.then(answer),
    /** The whole answer. */
    async hear(answer: Response): Promise<string> {
      const { text } = await readUntil(answer, (heard) => {
        if (isEnough(heard)) resolve()
        return false
      })
      return text
    },
  }
}

const untilBeats = (count: number) => createSilence((heard) => countBeats(heard) >= count)

/** A stream that falls silent in its middle. */
function inTwo(head: string, goOn: Promise<void>, tail: string): Response {
  async function* body() {
    yield head
    await goOn
    yield tail
  }
  return new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
}

async function requestRow(gateway: Clocked, answer: Response) {
  await gateway.tollgate.settled()
  const id = answer.headers.get('x-request-id') ?? ''
  const rows = await gateway.store.records.receipt(id)
  if (rows === undefined) throw new Error(`The request ${id} left no record.`)
  return rows
}

describe.each(all)('a $name stream', (dialect) => {
  test('that is slow to begin has heartbeats before it, and is charged as ever', async () => {
    await using gateway = await start()
    const silence = untilBeats(2)
    gateway.upstream.handle(silence.before(() => sseAnswer(wholeStream(dialect))))
    const answer = await gateway.ask(dialect, { stream: true })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
    const text = await silence.hear(answer)
    expect(text).toStartWith(dialect.beat)
    const rest = withoutBeats(text)
    expect(rest).toStartWith(dialect.first(usual).slice(0, 20))
    expect(dialect.isWhole(rest)).toBe(true)
    const { request } = await requestRow(gateway, answer)
    expect(request).toMatchObject({ status: 200, ending: 'complete', amountNano: 200_000 })
    expect(request.firstByteMs).toBeGreaterThan(heartbeat.firstMs + 100)
  })

  test('that begins with a byte order mark has none behind a heartbeat', async () => {
    await using gateway = await start()
    const silence = untilBeats(1)
    gateway.upstream.handle(silence.before(() => sseAnswer(`\ufeff${wholeStream(dialect)}`)))
    const text = await silence.hear(await gateway.ask(dialect, { stream: true }))
    expect(text).not.toContain('\ufeff')
    expect(dialect.isWhole(withoutBeats(text))).toBe(true)
  })

  test('that falls silent in the middle has heartbeats there', async () => {
    await using gateway = await start()
    const [head, tail] = [dialect.first(usual) + dialect.piece('a'), dialect.last(usual)]
    const silence = untilBeats(2)
    gateway.upstream.handle(() => inTwo(head, silence.isHeard, tail))
    const text = await silence.hear(await gateway.ask(dialect, { stream: true }))
    expect(dialect.isWhole(withoutBeats(text))).toBe(true)
  })

  test('that fails at once fails with a status of its own', async () => {
    await using gateway = await start({ heartbeat: { ...heartbeat, firstMs: 60_000 } })
    gateway.upstream.handle(() => jsonAnswer({ error: { message: 'no' } }, 500))
    const answer = await gateway.ask(dialect, { stream: true })
    expect(answer.status).toBe(502)
    expect(await answer.text()).not.toContain(dialect.beat)
  })

  test('that fails behind a heartbeat says so inside, and costs nothing', async () => {
    await using gateway = await start()
    const silence = untilBeats(1)
    gateway.upstream.handle(silence.before(() => jsonAnswer({ error: { message: 'no' } }, 500)))
    const answer = await gateway.ask(dialect, { stream: true })
    expect(answer.status).toBe(200)
    const text = await silence.hear(answer)
    expect(dialect.isError(text)).toBe(true)
    expect(dialect.isWhole(text)).toBe(false)
    const { request, ledgerId } = await requestRow(gateway, answer)
    expect(request).toMatchObject({ status: 502, ending: 'failed', cause: 'upstream_error' })
    expect(ledgerId).toBeNull()
    expect(await gateway.balanceNano()).toBe(100e9)
  })

  test('that the upstream refuses behind a heartbeat tells its words', async () => {
    await using gateway = await start()
    const refusal = { error: { message: 'the prompt is too long', type: 'invalid_request_error' } }
    const silence = untilBeats(1)
    gateway.upstream.handle(silence.before(() => jsonAnswer(refusal, 400)))
    const answer = await gateway.ask(dialect, { stream: true })
    const text = await silence.hear(answer)
    expect(dialect.isError(text)).toBe(true)
    expect(text).toContain('the prompt is too long')
    expect((await requestRow(gateway, answer)).request).toMatchObject({
      ...{ status: 400, ending: 'refused', cause: 'upstream_refused' },
    })
  })
})

/** All protocols at the same time, for time is what is waited for. */
const inEach = (look: (dialect: Dialect) => Promise<void>) => Promise.all(all.map(look))

test('S2: heartbeats are no life of the upstream: its silence ends in an error', async () => {
  await inEach(async (dialect) => {
    await using gateway = await start({ channel: { timeouts: { idle: '2s' } } })
    const head = dialect.first(usual) + dialect.piece('a')
    gateway.upstream.handle(() => sseAnswer(head, { ending: 'stall' }))
    const answer = await gateway.ask(dialect, { stream: true })
    const text = await answer.text()
    expect(countBeats(text)).toBeGreaterThanOrEqual(2)
    expect(dialect.isError(text)).toBe(true)
    expect((await requestRow(gateway, answer)).request).toMatchObject({
      ...{ ending: 'cut', cause: 'upstream_timeout' },
    })
  })
})

test('S2: nor before the first byte', async () => {
  await inEach(async (dialect) => {
    await using gateway = await start({ channel: { timeouts: { first_byte: '2s' } } })
    gateway.upstream.handle(() => new Promise<Response>(() => {}))
    const answer = await gateway.ask(dialect, { stream: true })
    const text = await answer.text()
    expect(countBeats(text)).toBeGreaterThanOrEqual(2)
    expect(dialect.isError(text)).toBe(true)
    expect((await requestRow(gateway, answer)).request).toMatchObject({
      ...{ status: 504, ending: 'failed', cause: 'upstream_timeout' },
    })
  })
})

describe('a client that leaves while it hears nothing but heartbeats', () => {
  const dialect = dialects.chat

  async function leave(onDisconnect: 'bill_observed' | 'drain') {
    const gateway = await start({ models: shownModels, group: { on_disconnect: onDisconnect } })
    const { promise: isLeft, resolve: goOn } = Promise.withResolvers<void>()
    gateway.upstream.handle(async () => {
      await isLeft
      return sseAnswer(wholeStream(dialect))
    })
    const leaving = new AbortController()
    const answer = await gateway.ask(dialect, { stream: true, signal: leaving.signal })
    const reader = answer.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(dialect.beat)
    leaving.abort()
    await reader?.cancel()
    return { gateway, answer, goOn }
  }

  test('the upstream is let go as soon as it answers, and its input charged', async () => {
    const { gateway, answer, goOn } = await leave('bill_observed')
    await using _ = gateway
    goOn()
    while (gateway.tollgate.active() > 0) await Bun.sleep(10)
    const { request } = await requestRow(gateway, answer)
    expect(request).toMatchObject({ ending: 'client_left', outputTokens: expect.any(Number) })
    expect(request.amountNano).toBeGreaterThan(0)
  })

  test('or is read to its end, and charged, where the group says so', async () => {
    const { gateway, answer, goOn } = await leave('drain')
    await using _ = gateway
    goOn()
    while (gateway.tollgate.active() > 0) await Bun.sleep(10)
    const { request } = await requestRow(gateway, answer)
    expect(request).toMatchObject({ ending: 'client_left', amountNano: 200_000 })
  })

  test('also in the middle of a stream that is read to its end: nothing of it is missed', async () => {
    await using gateway = await start({ group: { on_disconnect: 'drain' } })
    const head = dialect.first(usual) + dialect.piece('a')
    const { promise: isLeft, resolve: goOn } = Promise.withResolvers<void>()
    gateway.upstream.handle(() => inTwo(head, isLeft, dialect.last(usual)))
    const leaving = new AbortController()
    const answer = await gateway.ask(dialect, { stream: true, signal: leaving.signal })
    const { reader } = await readUntil(answer, (text) => countBeats(text) > 0)
    leaving.abort()
    const left = reader.cancel()
    goOn()
    await left
    while (gateway.tollgate.active() > 0) await Bun.sleep(10)
    const { request } = await requestRow(gateway, answer)
    expect(request).toMatchObject({ amountNano: 200_000, estimated: false })
  })
})

test('what the channel leaves out that answers at last is named, if not in a header', async () => {
  const { chat, messages } = dialects
  await using gateway = await start()
  const { url } = gateway.upstream
  const second = { name: 'second', api_key: 'second-key-012345', models: testModels, priority: 1 }
  await gateway.configure({
    channel: { speaks: speaksAt(url, ['chat']) },
    moreChannels: [{ ...second, allow_private: true, speaks: speaksAt(url, ['messages']) }],
    group: { channels: ['main', 'second'] },
  })
  const silence = untilBeats(1)
  gateway.upstream.handle(async ({ path }) => {
    if (path === messages.path(true)) return sseAnswer(wholeStream(messages))
    await silence.isHeard
    return jsonAnswer({ error: { message: 'no' } }, 500)
  })
  const answer = await gateway.send(chat.path(true), { ...chat.request(true), seed: 5 })
  expect(answer.headers.get('x-tollgate-dropped')).toBeNull()
  const text = await silence.hear(answer)
  expect(text).toContain('\n\n: x-tollgate-dropped: seed\n\ndata: ')
  expect(chat.isWhole(text)).toBe(true)
})

test('Gemini’s streamed array stays JSON', async () => {
  await using gateway = await start()
  const dialect = dialects.gemini
  const whole = JSON.stringify([dialect.body(usual)])
  const headers = { 'content-type': 'application/json' }
  const silence = createSilence((heard) => heard !== '')
  gateway.upstream.handle(silence.before(() => new Response(whole, { headers })))
  const path = dialect.path(true).replace('?alt=sse', '')
  const text = await silence.hear(await gateway.send(path, dialect.request(true)))
  expect(text).toStartWith('[')
  expect(JSON.parse(text)).toHaveLength(1)
})

test('an answer that is not streamed has no heartbeats', async () => {
  await using gateway = await start()
  gateway.upstream.handle(async () => {
    await Bun.sleep(500)
    return jsonAnswer(dialects.chat.body(usual))
  })
  const text = await (await gateway.ask(dialects.chat)).text()
  expect(text).toStartWith('{')
})
