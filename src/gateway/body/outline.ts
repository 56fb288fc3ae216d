import { isAscii, isUtf8 } from 'node:buffer'
import type { BodyTexts } from '../../protocols/protocol.ts'
import type { FieldSpan } from './json-fields.ts'

/** The texts that stand shortened in the outline of a body. */
export interface LongTexts extends BodyTexts {
  /** Whether one of them is in what was made from the outline: then it has to be made from the body. */
  isIn(value: unknown): boolean
}

/** A parsed body, whose long texts may be shortened to a few characters that no other text has. */
export interface Outline<Value> {
  readonly outline: Value
  readonly texts: LongTexts
  /** The body as a whole, parsed when it is first asked for. */
  readonly value: () => Value
}

/** Of a body that is parsed as a whole. */
export const noTexts: LongTexts = {
  whole: (text) => text,
  lengthOf: (text) => text.length,
  isIn: () => false,
}

/** A parsed body of which nothing is shortened. */
export const unshortened = <Value>(value: Value): Outline<Value> => ({
  outline: value,
  texts: noTexts,
  value: () => value,
})

/** Nobody can guess it, so nobody can write a text that is taken for a shortened one. */
const mark = `(shortened ${crypto.randomUUID()}) `

/**
 * Parses a body but for its long texts, of which only the places are known. Nothing of them is copied:
 * what a parser makes of a long prompt is as long as the prompt, and clearing it away costs more than
 * all the rest. Undefined when the body as a whole has to tell what is wrong with it. `long`: strings
 * of it, in their order, that are sound; `parse` parses all of it.
 */
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
    return { outline, texts: createTexts(bytes, long), value: parsedOnce(parse) }
  } catch {
    // The message would have another text before its eyes than the client's.
    return undefined
  }
}

function parsedOnce(parse: () => unknown): () => unknown {
  let parsed: { readonly value: unknown } | undefined
  return () => {
    parsed ??= { value: parse() }
    return parsed.value
  }
}

/**
 * Whether a string may be shortened: a member's name may not, for two of one name are one member; nor
 * may an id, which is looked for among those that are known; nor a text that could be the address of data, when its media type can't be left in front.
 */
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

/** Whether a string that begins here is the value of a member named `id`. */
function isId(bytes: Buffer, start: number): boolean {
  let at = start - 1
  while ((bytes[at - 1] ?? colon) <= 0x20) at--
  if (bytes[at - 1] !== colon) return false
  at--
  while ((bytes[at - 1] ?? colon) <= 0x20) at--
  return idName.test(bytes.toString('latin1', Math.max(0, at - longestName), at))
}

/** Of the ways in which it can be written all are the same to a parser. */
const idName = /"(?:i|\\u0069)(?:d|\\u0064)"$/
const longestName = '"\\u0069\\u0064"'.length

const colon = 0x3a
const longestKind = 106
const addressBegin = /^[a-z][a-z0-9+.-]{0,20}:(?:\\?\/){2}/i
/** `data:image/png;base64,` */
const kindBegin = /^data:[^;,\\]{0,100}[;,]/

/** A text's media type stays in front of it. */
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
