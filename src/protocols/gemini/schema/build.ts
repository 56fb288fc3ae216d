import { toJsonText } from '../../canonical/json-text.ts'
import { isJsonObject, wordSet } from '../../json.ts'
import type { JsonObject } from '../../protocol.ts'

type Convert = (member: unknown, keyword: string, which?: string | number) => JsonObject

interface Build {
  readonly schema: JsonObject
  readonly convertMember: Convert
  readonly built: Record<string, unknown>
  /** What no keyword of the vendor's can say: sentences for the description. */
  readonly notes: string[]
}
type Write = (build: Build) => void

/** The vendor's form of a schema without `allOf`, references or unsupported keywords. */
export function buildSchema(schema: JsonObject, convertMember: Convert): JsonObject {
  const build: Build = { schema, convertMember, built: {}, notes: [] }
  let needed = 0
  for (const keyword in schema) needed |= writerBits.get(keyword) ?? 0
  for (let at = 0; needed >> at > 0; at++) {
    if (needed & (1 << at)) writers[at]?.[1](build)
  }
  const { built, notes } = build
  if (notes.length === 0) return built
  const described = built.description === undefined ? notes : [built.description, ...notes]
  return { ...built, description: described.join('\n') }
}

const copied = (...keywords: readonly string[]): readonly [keywords: string, Write] => [
  keywords.join(' '),
  ({ schema, built }) => {
    for (const key of keywords) {
      if (schema[key] !== undefined) built[key] = schema[key]
    }
  },
]

/** Drafts before 2020 have tuple items in `items`, and the rest in `additionalItems`. */
function writeItems({ schema, convertMember, built }: Build): void {
  const { items, prefixItems, additionalItems, minItems, maxItems } = schema
  const isOld = Array.isArray(items)
  const tuple = isOld ? items : prefixItems
  const rest = isOld ? additionalItems : items
  if (Array.isArray(tuple)) {
    built.prefixItems = tuple.map((item, index) => convertMember(item, 'prefixItems', index))
  }
  if (rest !== undefined && typeof rest !== 'boolean') built.items = convertMember(rest, 'items')
  if (minItems !== undefined) built.minItems = minItems
  if (maxItems !== undefined) built.maxItems = maxItems
  if (rest !== false) return
  // No further items: becomes a limit of the length.
  const length = Array.isArray(tuple) ? tuple.length : 0
  built.maxItems = typeof maxItems === 'number' ? Math.min(maxItems, length) : length
}

function writeProperties({ schema, convertMember, built }: Build): void {
  const { properties, required } = schema
  const names = Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string')
    : nothing
  const known = isJsonObject(properties) ? properties : undefined
  const entries: [string, JsonObject][] = []
  for (const name in known) {
    if (!Object.hasOwn(known, name)) continue
    entries.push([name, convertMember(known[name], 'properties', name)])
  }
  for (const name of names) {
    // The vendor rejects required properties without a schema.
    if (known === undefined || !Object.hasOwn(known, name)) entries.push([name, {}])
  }
  if (known || entries.length > 0) built.properties = Object.fromEntries(entries)
  if (names.length > 0) built.required = names
}

function writeExtra({ schema: { additionalProperties: extra }, convertMember, built }: Build) {
  if (typeof extra === 'boolean') built.additionalProperties = extra
  else if (isJsonObject(extra))
    built.additionalProperties = convertMember(extra, 'additionalProperties')
}

/** `anyOf` and `oneOf` become `anyOf`: the vendor reads them alike. */
function writeChoice({ schema, convertMember, built, notes }: Build): void {
  const key = schema.anyOf === undefined ? 'oneOf' : 'anyOf'
  const list = schema[key]
  if (!Array.isArray(list)) return
  const sets = list.map(requiredOnly)
  if (sets.every((names) => names !== undefined)) {
    // The vendor rejects required properties in a choice that are declared outside of it.
    const word = key === 'anyOf' ? 'At least one' : 'Exactly one'
    const sentence = sets.map((names) => names.join(' and ')).join('; ')
    notes.push(`${word} of these must be given: ${sentence}.`)
    return
  }
  built.anyOf = list.flatMap((member: unknown, index) =>
    member === false ? [] : [convertMember(member, key, index)],
  )
}

function requiredOnly(schema: unknown): readonly string[] | undefined {
  if (!isJsonObject(schema) || Object.keys(schema).length !== 1) return undefined
  const { required } = schema
  return Array.isArray(required) && required.length > 0 ? required.map(String) : undefined
}

const nothing: readonly string[] = []
const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

function typesIn(schema: JsonObject): readonly string[] {
  const { type, nullable } = schema
  if (type === undefined) return nothing
  const known = (Array.isArray(type) ? type : [type]).filter(
    (name): name is string => typeof name === 'string' && types.has(name),
  )
  return nullable === true && known.length > 0 ? [...new Set([...known, 'null'])] : known
}

function typeField(names: readonly string[]): { readonly type?: unknown } {
  if (names.length === 0) return {}
  return { type: names.length === 1 ? names[0] : names }
}

/** The vendor takes texts and numbers. Null becomes a choice of its own; others go into the description. */
function writeValues({ schema, built, notes }: Build): void {
  const declared = typesIn(schema)
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (!Array.isArray(values)) return void Object.assign(built, typeField(declared))
  const hasNull = values.includes(null)
  const known = hasNull ? values.filter((value) => value !== null) : values
  const own = kindOf(known)
  const named = declared.length > 0 ? declared.filter((type) => type !== 'null') : own
  const isNullable = hasNull && (declared.length === 0 || declared.includes('null'))
  if (known.length === 0) built.type = 'null'
  else if (own.length > 0 && own[0] !== 'boolean' && isNullable)
    built.anyOf = [{ ...typeField(named), enum: known }, { type: 'null' }]
  else {
    Object.assign(built, typeField(isNullable ? [...named, 'null'] : named))
    if (own.length > 0 && own[0] !== 'boolean') built.enum = known
    else if (known.length === 1) notes.push(`Always ${toJsonText(known[0]) ?? '…'}.`)
    else if (own.length === 0)
      notes.push(`One of: ${known.map((value) => toJsonText(value) ?? '…').join(', ')}.`)
  }
}

function kindOf(values: readonly unknown[]): readonly string[] {
  const kind = typeof values[0]
  if (!values.every((value) => typeof value === kind)) return nothing
  if (kind === 'number') return [values.every(Number.isInteger) ? 'integer' : kind]
  return kind === 'string' || kind === 'boolean' ? [kind] : nothing
}

/** The vendor's bounds are inclusive: exclusive ones move by one for integers, or go into the description. */
function writeBounds({ schema, built, notes }: Build): void {
  const isInteger = typesIn(schema).includes('integer')
  const lower = bound(schema.minimum, schema.exclusiveMinimum, Math.max)
  const upper = bound(schema.maximum, schema.exclusiveMaximum, Math.min)
  if (lower) {
    built.minimum = lower.isOpen && isInteger ? Math.floor(lower.value) + 1 : lower.value
    if (lower.isOpen && !isInteger) notes.push(`Greater than ${lower.value}.`)
  }
  if (upper) {
    built.maximum = upper.isOpen && isInteger ? Math.ceil(upper.value) - 1 : upper.value
    if (upper.isOpen && !isInteger) notes.push(`Less than ${upper.value}.`)
  }
}

/** The stricter of two bounds; in draft 4 an exclusive one is a flag on the inclusive one. */
function bound(closed: unknown, open: unknown, stricter: (a: number, b: number) => number) {
  if (typeof closed !== 'number') {
    return typeof open === 'number' ? { value: open, isOpen: true } : undefined
  }
  if (open === true) return { value: closed, isOpen: true }
  if (typeof open !== 'number') return { value: closed, isOpen: false }
  const value = stricter(closed, open)
  return { value, isOpen: value === open }
}

function writeNotes({ schema, built, notes }: Build): void {
  const { multipleOf, uniqueItems, contentEncoding, contentMediaType, format } = schema
  if (typeof multipleOf === 'number') notes.push(`Multiple of ${multipleOf}.`)
  if (uniqueItems === true) notes.push('No item twice.')
  if (typeof contentEncoding === 'string') notes.push(`Content encoding: ${contentEncoding}.`)
  if (typeof contentMediaType === 'string') notes.push(`Content type: ${contentMediaType}.`)
  if (typeof format !== 'string') return
  if (formats.has(format)) built.format = format
  else notes.push(`Format: ${format}.`)
}

/** Formats that the vendor accepts; it has rejected others. Source: its guide "Structured outputs". */
const formats = wordSet('date-time date time int32 int64 float double')

/** What writes each keyword. The description has the notes in this order. */
const writers: readonly (readonly [keywords: string, Write])[] = [
  copied('title'),
  [
    'description',
    ({ schema: { description }, built }) => {
      if (typeof description === 'string') built.description = description
    },
  ],
  ['type nullable enum const', writeValues],
  ['minimum maximum exclusiveMinimum exclusiveMaximum', writeBounds],
  ['multipleOf uniqueItems contentEncoding contentMediaType format', writeNotes],
  ['anyOf oneOf', writeChoice],
  copied('minLength', 'maxLength', 'pattern', 'minProperties', 'maxProperties'),
  ['items prefixItems additionalItems minItems maxItems', writeItems],
  ['properties required', writeProperties],
  ['additionalProperties', writeExtra],
  copied('default', 'propertyOrdering'),
]

const writerBits: ReadonlyMap<string, number> = new Map(
  writers.flatMap(([keywords], at) =>
    keywords.split(' ').map((keyword) => [keyword, 1 << at] as const),
  ),
)
