import { describe, expect, test } from 'bun:test'
import type { ByteReader } from '../../src/gateway/outbound/round-trip.ts'
import { readOpening } from '../../src/gateway/upstream/opening.ts'
import { allDialects, type Dialect, wholeStream } from '../e2e/dialects.ts'
import { errorEvents } from '../e2e/stream-breaks.ts'
import { protocols, tokens } from './relay-scene.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const watch = { touched() {}, paused() {}, passedOn() {}, heldUpMs: () => 0, stop() {} }

/** A stream in pieces, each after so many milliseconds; then its end, a break, or nothing. */
function readerOf(pieces: readonly string[], ending: 'end' | 'break' | 'silence', delayMs = 0) {
  const queue = [...pieces]
  const reader: ByteReader = {
    async read() {
      if (delayMs > 0) await Bun.sleep(delayMs)
      const next = queue.shift()
      if (next !== undefined) return { done: false, value: encode(next) }
      if (ending === 'end') return { done: true }
      if (ending === 'break') throw new Error('connection reset')
      return new Promise(() => {})
    },
    cancel: async () => {},
  }
  return reader
}

async function open(dialect: Dialect, reader: ByteReader) {
  const { operation, protocol } = protocols[dialect.name]
  const first = await reader.read()
  if (first.done) throw new Error('There is nothing.')
  const route = { protocol, operation, framing: 'sse', translation: undefined } as const
  return readOpening(first.value, reader, route, watch)
}

/** All that whoever takes the stream over gets, and how it ends. */
async function rest({ first, reader }: Awaited<ReturnType<typeof open>>) {
  const parts = [first]
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { text: Buffer.concat(parts).toString(), ending: 'end' }
      parts.push(value)
    }
  } catch {
    return { text: Buffer.concat(parts).toString(), ending: 'break' }
  }
}

describe.each(allDialects)('$name', (dialect) => {
  const whole = wholeStream(dialect, tokens, ['Grüße', ' 🌍'])
  const announced = dialect.first(tokens)
  const failed = errorEvents[dialect.name]('out of machines')

  test('nothing of a stream is lost, however it is cut', async () => {
    for (const size of [1, 7, 64, 10_000]) {
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []
      const opening = await open(dialect, readerOf(pieces, 'end'))
      expect(opening.failure).toBeUndefined()
      expect(await rest(opening)).toEqual({ text: whole, ending: 'end' })
    }
  })

  test('a stream that breaks behind its first words is taken as it is', async () => {
    const said = announced + dialect.piece('Hello')
    const opening = await open(dialect, readerOf([announced, dialect.piece('Hello')], 'break'))
    expect(opening.failure).toBeUndefined()
    expect(await rest(opening)).toEqual({ text: said, ending: 'break' })
  })

  test.each([
    ['at once', [failed]],
    ['with its announcement', [announced + failed]],
    ['behind it', [announced, failed]],
    ['in pieces', [...`${announced}${failed}`]],
  ] as const)('S4: an error %s is found; and may still be passed on', async (_, pieces) => {
    const opening = await open(dialect, readerOf(pieces, 'silence'))
    expect(opening.failure).toMatchObject({ broken: undefined })
    // A frame is one at its CR, before the LF that belongs to it.
    expect(Buffer.from(opening.first).toString().trim()).toBe(pieces.join('').trim())
  })

  test('S5: an end, or a break, before anything was said is a failure', async () => {
    const ended = await open(dialect, readerOf([announced], 'end'))
    expect(ended.failure).toMatchObject({ broken: undefined })
    expect(await rest(ended)).toEqual({ text: announced, ending: 'end' })
    const broken = await open(dialect, readerOf([announced], 'break'))
    expect(broken.failure?.broken).toBeInstanceOf(Error)
    expect(await rest(broken)).toEqual({ text: announced, ending: 'break' })
    if (dialect.name === 'messages') {
      expect(broken.failure?.usageRaw).toMatchObject({ input_tokens: tokens.input })
    }
  })

  test('an empty answer is an answer', async () => {
    const empty = announced + dialect.last(tokens)
    const opening = await open(dialect, readerOf([empty], 'end'))
    expect(opening.failure).toBeUndefined()
    expect(await rest(opening)).toEqual({ text: empty, ending: 'end' })
  })

  test('a slow first word is no failure, and the wait for it is short', async () => {
    const began = performance.now()
    const opening = await open(
      dialect,
      readerOf([announced, whole.slice(announced.length)], 'end', 400),
    )
    // One delay for the first bytes, and then patience, which ends before the next.
    expect(performance.now() - began).toBeGreaterThan(650)
    expect(opening.failure).toBeUndefined()
    expect(Buffer.from(opening.first).toString()).toBe(announced)
    expect(await rest(opening)).toEqual({ text: whole, ending: 'end' })
  })

  test('signs of life without a word do not hold it up for longer', async () => {
    const began = performance.now()
    const comments = Array.from({ length: 50 }, () => ': thinking\n\n')
    const opening = await open(dialect, readerOf([announced, ...comments], 'end', 20))
    expect(performance.now() - began).toBeGreaterThan(290)
    // However slow the machine, there is not more of them in the same time.
    expect(Buffer.from(opening.first).toString().split('thinking').length).toBeLessThan(25)
    expect(opening.failure).toBeUndefined()
    expect((await rest(opening)).text).toBe(announced + comments.join(''))
  })
})
