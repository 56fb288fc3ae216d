import { createSecretBox } from '../../src/lib/secrets.ts'
import { sealPrefix } from '../../src/protocols/translation/seal.ts'
import type { Dice } from './dice.ts'

/** Seals reasoning as a gateway does. */
export const { texts: sealer } = createSecretBox('the secret of the fuzzing')

/** A seal as clients send it back; `origin` names the upstream that the reasoning is from. */
export const sealOf = (origin: string, members: object) =>
  sealPrefix + sealer.seal(JSON.stringify({ origin, text: 'hm', ...members }))

/** Numbers that JSON can write and readers stumble over. */
const numbers = [
  ...[
    '-0',
    '-1',
    '0',
    '1',
    '0.1',
    '1.0',
    '1e3',
    '2147483648',
    '4294967296',
    '-9223372036854775808',
  ],
  ...['9007199254740993', '12345678901234567890', '1e308', '-1e308', '1e999', '-1e999', '1e-999'],
].map((text) => JSON.rawJSON(text))

/** Names that objects have without being given them, and others that are odd. */
export const oddNames = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'],
  ...['toJSON', 'then', 'length', '', '0', '-1', ' ', 'a.b', 'a[0]', '$ref', 'é', '😀'],
]

const texts = [
  ...[
    '',
    ' ',
    '0',
    'null',
    'true',
    'x',
    '~',
    '\u0000',
    '\u2028\u2029',
    '\uFEFF',
    '😀👩‍👩‍👧',
    'e\u0301',
  ],
  ...['{', '{}', '[]', '{"a":1', '"x"', '{"a":{"b":[1,2,{"c":null}]}}', '{"input":"x"}', '[1,2]'],
  ...['{"__proto__":{"x":1}}', '{"a":12345678901234567890}', '12345678901234567890', '-1', '1e999'],
  ...['\n', '\r\n\r\n', '\n\ndata: [DONE]\n\n', 'event: error\ndata: {}\n\n', '[DONE]', ': ping'],
  ...['https://files.test/a.png', 'https://files.test/a.pdf', 'http://', 'gs://b/a.pdf', '//a'],
  ...['data:', 'data:,', 'data:,%E0%A4%A', 'data:image/png;base64,AAAA', 'data:;base64,%', 'AAAA'],
  ...['data:application/pdf;base64,AAAA', 'file:///a', 'javascript:0', 'https://[', 'file-1'],
  ...['<system>', '</system>', '$&', '\\', '\\"', '%', '((((', '#/$defs/a', '#', 'a__b', '__'],
  ...['image/png', 'application/pdf', 'text/plain', 'audio/wav', 'video/mp4', 'base64', 'utf-8'],
  ...[
    'tgs1.',
    'tgs1.AAAA',
    'tgs1.~tgs1.',
    'toString',
    '__proto__',
    'constructor',
    'system',
    'tool',
  ],
  ...oddNames,
]

const seals = [
  sealOf('chat chat.test', { signature: 's' }),
  sealOf('responses responses.test', { signature: 'ciphertext', id: 'rs_1' }),
  sealOf('messages messages.test', { signature: 's' }),
  sealOf('messages messages.test', { text: '', signature: 'd', isRedacted: true }),
  sealOf('gemini gemini.test', { text: '', signature: 'YQ==', callId: 'call_1' }),
  sealOf('gemini gemini.test', { signature: 'YQ==' }),
]

/** Balanced brackets of so many levels. */
export const brackets = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** A JSON text in which the value of one member is another one, nested so deep. */
export function deepened(text: string, { at, levels }: Depth): string {
  const places = [...text.matchAll(/(?<!\\)"\w+":/g)]
  const place = places[at % Math.max(1, places.length)]
  if (place === undefined) return text
  const end = place.index + place[0].length
  return `${text.slice(0, end)}{"a":${brackets(levels)}},"was":${text.slice(end)}`
}

/** Which of the members, and how deep. A vendor's answers have no limit. */
export interface Depth {
  readonly at: number
  readonly levels: number
}

/** Seldom: depth costs time, too. */
export const depthFrom = (dice: Dice): Depth | undefined =>
  dice.once(150) ? { at: dice.below(100), levels: dice.pick([900, 3_000, 50_000]) } : undefined

/** A text that a reader may not be ready for; now and then a very long one. */
export function oddText(dice: Dice): string {
  if (dice.once(12)) return dice.pick(seals)
  if (dice.once(30)) return `${dice.pick(seals)}~${dice.pick(seals)}`
  if (dice.once(60)) return dice.pick(['x', 'ä', '😀', '"', '\\', '~', '\n', '{']).repeat(10_000)
  if (dice.once(500)) return dice.pick(['x', '😀 ', '[', '"\\']).repeat(100_000)
  if (dice.once(100)) return `{"a":${brackets(dice.pick([100, 1_000, 30_000, 100_000]))}}`
  return dice.pick(texts)
}

/** A value of any kind that JSON has. */
export function oddValue(dice: Dice): unknown {
  switch (dice.below(8)) {
    case 0:
      return dice.pick([null, true, false])
    case 1:
      return dice.pick(numbers)
    case 2:
      return dice.pick([[], [null], [[]], [''], [0], [{}], ['x', 1, null, {}]])
    case 3:
      return dice.pick([{}, { a: null }, { type: 'text' }, { type: 'x' }, { text: null }])
    case 4:
      return dice.pick([
        { type: 'object' },
        { type: 'object', properties: { a: {} } },
        { $ref: '#' },
      ])
    default:
      return oddText(dice)
  }
}
