import { expect, test } from 'bun:test'
import { decodeLines, encodeLine, storedLine } from '../../../src/store/spool/lines.ts'
import { settlement } from '../support.ts'

const one = (requestId: string) => ({ origin: '1', settlement: settlement({ requestId }) })
const ids = ({ entries }: ReturnType<typeof decodeLines>) =>
  entries.map(({ settlement: { request } }) => request.requestId)
const written = (...lines: readonly string[]) => new Uint8Array(Buffer.from(lines.join('')))
const [a, b, c] = [encodeLine(one('a')), encodeLine(one('b')), encodeLine(one('c'))]
const zeros = '\0'.repeat(10_000)

test('what was written is read, behind zeros and before them', () => {
  const found = decodeLines(written(a, b, zeros, c, zeros))
  expect(found.entries).toEqual([one('a'), one('b'), one('c')])
  expect([found.damaged, found.isTorn]).toEqual([[], false])
  expect(found.endBytes).toBe(a.length + b.length + zeros.length + c.length)
  expect(found.usedBytes).toBe(found.endBytes)
  expect(decodeLines(written(zeros))).toMatchObject({ entries: [], endBytes: 0, usedBytes: 0 })
  expect(decodeLines(written())).toMatchObject({ entries: [], endBytes: 0, usedBytes: 0 })
})

test('wherever it is cut, the lines before are whole, and the next goes behind them', () => {
  const whole = written(a, b)
  for (let size = 0; size < whole.length; size++) {
    const found = decodeLines(Buffer.concat([whole.subarray(0, size), Buffer.alloc(500)]))
    expect(ids(found)).toEqual(size < a.length ? [] : ['a'])
    expect(found.damaged).toEqual([])
    expect(found.endBytes).toBeLessThanOrEqual(size)
    const [rest] = [written(c)]
    const next = Buffer.concat([whole.subarray(0, found.endBytes), rest])
    expect(ids(decodeLines(next))).toEqual(size < a.length ? ['c'] : ['a', 'c'])
  }
})

test('whichever byte is damaged, one line is lost at most, and not without a word', () => {
  const whole = written(a, b, c)
  const right = ['a', 'b', 'c'].map((id) => JSON.stringify(one(id)))
  for (let at = 0; at < whole.length; at++) {
    // A digit leaves JSON that only its checksum tells from what was written.
    for (const byte of [0, 0x0a, 0x39, 0xff]) {
      const damaged = whole.slice()
      if (damaged[at] === byte) continue
      damaged[at] = byte
      const found = decodeLines(damaged)
      expect(ids(found).length).toBeGreaterThanOrEqual(2)
      for (const entry of found.entries) expect(right).toContain(JSON.stringify(entry))
      if (ids(found).length < 3) expect(found.damaged.length > 0 || found.isTorn).toBeTrue()
    }
  }
})

test('what is said to be stored is forgotten, and what was damaged before it', () => {
  const found = decodeLines(written(a, '\nnonsense\n', storedLine, b))
  expect([ids(found), found.damaged]).toEqual([['b'], []])
})

test('a line that has its checksum and is no settlement is damaged', () => {
  const json = '{"settlement":{"request":{}}}'
  const sum = Bun.hash.crc32(json).toString(16).padStart(8, '0')
  expect(decodeLines(written(`${sum} ${json}\n`, a)).damaged).toHaveLength(1)
})
