import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../src/gateway/errors.ts'
import { beat, noHeartbeat } from '../../src/gateway/relay/heartbeat.ts'
import { allDialects, dialects } from '../e2e/dialects.ts'
import { createScene, tokens, turn } from './relay-scene.ts'

describe.each(allDialects)('$name', (dialect) => {
  test('settles once, before the last words, and passes every byte', async () => {
    using scene = await createScene({ dialect })
    scene.send(dialect.piece('Hello'))
    scene.send(dialect.last(tokens))
    scene.end()
    const whole = dialect.first(tokens) + dialect.piece('Hello') + dialect.last(tokens)
    expect(await scene.readAll()).toBe(whole)
    const [first, piece, ...end] = scene.events
    expect([first, piece]).toEqual([dialect.first(tokens), dialect.piece('Hello')])
    expect(end.slice(0, 2)).toEqual(['settled', dialect.last(tokens)])
    expect(scene.ends).toMatchObject([
      { end: { ending: 'complete', status: 200, cause: null }, seen: { outcome: 'complete' } },
    ])
    expect(scene.finished).toEqual([null])
  })

  test('S5: an upstream that ends without last words is cut, and the client told', async () => {
    using scene = await createScene({ dialect })
    scene.send(dialect.piece('Hello'))
    scene.end()
    const text = await scene.readAll()
    expect(dialect.isError(text)).toBeTrue()
    expect(dialect.isWhole(text)).toBeFalse()
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut', cause: 'upstream_error' } }])
    expect(scene.ends[0]?.seen.text.sample).toBe('Hello')
  })

  test('what cannot be settled does not end well', async () => {
    const internal = new GatewayError('internal', 'The gateway could not store this request.')
    using scene = await createScene({ dialect, settle: () => Promise.reject(internal) })
    scene.send(dialect.piece('Hello'))
    scene.send(dialect.last(tokens))
    scene.end()
    const text = await scene.readAll()
    expect(dialect.isWhole(text)).toBeFalse()
    expect(dialect.isError(text)).toBeTrue()
    expect(text).toContain('could not store')
    expect(scene.ends.length).toBe(1)
  })
})

test('a break in mid-frame: only whole frames go out before the error', async () => {
  using scene = await createScene()
  scene.send(`${dialects.chat.piece('Hello')}data: {"choices":[{"del`)
  expect(await scene.read()).toBe(dialects.chat.first(tokens))
  expect(await scene.read()).toBe(dialects.chat.piece('Hello'))
  scene.breakOff()
  expect(await scene.read()).toStartWith('data: {"error":')
  expect(await scene.read()).toBeUndefined()
})

test('the usage that the client did not ask for counts, and is not shown', async () => {
  using scene = await createScene({ hideUsage: true })
  scene.send(dialects.chat.piece('Hello') + dialects.chat.last(tokens))
  scene.end()
  const text = await scene.readAll()
  expect(text).not.toContain('prompt_tokens')
  expect(text).toEndWith('data: [DONE]\n\n')
  expect(scene.ends[0]?.seen.usage).toMatchObject({ inputTokens: 10, outputTokens: 20 })
})

test('an upstream that breaks behind its finish reason has ended', async () => {
  using scene = await createScene({ dialect: dialects.gemini })
  scene.send(dialects.gemini.last(tokens))
  await scene.read()
  const last = scene.read()
  await turn()
  scene.breakOff()
  expect(await last).toBe(dialects.gemini.last(tokens))
  expect(scene.ends).toMatchObject([{ end: { ending: 'complete' } }])
})

test('a chat stream that ends behind its finish reason is settled, and ends with [DONE]', async () => {
  using scene = await createScene()
  const finish = dialects.chat.last(tokens).split('data: [DONE]')[0] ?? ''
  scene.send(finish)
  scene.end()
  expect(await scene.readAll()).toBe(`${dialects.chat.first(tokens) + finish}data: [DONE]\n\n`)
  expect(scene.events.slice(-3)).toEqual([finish, 'data: [DONE]\n\n', 'end'])
  expect(scene.events.indexOf('settled')).toBeLessThan(scene.events.indexOf(finish))
  expect(scene.ends).toMatchObject([{ end: { ending: 'complete', cause: null } }])
})

test('so does one that breaks behind its finish reason, before it tells its usage', async () => {
  using scene = await createScene()
  const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
  scene.send(finish)
  await scene.read()
  const rest = scene.readAll()
  await turn()
  scene.breakOff()
  expect(await rest).toBe(`${finish}data: [DONE]\n\n`)
  expect(scene.ends).toMatchObject([{ end: { ending: 'complete', cause: null } }])
})

test.each([
  ['messages', 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'],
  ['gemini', 'data: {"candidates":[{"index":0,"finishReason":"STOP"}]}\n\n'],
] as const)(
  'a break behind the last words of %s is as good as an end there',
  async (name, last) => {
    for (const how of ['breakOff', 'end'] as const) {
      const first = 'data: {}\n\n'
      using scene = await createScene({ dialect: dialects[name], first })
      scene.send(last)
      await scene.read()
      const rest = scene.readAll()
      await turn()
      scene[how]()
      expect(await rest).toBe(last)
      expect(scene.ends).toMatchObject([{ end: { ending: 'complete', cause: null } }])
    }
  },
)

const comment = ': PROCESSING\n\n'
/** A small file, of which only the vendor knows how much text is in it. */
const file = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'A' },
}
const ofFile = { more: { messages: [{ role: 'user', content: [file] }] } }

describe('the client leaves', () => {
  test('while the upstream thinks: closed, settled as observed', async () => {
    using scene = await createScene({ dialect: dialects.messages })
    await scene.read()
    const waiting = scene.read()
    scene.interrupt('client_left')
    expect(await waiting).toBeUndefined()
    expect(scene.ends).toMatchObject([
      { end: { ending: 'client_left' }, seen: { usage: { inputTokens: 10 } } },
    ])
    expect(scene.finished).toEqual(['client_left'])
  })

  test('while a chunk waits for it: `return` settles', async () => {
    using scene = await createScene()
    await scene.read()
    scene.send(dialects.chat.piece('Hello'))
    await scene.read()
    scene.interrupt('client_left')
    await scene.stream.return(undefined)
    expect(scene.ends).toMatchObject([{ end: { ending: 'client_left' } }])
  })

  test('before it has pulled anything: settled all the same', async () => {
    using scene = await createScene()
    scene.interrupt('client_left')
    while (scene.ends.length === 0) await turn()
    expect(scene.ends).toMatchObject([{ end: { ending: 'client_left' } }])
  })

  test('of whose input it is not known: read until that is told, and then let go', async () => {
    using scene = await createScene({ dialect: dialects.messages, ...ofFile, first: comment })
    await scene.read()
    scene.interrupt('client_left')
    expect(scene.isClosed()).toBeFalse()
    const returned = scene.stream.return(undefined)
    scene.send(comment)
    await turn()
    expect(scene.ends).toEqual([])
    scene.send(dialects.messages.first(tokens))
    await returned
    expect(scene.isClosed()).toBeTrue()
    expect(scene.ends).toMatchObject([
      { end: { ending: 'client_left', isLost: false }, seen: { usage: { inputTokens: 10 } } },
    ])
  })

  test('the same before it has pulled anything; and an upstream that never tells it is lost', async () => {
    using told = await createScene({ dialect: dialects.messages, ...ofFile, first: comment })
    told.interrupt('client_left')
    await turn()
    expect(told.ends).toEqual([])
    told.send(dialects.messages.first(tokens))
    while (told.ends.length === 0) await turn()
    expect(told.ends).toMatchObject([{ end: { isLost: false }, seen: { usage: {} } }])
    using silent = await createScene({ dialect: dialects.messages, ...ofFile, first: comment })
    silent.interrupt('client_left')
    silent.breakOff()
    while (silent.ends.length === 0) await turn()
    expect(silent.ends).toMatchObject([{ end: { ending: 'client_left', isLost: true } }])
  })

  test('when it has everything: complete, once, and the upstream is let go', async () => {
    using scene = await createScene()
    scene.send(dialects.chat.last(tokens))
    await scene.read()
    expect(await scene.read()).toBe(dialects.chat.last(tokens))
    scene.interrupt('client_left')
    await scene.stream.return(undefined)
    expect(scene.ends).toMatchObject([{ end: { ending: 'complete' } }])
    expect(scene.ends.length).toBe(1)
    expect(scene.isClosed()).toBeTrue()
  })

  test('with drain the rest is read and counts', async () => {
    using scene = await createScene({ onDisconnect: 'drain' })
    await scene.read()
    scene.interrupt('client_left')
    const returned = scene.stream.return(undefined)
    await turn()
    expect(scene.ends).toEqual([])
    scene.send(dialects.chat.piece('Hello'))
    scene.send(dialects.chat.last(tokens))
    await returned
    expect(scene.ends).toMatchObject([
      {
        end: { ending: 'client_left', isLost: false },
        seen: { usage: { inputTokens: 10, outputTokens: 20 } },
      },
    ])
    expect(scene.isClosed()).toBeTrue()
  })

  test('with drain, an upstream that falls silent is let go at the idle limit', async () => {
    using scene = await createScene({ onDisconnect: 'drain' })
    await scene.read() // the watchdog knows: the client has not come back for more
    scene.interrupt('client_left')
    const returned = scene.stream.return(undefined)
    await turn()
    await scene.waitTo(999)
    expect(scene.ends).toEqual([])
    await scene.waitTo(1000)
    await returned
    expect(scene.ends).toMatchObject([{ end: { ending: 'client_left' } }])
  })
})

describe('limits', () => {
  test('a silent upstream: an error event, the attempt says which limit it was', async () => {
    using scene = await createScene()
    await scene.read()
    const waiting = scene.read()
    await turn()
    await scene.waitTo(1000)
    expect(await waiting).toContain('fell silent')
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut', cause: 'upstream_timeout' } }])
    expect(scene.finished).toEqual(['timeout_idle'])
  })

  test('the total limit settles at once, though the client does not read', async () => {
    using scene = await createScene()
    await scene.read()
    await scene.waitTo(10_000)
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut' } }])
    expect(await scene.read()).toContain('did not finish its answer in time')
    expect(await scene.read()).toBeUndefined()
    expect(scene.ends.length).toBe(1)
  })

  test('a client that lets its upstream run out of time owes what it made unseen', async () => {
    for (const [upstreamModel, isLost] of [
      ['gpt-4o', false],
      ['who-knows', true],
    ] as const) {
      using scene = await createScene({ upstreamModel })
      await scene.read()
      await scene.waitTo(10_000)
      expect(scene.ends).toMatchObject([{ end: { ending: 'cut', isLost } }])
    }
  })

  test('its waits add up; those that no upstream notices do not', async () => {
    for (const [waitMs, isLost] of [
      [1_000, true],
      [999, false],
    ] as const) {
      using scene = await createScene({ upstreamModel: 'who-knows', totalMs: 20_000 })
      await scene.read()
      for (let at = 1; at <= 11; at++) {
        scene.setTime(at * waitMs)
        scene.send(dialects.chat.piece('Hello'))
        await scene.read()
      }
      const waiting = scene.read()
      scene.breakOff()
      await waiting
      expect(scene.ends).toMatchObject([{ end: { ending: 'cut', isLost } }])
    }
  })

  test('a client does not owe what the gateway itself held up', async () => {
    const cover = async () => {
      scene.setTime(12_000)
      return true
    }
    const meter = { limit: 0, cover, pays: cover }
    using scene = await createScene({ upstreamModel: 'who-knows', totalMs: 20_000, meter })
    await scene.read()
    scene.send(dialects.chat.piece('Hello'))
    await scene.read()
    const waiting = scene.read()
    scene.breakOff()
    await waiting
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut', isLost: false } }])
  })

  test('a client that stands still at a heartbeat holds its upstream up', async () => {
    let beats: ((due: typeof beat) => void) | undefined
    const heartbeat = {
      ...noHeartbeat,
      expect(onDue: typeof beats) {
        beats = onDue
      },
    }
    using scene = await createScene({ upstreamModel: 'who-knows', totalMs: 20_000, heartbeat })
    await scene.read()
    const beating = scene.read()
    beats?.(beat)
    expect(await beating).toStartWith(':')
    scene.send(dialects.chat.piece('Hello'))
    await turn()
    scene.setTime(12_000)
    await scene.read()
    const waiting = scene.read()
    scene.breakOff()
    await waiting
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut', isLost: true } }])
  })

  test('a break that the client has not made costs it what was observed', async () => {
    using scene = await createScene({ upstreamModel: 'who-knows' })
    await scene.read()
    const waiting = scene.read()
    scene.breakOff()
    await waiting
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut', isLost: false } }])
  })

  test('a stop of the process settles at once and tells the client', async () => {
    using scene = await createScene()
    await scene.read()
    scene.interrupt('shutdown')
    await turn()
    expect(scene.ends).toMatchObject([{ end: { ending: 'shutdown' } }])
    expect(await scene.read()).toContain('is being stopped')
  })

  test('a stop of the process while it reads on for a client that left is not the client’s to pay for', async () => {
    using scene = await createScene({ upstreamModel: 'who-knows' })
    await scene.read()
    scene.interrupt('client_left')
    const left = scene.stream.return(undefined)
    await turn()
    expect(scene.isClosed()).toBe(false)
    scene.interrupt('shutdown')
    await left
    expect(scene.ends).toHaveLength(1)
    expect(scene.ends[0]?.end).toMatchObject({ ending: 'shutdown', cause: 'shutdown' })
    expect(scene.ends[0]?.end.isLost).toBeFalsy()
  })
})
