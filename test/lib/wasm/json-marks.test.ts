import { describe, expect, test } from 'bun:test'
import { createMarkScanner, partBytes } from '../../../src/lib/wasm/json-marks.ts'
import { createDice, type Dice } from '../../fuzz/dice.ts'

const scanner = createMarkScanner()

interface Scanned {
  readonly marks: readonly number[]
  readonly isSound: boolean
}

function scan(bytes: Uint8Array): Scanned {
  scanner.begin()
  const marks: number[] = []
  for (let from = 0; from < bytes.length; from += partBytes) {
    const part = bytes.subarray(from, from + partBytes)
    for (const mark of scanner.scan(part)) marks.push(from + mark)
  }
  return { marks, isSound: scanner.isSound() }
}

/** The same, byte by byte. What is not sound has no marks that mean anything. */
function scanPlainly(bytes: Uint8Array): Scanned {
  const marks: number[] = []
  let inString = false
  let isSound = true
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0x22) {
      inString = !inString
      marks.push(at)
    } else if (byte === 0x5c) {
      at++
      const escaped = String.fromCharCode(bytes[at] ?? 0)
      if (!inString || !'"\\/bfnrtu'.includes(escaped)) isSound = false
      if (escaped === 'u') marks.push(at)
    } else if (byte < 0x20 && inString) isSound = false
  }
  return { marks, isSound: isSound && !inString }
}

function expectSame(bytes: Uint8Array): void {
  const plain = scanPlainly(bytes)
  const scanned = scan(bytes)
  const text = JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 300))
  expect([text, scanned.isSound]).toEqual([text, plain.isSound])
  if (plain.isSound) expect([text, scanned.marks]).toEqual([text, plain.marks])
}

/** Strings and what may stand between them, cut out of order now and then. */
const pieces = [
  ...[
    '"',
    '\\"',
    '\\\\',
    '\\\\\\"',
    '\\u0041',
    '\\n',
    'x',
    'text',
    ' ',
    ':',
    '{}',
    'é',
    '漢',
    '😀',
  ],
  ...['x'.repeat(30), 'x'.repeat(64), '\\"'.repeat(40), '\\\\'.repeat(33), '""'.repeat(20)],
]
const oddPieces = ['\\', '\\x', '\n', '\u0000', '\u001f', '\u007f', '\\u']

function made(dice: Dice, length: number, isOdd: boolean): string {
  let text = ''
  while (text.length < length) {
    text += isOdd && dice.once(40) ? dice.pick(oddPieces) : dice.pick(pieces)
  }
  return text
}

describe('marks of a JSON text', () => {
  test('are its unescaped quotes, and the u of escapes', () => {
    expect(scan(Buffer.from('{"a\\"":"\\\\","b":"\\u0041"}'))).toEqual({
      marks: [1, 5, 7, 10, 12, 14, 16, 18, 23],
      isSound: true,
    })
  })

  test('every byte behind a backslash, and in a string, is told as what it is', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (const begin of [0, 15, 61, 62, 63]) {
        const front = Buffer.from(' '.repeat(begin))
        expectSame(Buffer.concat([front, Buffer.from('"\\'), Buffer.of(byte), Buffer.from('"')]))
        expectSame(Buffer.concat([front, Buffer.from('"x'), Buffer.of(byte), Buffer.from('x"')]))
        expectSame(Buffer.concat([front, Buffer.of(byte), Buffer.from('""')]))
      }
    }
  })

  test('runs of backslashes escape wherever they begin and end', () => {
    for (let begin = 0; begin < 66; begin++) {
      for (let length = 0; length < 70; length++) {
        const text = `"${'x'.repeat(begin)}${'\\'.repeat(length)}"${length % 2 ? '"' : ''} ""`
        expectSame(Buffer.from(text))
      }
    }
  })

  test.each([false, true])('texts made by chance, with faults: %p', (isOdd) => {
    for (let seed = 0; seed < 2_000; seed++) {
      const dice = createDice('marks', seed)
      const text = made(dice, dice.below(400), isOdd)
      expectSame(Buffer.from(scanPlainly(Buffer.from(text)).isSound ? text : `${text}"`))
    }
  })

  test.each([-65, -64, -2, -1, 0, 1, 2, 64])('parts go on in one another, %p', (more) => {
    for (let seed = 0; seed < 40; seed++) {
      const dice = createDice('parts', more, seed)
      const front = 'x'.repeat(partBytes + more - dice.below(4))
      expectSame(Buffer.from(`"${front}${made(dice, 200, false)}`))
      expectSame(Buffer.from(`"${front}\\"\\\\\\u0041" ${made(dice, 70_000, false)}`))
    }
  })
})
