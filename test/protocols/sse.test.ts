import { describe, expect, test } from 'bun:test'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { startCpuTime } from '../support/cpu-time.ts'
import { recordings } from '../support/recordings.ts'
import { byteByByte, cutAtRandom, fixture, split } from './feeding.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const framesOf = (text: string) => split(createSseSplitter(), [encode(text)]).frames
const dataOf = (text: string) => framesOf(text).map(({ data }) => data)

/** The standard's algorithm over the whole text, line by line, sharing nothing with the splitter. */
function reference(text: string) {
  const frames: { event: string; data: string }[] = []
  let event = ''
  let data: string[] = []
  for (const line of `${text.replace(/^\uFEFF/, '')}\n\n`.split(/\r\n|\n|\r/)) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (line === '') {
      if (data.length > 0) frames.push({ event, data: data.join('\n') })
      event = ''
      data = []
    } else if (name === 'data') data.push(value ?? '')
    else if (name === 'event') event = value ?? ''
  }
  return frames
}

describe('S6: events are cut as the standard says', () => {
  const cases: [string, string, string[]][] = [
    ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['mixed line ends', 'data: a\n\r\ndata: b\r\n\ndata: c\r\ndata: d\r\r', ['a', 'b', 'c\nd']],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    [
      'a mark that is not at the start is part of the name',
      '\n\uFEFFdata: a\n\ndata: b\n\n',
      ['b'],
    ],
    ['comments', ': one\n\n:two\ndata: a\n: three\n\n', ['a']],
    ['several data lines', 'data: a\ndata\ndata:b\n\n', ['a\n\nb']],
    ['one space is taken, the second stays', 'data:  a\n\ndata:b\n\n', [' a', 'b']],
    ['names that only begin like data', 'database: a\ndata2: b\ndata: c\n\n', ['c']],
    ['empty data', 'data:\n\ndata\n\n', ['', '']],
    ['no data', 'event: ping\nid: 1\nretry: 5\n\n', []],
    ['empty lines between', '\n\n\ndata: a\n\n\n\n', ['a']],
    ['an end without an empty line', 'data: a\n\ndata: [DONE]', ['a', '[DONE]']],
  ]
  test.each(cases)('S6: %s', (_name, text, expected) => {
    expect(dataOf(text)).toEqual(expected)
    expect(reference(text).map(({ data }) => data)).toEqual(expected)
  })

  test('the event may stand before or behind its data, and does not outlive its frame', () => {
    expect(framesOf('event: x\ndata: 1\n\ndata: 2\nevent:y\n\ndata: 3\n\n')).toEqual([
      { event: 'x', data: '1' },
      { event: 'y', data: '2' },
      { event: '', data: '3' },
    ])
  })
})

describe('cuts', () => {
  test('a CR that ends an event sends it off; its LF follows alone', () => {
    const splitter = createSseSplitter()
    const first = splitter.push(encode('data: a\r\n\r'))
    expect(first.frames.map(({ data }) => data)).toEqual(['a'])
    const second = splitter.push(encode('\ndata: b\r'))
    expect(new TextDecoder().decode(second.whole)).toBe('\n')
    expect(second.frames).toEqual([])
    expect(splitter.push(encode('\n\r\n')).frames.map(({ data }) => data)).toEqual(['b'])
  })

  test('a CR at the end of a line is not taken for an empty line when its LF comes later', () => {
    const splitter = createSseSplitter()
    expect(splitter.push(encode('data: a\r')).frames).toEqual([])
    expect(splitter.push(encode('\n')).frames).toEqual([])
    expect(splitter.push(encode('data: b\r\n\r\n')).frames.map(({ data }) => data)).toEqual([
      'a\nb',
    ])
  })

  test('a chunk of whole frames comes out as itself, uncopied', () => {
    const chunk = encode('data: a\n\ndata: b\n\n')
    expect(createSseSplitter().push(chunk).whole).toBe(chunk)
    const cut = encode('data: a\n\ndata: b')
    const { whole } = createSseSplitter().push(cut)
    expect(whole.buffer).toBe(cut.buffer)
    expect(whole.length).toBe(9)
  })

  test('waiting bytes are not those of the caller, who may use its buffer again', () => {
    const splitter = createSseSplitter()
    const chunk = encode('data: a')
    splitter.push(chunk)
    chunk.fill(0)
    expect(splitter.push(encode('\n\n')).frames.map(({ data }) => data)).toEqual(['a'])
  })

  test('whole or cut anywhere, line ends of every kind give the same events and bytes', () => {
    const bytes = fixture('chat/line-ends.sse')
    const expected = reference(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
    expect(expected.length).toBe(6)
    const ways = [[bytes], byteByByte(bytes)]
    for (let seed = 1; seed <= 200; seed++) ways.push(cutAtRandom(bytes, seed, 40))
    for (const way of ways) {
      const result = split(createSseSplitter(), way)
      expect(result.frames).toEqual(expected)
      expect(result.bytes).toEqual(bytes)
    }
  })

  test('random line ends cut at random keep every byte and agree with the standard', () => {
    let state = 7
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
    const words = [
      '\n',
      '\r',
      '\r\n',
      'data: x',
      'data',
      'event: e',
      ': c',
      'é',
      '🙂',
      'data:y',
      '\uFEFF',
    ]
    for (let round = 0; round < 2000; round++) {
      const text = Array.from({ length: 1 + random(12) }, () => words[random(words.length)]).join(
        '',
      )
      const bytes = encode(text)
      const result = split(createSseSplitter(), cutAtRandom(bytes, round, 4))
      expect(result.bytes).toEqual(bytes)
      expect({ text, frames: result.frames }).toEqual({ text, frames: reference(text) })
    }
  })

  test('many events in one chunk are those of as many chunks, broken characters too', () => {
    const texts = ['plain', 'é', '世界', '🙂', '\xff', '\xe4\xb8', '\xf0\x9f\x99', '\0']
    for (const one of texts) {
      for (const other of texts) {
        // As bytes: what was cut or is none at all can't be written as a text.
        const raw = (text: string) =>
          /[^\0-\xff]/.test(text) ? encode(text) : Buffer.from(text, 'latin1')
        const frame = (text: string) => Buffer.concat([encode('data: '), raw(text), encode('\n\n')])
        const bytes = Buffer.concat([frame(one), frame(other), frame('plain')])
        const whole = split(createSseSplitter(), [bytes])
        expect(whole.frames).toHaveLength(3)
        expect(whole.frames).toEqual(split(createSseSplitter(), byteByByte(bytes)).frames)
        expect(whole.frames[2]?.data).toBe('plain')
      }
    }
  })
})

describe('very long events', () => {
  test('beyond the limit bytes pass on without a frame, and the next event is framed again', () => {
    const text = `data: a\n\ndata: ${'x'.repeat(200)}\n\ndata: b\n\n`
    for (const longest of [1, 7, 64, 1000]) {
      const { frames, bytes } = split(createSseSplitter(100), cutAtRandom(encode(text), 3, longest))
      expect(new TextDecoder().decode(bytes)).toBe(text)
      // In one chunk nothing has to wait, so nothing is lost.
      if (longest < 1000) expect(frames.map(({ data }) => data)).toEqual(['a', 'b'])
    }
  })

  test('a long rest of a chunk passes on at once', () => {
    const splitter = createSseSplitter(10)
    const chunk = encode('data: a\n\ndata: much too long')
    const { whole, frames } = splitter.push(chunk)
    expect(whole).toBe(chunk)
    expect(frames.map(({ data }) => data)).toEqual(['a'])
    expect(splitter.push(encode('\n\ndata: b\n\n')).frames.map(({ data }) => data)).toEqual(['b'])
  })

  test('an event of 10 MB in chunks of 1 KB costs what its size costs', () => {
    const bytes = encode(`data: ${'x'.repeat(10_000_000)}\n\n`)
    const splitter = createSseSplitter()
    const cpuMs = startCpuTime()
    let frames = 0
    for (let at = 0; at < bytes.length; at += 1024) {
      frames += splitter.push(bytes.subarray(at, at + 1024)).frames.length
    }
    expect(frames).toBe(1)
    // About 50 ms. Scanning or copying from the start at each chunk would handle 50 GB.
    expect(cpuMs()).toBeLessThan(3000)
  })
})

describe('recorded streams', () => {
  const streams = recordings.filter(({ sse }) => sse !== undefined)
  test.skipIf(streams.length === 0)(
    'every one gives the same events and bytes, however cut',
    () => {
      for (const { id, sse = '' } of streams) {
        const bytes = encode(sse)
        const expected = reference(sse)
        const ways = [
          [bytes],
          byteByByte(bytes),
          cutAtRandom(bytes, 11, 30),
          cutAtRandom(bytes, 5, 900),
        ]
        for (const way of ways) {
          const result = split(createSseSplitter(), way)
          if (!Bun.deepEquals(result.frames, expected)) throw new Error(`${id}: other events`)
          if (Buffer.compare(result.bytes, bytes) !== 0) throw new Error(`${id}: other bytes`)
        }
        expect(expected.length).toBeGreaterThan(0)
      }
      expect(streams.length).toBeGreaterThan(100)
    },
  )
})
