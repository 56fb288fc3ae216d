import { afterAll, describe, expect, test } from 'bun:test'
import { createHeartbeats } from '../../src/gateway/relay/heartbeat.ts'
import type { StreamTranslator } from '../../src/gateway/translate/translation.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { dialects, withoutBeats } from '../e2e/dialects.ts'
import { createScene, tokens } from './relay-scene.ts'

// Heartbeats between the bytes of a stream, and readers that are slow to take them.

const heartbeats = createHeartbeats(() => performance.now(), { firstMs: 50, everyMs: 50 })
afterAll(() => heartbeats.stop())

const comment = ': keep-alive\n\n'
const chat = dialects.chat

describe('a client that is slow to take a heartbeat', () => {
  test('is not the silence of an upstream that has gone on', async () => {
    using scene = await createScene({ heartbeat: heartbeats.begin() })
    expect(await scene.read()).toBe(chat.first(tokens))
    expect(await scene.read()).toBe(comment)
    scene.send(chat.piece('hello'))
    await Bun.sleep(10)
    await scene.waitTo(5_000) // five times as long as the upstream may be silent
    scene.send(chat.last(tokens))
    scene.end()
    const rest = (await scene.readAll()).replaceAll(comment, '')
    expect(rest).toBe(chat.piece('hello') + chat.last(tokens))
    expect(scene.ends).toMatchObject([{ end: { ending: 'complete', cause: null } }])
    expect(scene.finished).toEqual([null])
  })

  test('S2: does not hide an upstream that has not', async () => {
    using scene = await createScene({ heartbeat: heartbeats.begin() })
    expect(await scene.read()).toBe(chat.first(tokens))
    expect(await scene.read()).toBe(comment)
    await scene.waitTo(1_500)
    expect(scene.finished).toEqual(['timeout_idle'])
    expect(chat.isError(await scene.readAll())).toBe(true)
  })

  test('that never takes anything: the end of its time is told when it does', async () => {
    using scene = await createScene({ heartbeat: heartbeats.begin() })
    await scene.waitTo(5_000)
    expect(scene.ends).toEqual([])
    await scene.waitTo(10_000)
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut', cause: 'upstream_timeout' } }])
    const text = await scene.readAll()
    expect(text).toStartWith(chat.first(tokens))
    expect(chat.isError(text)).toBe(true)
  })
})

test('no heartbeat is put into a frame that is too long to wait for', async () => {
  const splitter = createSseSplitter(1_000)
  using scene = await createScene({ heartbeat: heartbeats.begin(), splitter })
  expect(await scene.read()).toBe(chat.first(tokens))
  const long = chat.piece('x'.repeat(2_000))
  scene.send(long.slice(0, 1_500))
  let text = (await scene.read()) ?? ''
  while (text.endsWith(comment)) text = (await scene.read()) ?? ''
  const rest = scene.read()
  await Bun.sleep(150)
  scene.send(long.slice(1_500))
  text += await rest
  expect(text).toBe(long)
  expect(await scene.read()).toBe(comment)
  scene.send(chat.last(tokens))
  scene.end()
  expect(chat.isWhole(await scene.readAll())).toBe(true)
})

test('the end of a stream in the middle of such a frame is told behind it', async () => {
  using scene = await createScene({ splitter: createSseSplitter(1_000) })
  expect(await scene.read()).toBe(chat.first(tokens))
  const part = chat.piece('x'.repeat(2_000)).slice(0, 1_500)
  scene.send(part)
  scene.end()
  const text = await scene.readAll()
  expect(text).toStartWith(`${part}\n\ndata: {"error":`)
})

test('silence is what the client hears: an upstream that writes what it is not shown has heartbeats', async () => {
  // A tool call's arguments, for a client whose protocol has calls whole.
  let isOver = false
  const translator: StreamTranslator = {
    push({ data }) {
      isOver ||= data === '[DONE]'
      return data.includes('said') ? 'said' : ''
    },
    end: () => 'end',
    fail: ({ message }) => message,
    isOver: () => isOver,
    isAtStop: () => false,
    endAtStop: () => '',
  }
  using scene = await createScene({
    heartbeat: heartbeats.begin(),
    translator,
    first: chat.first(tokens) + chat.piece('said'),
  })
  expect(await scene.read()).toBe('said')
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      scene.send(chat.piece('x'))
      await Bun.sleep(1)
    }
  })()
  const applyRemote = [await scene.read(), await scene.read()]
  isWriting = false
  await writing
  expect(applyRemote).toEqual([comment, comment])
  scene.send(chat.last(tokens))
  scene.end()
  expect((await scene.readAll()).replaceAll(comment, '')).toBe('end')
  expect(scene.ends).toMatchObject([{ end: { ending: 'complete' } }])
})

test('no heartbeat is put into a line end of two characters that came in half', async () => {
  const gemini = dialects.gemini
  using scene = await createScene({
    ...{ heartbeat: heartbeats.begin(), dialect: gemini },
    first: gemini.first(tokens).slice(0, -1),
  })
  expect(await scene.read()).toEndWith('\r\n\r')
  const next = scene.read()
  await Bun.sleep(200)
  scene.send(`\n${gemini.piece('hello')}`)
  expect(await next).toBe(`\n${gemini.piece('hello')}`)
  expect(await scene.read()).toBe(gemini.beat)
  scene.send(gemini.last(tokens))
  scene.end()
  expect(gemini.isWhole(withoutBeats(await scene.readAll()))).toBe(true)
})

test.each(Object.values(dialects).filter(({ name }) => name !== 'gemini'))(
  'nothing follows the last event of $name, however long its upstream stays',
  async (dialect) => {
    using scene = await createScene({
      ...{ heartbeat: heartbeats.begin(), dialect },
      first: dialect.first(tokens) + dialect.last(tokens),
    })
    const text = (await scene.read()) ?? ''
    const rest = scene.readAll()
    await Bun.sleep(200)
    scene.end()
    expect([dialect.isWhole(text), await rest]).toEqual([true, ''])
  },
)
