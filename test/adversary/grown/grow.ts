import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

/** One way in which a body can grow: in one place of it, by one kind of repetition. */
export interface Growth {
  /** `messages[].content[] × numbered`. */
  readonly name: string
  /** The body, of about so many bytes. */
  body(bytes: number): JsonObject
}

type Step = string | number
type Make = (value: unknown, room: number) => unknown

/** Every way in which `seed` can grow; places that are alike are grown once. */
export function growthsOf(seed: JsonObject, done = new Set<string>()): readonly Growth[] {
  const growths: Growth[] = []
  for (const { path, value } of placesIn(seed, [])) {
    const place = path.map((step) => (typeof step === 'number' ? '[]' : `.${step}`)).join('')
    for (const [kind, make] of kindsOf(value)) {
      const name = `${place.slice(1)} × ${kind}`
      if (done.has(name)) continue
      done.add(name)
      growths.push({ name, body: (bytes) => replaced(seed, path, make, bytes) as JsonObject })
    }
  }
  return growths
}

function* placesIn(
  value: unknown,
  path: readonly Step[],
): Generator<{ path: readonly Step[]; value: unknown }> {
  if (path.length > 0) yield { path, value }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* placesIn(item, [...path, index])
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* placesIn(item, [...path, key])
  }
}

function replaced(root: unknown, path: readonly Step[], make: Make, room: number): unknown {
  const [step, ...rest] = path
  if (step === undefined) return make(root, room)
  if (Array.isArray(root)) {
    return root.map((item, index) => (index === step ? replaced(item, rest, make, room) : item))
  }
  return Object.fromEntries(
    Object.entries(root as object).map(([key, item]) => [
      key,
      key === step ? replaced(item, rest, make, room) : item,
    ]),
  )
}

/** By the kind of a value, how it can grow. */
function kindsOf(value: unknown): readonly (readonly [string, Make])[] {
  if (Array.isArray(value)) return value.length === 0 ? ofEmptyList : ofList
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? ofEmptyRecord : ofRecord
  if (typeof value === 'string')
    return isJsonObject(parsed(value)) ? [...ofText, ...ofJson] : ofText
  return []
}

const sizeOf = (value: unknown) => JSON.stringify(value).length + 1

/** As many as there is room for, each made of one of `items`. */
function fill(
  items: readonly unknown[],
  room: number,
  change: (item: unknown, at: number) => unknown,
): unknown[] {
  const round = items.reduce<number>((sum, item) => sum + sizeOf(change(item, 10_000)), 0)
  const count = Math.max(1, Math.ceil((room / round) * items.length))
  return Array.from({ length: count }, (_, at) => change(items[at % items.length], at))
}

/** What tells one thing from another is numbered. */
function numbered(value: unknown, at: number): unknown {
  if (Array.isArray(value)) return value.map((item) => numbered(item, at))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && telling.test(key) ? `${item}${at}` : numbered(item, at),
    ]),
  )
}
const telling = /(^|_)(id|name|text|title|description|url|\$ref)$|Id$/

const ofList: readonly (readonly [string, Make])[] = [
  ['same', (list, room) => fill(list as unknown[], room, (item) => item)],
  ['numbered', (list, room) => fill(list as unknown[], room, numbered)],
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((index): readonly [string, Make] => [
    `item ${index}`,
    (list, room) => {
      const item = (list as unknown[])[index % (list as unknown[]).length]
      return [...(list as unknown[]), ...fill([item], room, numbered)]
    },
  ]),
]
const ofEmptyList: readonly (readonly [string, Make])[] = [
  ['ones', (_, room) => Array.from({ length: room / 2 }, () => 1)],
  ['empty records', (_, room) => Array.from({ length: room / 3 }, () => ({}))],
  ['texts', (_, room) => Array.from({ length: room / 12 }, (_, at) => `text ${at}`)],
]
const recordOf = (values: readonly unknown[]) =>
  Object.fromEntries(values.map((value, at) => [`k${at}`, value]))
const ofRecord: readonly (readonly [string, Make])[] = [
  [
    'members',
    (record, room) => {
      const values = Object.values(record as object)
      return { ...(record as object), ...recordOf(fill(values, room, numbered)) }
    },
  ],
  [
    'unknown members',
    (record, room) => ({ ...(record as object), ...recordOf(fill([1], room / 4, numbered)) }),
  ],
  [
    'long names',
    (record, room) => ({
      ...(record as object),
      ...recordOf(fill([1], room / 400, numbered)),
      ['n'.repeat(room)]: 1,
    }),
  ],
  ['itself, deep', deepen],
  ['other values', (record, room) => ({ ...(record as object), other: nested(room) })],
]
const ofEmptyRecord: readonly (readonly [string, Make])[] = [
  ['members', (_, room) => recordOf(fill([1], room / 4, numbered))],
  ['deep values', (_, room) => ({ other: nested(room) })],
]

/** Lists as deep as a body may nest, side by side. */
function nested(room: number): unknown {
  const depth = 200
  const one = JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  return Array.from({ length: Math.ceil(room / (2 * depth)) }, () => one)
}

/** An object within a copy of itself, as deep as may be, again and again. */
function deepen(value: unknown, room: number): unknown {
  const record = value as JsonObject
  const keys = Object.keys(record).filter((key) => typeof record[key] === 'object')
  const wrap = (depth: number): JsonObject => {
    if (depth === 0) return record
    const key = keys[depth % Math.max(1, keys.length)] ?? 'items'
    const was = record[key]
    const inner = wrap(depth - 1)
    return { ...record, [key]: Array.isArray(was) ? [inner] : inner }
  }
  const one = wrap(60)
  const count = Math.ceil(room / sizeOf(one))
  const key = keys[0] ?? 'items'
  const list = Array.from({ length: count }, () => one)
  return { ...record, [key]: Array.isArray(record[key]) ? list : recordOf(list) }
}

const repeated =
  (piece: string): Make =>
  (_, room) =>
    piece.repeat(Math.ceil(room / (sizeOf(piece) - 3)))
const ofText: readonly (readonly [string, Make])[] = [
  ['letters', repeated('a')],
  ['words', repeated('some words ')],
  ['quotes', repeated('"')],
  ['backslashes', repeated('\\')],
  ['line ends', repeated('\n')],
  ['characters', repeated('好')],
  ['control characters', repeated('\u0001')],
  ['brackets', repeated('[{')],
  ['base64 after a kind', (_, room) => `data:image/png;base64,${'A'.repeat(room)}`],
  ['seals', repeated('tgs1.AAAA~')],
  ['pointers', repeated('/a~1%61')],
  [
    'itself',
    (text, room) => (text as string).repeat(Math.ceil(room / ((text as string).length + 1))),
  ],
]
/** Texts that are JSON. */
const ofJson: readonly (readonly [string, Make])[] = [
  ['JSON of members', (_, room) => JSON.stringify(recordOf(fill([1], room / 4, numbered)))],
  ['JSON of lists', (_, room) => JSON.stringify({ a: nested(room) })],
  ['JSON of long numbers', (_, room) => `{"a":[${'12345678901234567890,'.repeat(room / 21)}1]}`],
]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
