import { isAscii, isUtf8 } from 'node:buffer'
import { once } from '../../lib/once.ts'
import { createMarkScanner, type MarkScanner, partBytes } from '../../lib/wasm/json-marks.ts'
import type { BodyTexts } from '../../protocols/protocol.ts'
import type { FieldSpan } from './json-fields.ts'

interface LongTexts extends BodyTexts {
  /** Whether a shortened text is in a value, which then has to be made from the body. */
  isIn(value: unknown): boolean
}

/** A parsed body whose long texts may be replaced by short unique markers. */
export interface Outline<Value> {
  readonly outline: Value
  readonly texts: LongTexts
  readonly value: () => Value
}

export const noTexts: LongTexts = {
  whole: (text) => text,
  lengthOf: (text) => text.length,
  isIn: () => false,
}

export const unshortened = <Value>(value: Value): Outline<Value> => ({
  outline: value,
  texts: noTexts,
  value: () => value,
})

/** Random, so no client can write a text that is taken for a marker. */
const mark = `(shortened ${crypto.randomUUID()}) `

/** Parses a body without its long texts. Undefined: the whole body has to show its error. */
export function readOutline(
  bytes: Buffer,
  long: readonly FieldSpan[],
  parse: () => unknown,
): Outline<unknown> | undefined {
  if (!isUtf8(bytes)) return undefined
  let text = ''
  let from = 0
  for (const [index, { start, end }] of long.entries()) {
    text += bytes.toString('utf8', from, endOfKind(bytes, start)) + mark + index
    from = end
  }
  text += bytes.toString('utf8', from)
  try {
    const outline: unknown = JSON.parse(text)
    if (long.length === 0) return unshortened(outline)
    return { outline, texts: createTexts(bytes, long), value: once(parse) }
  } catch {
    // The error would quote a marker instead of the client's text.
    return undefined
  }
}

/** Whether a string may be shortened: not a name, an id, or an address whose kind would be lost. */
export function mayBeShortened(bytes: Buffer, { start, end }: FieldSpan): boolean {
  if (isName(bytes, end) || isId(bytes, start)) return false
  const head = bytes.toString('latin1', start, start + longestKind)
  if (head.startsWith('data:')) return kindBegin.test(head)
  if (addressBegin.test(head)) return false
  return !head.slice(0, 'data:'.length * '\\u0000'.length).includes('\\u')
}

function isName(bytes: Buffer, end: number): boolean {
  let at = end + 1
  while ((bytes[at] ?? colon) <= 0x20) at++
  return bytes[at] === colon
}

function isId(bytes: Buffer, start: number): boolean {
  let at = start - 1
  while ((bytes[at - 1] ?? colon) <= 0x20) at--
  if (bytes[at - 1] !== colon) return false
  at--
  while ((bytes[at - 1] ?? colon) <= 0x20) at--
  return idName.test(bytes.toString('latin1', Math.max(0, at - longestName), at))
}

/** A parser treats all spellings of the name alike. */
const idName = /"(?:i|\\u0069)(?:d|\\u0064)"$/
const longestName = '"\\u0069\\u0064"'.length

const colon = 0x3a
const longestKind = 106
const addressBegin = /^[a-z][a-z0-9+.-]{0,20}:(?:\\?\/){2}/i
/** `data:image/png;base64,` */
const kindBegin = /^data:[^;,\\]{0,100}[;,]/

/** The media type stays in front of a shortened text. */
function endOfKind(bytes: Buffer, start: number): number {
  const head = bytes[start] === 0x64 ? bytes.toString('latin1', start, start + longestKind) : ''
  return start + (kindBegin.exec(head)?.[0].length ?? 0)
}

function createTexts(bytes: Buffer, long: readonly FieldSpan[]): LongTexts {
  const spanOf = (text: string): FieldSpan | undefined => {
    const at = text.indexOf(mark)
    return at < 0 ? undefined : long[Number(text.slice(at + mark.length))]
  }
  const read = ({ start, end }: FieldSpan): string =>
    JSON.parse(bytes.toString('utf8', start - 1, end + 1))

  return {
    whole(text) {
      const span = spanOf(text)
      return span === undefined ? text : read(span)
    },
    lengthOf(text) {
      const span = spanOf(text)
      if (span === undefined) return text.length
      const written = bytes.subarray(span.start, span.end)
      const isPlain = isAscii(written) && !written.includes(0x5c)
      return isPlain ? written.length : read(span).length
    },
    isIn: (value) => JSON.stringify(value).includes(mark),
  }
}

/** Finds the ends of the strings of a JSON text, front to back. */
interface StringEnds {
  endOf(open: number): number
  readonly long: readonly FieldSpan[]
  /** All strings were visited and are valid JSON; none holds half of a character. */
  isSound(): boolean
}

/** Shorter strings are not worth shortening. */
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

/** One for bodies read in one go, and one for sliced reads, of which there is one at a time. */
const scanners = { whole: scannerOnce(), sliced: scannerOnce() }

/** Scans strings once. Undefined: unsupported processor. `sliced`: other bodies come between. */
export function createStringEnds(
  bytes: Buffer,
  how: keyof typeof scanners = 'whole',
): StringEnds | undefined {
  const { scanner } = scanners[how]()
  if (scanner === undefined) return undefined
  const next = createMarks(bytes, scanner)
  const long: FieldSpan[] = []
  let isSound = true
  let low = -1

  /** Validates what follows a `\u`, whose `u` is at `at`. */
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
