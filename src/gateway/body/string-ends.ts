import { createMarkScanner, type MarkScanner, partBytes } from '../../lib/wasm/json-marks.ts'
import { once } from '../once.ts'
import type { FieldSpan } from './json-fields.ts'

/** Where the strings of a JSON text end, one after another from front to back. */
export interface StringEnds {
  /**
   * Index of the quote that closes the string which opens at `open`. Each string has to be asked for;
   * what is no JSON may get the length of the bytes.
   */
  endOf(open: number): number
  /** The long strings so far, without their quotes. */
  readonly long: readonly FieldSpan[]
  /** All strings have been asked for, and are what JSON allows; none holds half of a character. */
  isSound(): boolean
}

/** Shorter strings are not worth being left out of anything. */
const longBytes = 256

const quote = 0x22

const scannerOnce = () =>
  once((): { readonly scanner?: MarkScanner } => {
    try {
      return { scanner: createMarkScanner() }
    } catch {
      return {}
    }
  })

/** One for all bodies that are read in one go, and one for those in slices, of which there is one at a time. */
const scanners = { whole: scannerOnce(), sliced: scannerOnce() }

/**
 * Reads the strings of a body, each byte once, without a copy of any. Undefined where a processor lacks
 * what it is done with. `sliced`: others may be read before this one is at its end.
 */
export function createStringEnds(
  bytes: Buffer,
  how: keyof typeof scanners = 'whole',
): StringEnds | undefined {
  const { scanner } = scanners[how]()
  if (scanner === undefined) return undefined
  const next = createMarks(bytes, scanner)
  const long: FieldSpan[] = []
  let isSound = true
  /** Where the second half of a character has to be escaped. */
  let low = -1

  /** Holds what follows a `\u`, whose `u` is at `at`, against what it may be. */
  function checkUnit(at: number): void {
    const unit = codeUnit(bytes, at + 1)
    const isLow = (unit & 0xfc00) === 0xdc00
    if (unit < 0 || isLow !== (at === low)) isSound = false
    const isHigh = (unit & 0xfc00) === 0xd800
    low = isHigh ? at + 6 : -1
    if (isHigh && (bytes[at + 5] !== 0x5c || bytes[low] !== 0x75)) isSound = false
  }

  return {
    endOf(open) {
      let end = next() === open ? next() : -1
      while (end >= 0 && bytes[end] !== quote) {
        checkUnit(end)
        end = next()
      }
      if (end < 0) {
        isSound = false
        return bytes.length
      }
      if (end - open > longBytes) long.push({ start: open + 1, end })
      return end
    },
    long,
    isSound: () => isSound && next() < 0 && scanner.isSound(),
  }
}

/** A function that gives one mark after the other, and -1 behind the last. */
function createMarks(bytes: Buffer, scanner: MarkScanner): () => number {
  scanner.begin()
  let begin = 0
  let end = 0
  let marks: Int32Array = new Int32Array(0)
  let index = 0
  return () => {
    while (index >= marks.length) {
      if (end >= bytes.length) return -1
      begin = end
      end = Math.min(begin + partBytes, bytes.length)
      marks = scanner.scan(bytes.subarray(begin, end))
      index = 0
    }
    return begin + (marks[index++] as number)
  }
}

/** The number in four hexadecimal digits; negative when they are none. */
function codeUnit(bytes: Buffer, at: number): number {
  let unit = 0
  for (let index = at; index < at + 4; index++) {
    const digit = hexDigit(bytes[index] ?? 0)
    if (digit < 0) return -1
    unit = unit * 16 + digit
  }
  return unit
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
