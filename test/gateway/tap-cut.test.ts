import { describe, expect, test } from 'bun:test'
import { Tap } from '../../src/gateway/relay/tap.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { allDialects, type Dialect } from '../e2e/dialects.ts'
import { pushThrough } from './push-through.ts'
import { protocols } from './relay-scene.ts'

const words = ['one', ' two', ' three', ' four']
const tokens = { input: 10, output: 4 }

/** A tap that has let a whole stream through in one push; `limit` as the meter says it. */
function tapAfter(dialect: Dialect, text: string, limit = 0, hideUsage = false) {
  const observer = protocols[dialect.name].operation.createObserver()
  const parts = { observer, hideUsage, limit: () => limit, translator: undefined }
  const tap = new Tap({ splitter: createSseSplitter(), ...parts })
  const out = pushThrough(tap, new TextEncoder().encode(text))
  return { tap, out: new TextDecoder().decode(out), seen: observer.seen }
}
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe.each(allDialects)('a stream of $name', (dialect) => {
  const first = dialect.first(tokens)
  const events = words.map(dialect.piece)
  const whole = first + events.join('')
  const framesIn = (text: string) => text.split(/\r?\n\r?\n/).filter(Boolean).length

  test('can be cut before each of its frames, and is then as it was there', () => {
    for (let kept = 0; kept <= words.length; kept++) {
      const { tap, out, seen } = tapAfter(dialect, whole)
      expect(out).toBe(whole)
      expect(tap.frameCount()).toBe(framesIn(whole))
      const frame = framesIn(first) + kept
      const told = words.slice(0, kept).join('')
      expect(tap.before(frame).text).toMatchObject({ sample: told, length: told.length })
      expect(seen.text.sample).toBe(words.join(''))
      expect(decode(tap.cutBefore(frame))).toBe(first + events.slice(0, kept).join(''))
      expect(seen.text).toMatchObject({ sample: told, length: told.length })
    }
  })

  test('before its first frame there is nothing, and nothing observed', () => {
    const { tap, seen } = tapAfter(dialect, whole)
    expect(decode(tap.cutBefore(0))).toBe('')
    expect(seen).toMatchObject({ text: { sample: '', length: 0 } })
    expect(seen.usage).toBeUndefined()
    expect(seen.usageRaw).toBeUndefined()
  })

  test('behind its last frame it is whole', () => {
    const { tap, seen } = tapAfter(dialect, whole)
    expect(decode(tap.cutBefore(tap.frameCount()))).toBe(whole)
    expect(seen.text.sample).toBe(words.join(''))
  })

  test('a report of usage behind the cut is not known', () => {
    const { tap, seen } = tapAfter(dialect, whole + dialect.last(tokens))
    expect(seen.usage).toMatchObject({ outputTokens: 4 })
    tap.cutBefore(framesIn(whole))
    // Messages tells its input at the start, with a placeholder for the output.
    if (dialect.name === 'messages') {
      expect(seen.usage).toMatchObject({ inputTokens: 10, outputTokens: 1 })
    } else expect(seen.usage).toBeUndefined()
    expect(seen.outcome).toBeUndefined()
  })

  test('near to the limit only the frames are remembered that could pass it, and what follows', () => {
    const long = dialect.piece('x'.repeat(2_000))
    const { tap, seen } = tapAfter(dialect, whole + long + events[0], 2_000)
    const frame = framesIn(whole)
    expect(tap.frameCount()).toBe(frame + 2)
    expect(tap.firstNear()).toBe(frame)
    expect(tap.before(frame + 1).text.length).toBe(words.join('').length + 2_000)
    expect(decode(tap.cutBefore(frame))).toBe(whole)
    expect(seen.text).toMatchObject({ sample: words.join('') })
  })

  test('far from the limit no frame is remembered', () => {
    const { tap } = tapAfter(dialect, whole, 1_000_000)
    expect(tap.frameCount()).toBe(0)
  })
})

test('the usage that the client did not ask for stays hidden in what is left', () => {
  const [chat] = allDialects
  if (!chat) throw new Error('There is no dialect.')
  const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10 } })}\n\n`
  const [one = '', two = ''] = words.map(chat.piece)
  const { tap, out } = tapAfter(chat, one + usage + two, 0, true)
  expect(out).toBe(one + two)
  expect(decode(tap.cutBefore(2))).toBe(one)
  const again = tapAfter(chat, one + usage + two + one, 0, true)
  expect(decode(again.tap.cutBefore(3))).toBe(one + two)
})
