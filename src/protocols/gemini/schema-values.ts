import { toJsonText } from '../canonical/json-text.ts'

/** What a schema says of its values in the vendor's words, and what only its description can tell. */
export interface Told {
  readonly fields: { readonly [keyword: string]: unknown }
  readonly notes: readonly string[]
}

const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

/** The types that a schema allows; none: any. */
export function typesIn(schema: { readonly [keyword: string]: unknown }): readonly string[] {
  const { type, nullable } = schema
  if (type === undefined) return none
  const known = (Array.isArray(type) ? type : [type]).filter(
    (name): name is string => typeof name === 'string' && types.has(name),
  )
  return nullable === true && known.length > 0 ? [...new Set([...known, 'null'])] : known
}

const none: readonly string[] = []

/** Types as the vendor takes them: a name, or a list of several. */
export function typeField(names: readonly string[]): { readonly type?: unknown } {
  if (names.length === 0) return {}
  return { type: names.length === 1 ? names[0] : names }
}

/**
 * A list of allowed values: the vendor takes texts and numbers. Null among them is a choice of its
 * own, truth values are a type and a remark, and everything else is told in words.
 */
export function tellValues(values: readonly unknown[], declared: readonly string[]): Told {
  const hasNull = values.includes(null)
  const known = hasNull ? values.filter((value) => value !== null) : values
  const own = kindOf(known)
  const named = declared.length > 0 ? declared.filter((type) => type !== 'null') : own
  const isNullable = hasNull && (declared.length === 0 || declared.includes('null'))
  const type = typeField(isNullable ? [...named, 'null'] : named)
  if (known.length === 0) return { fields: { type: 'null' }, notes: [] }
  if (own.includes('boolean')) {
    return { fields: type, notes: known.length === 1 ? [`Always ${known[0]}.`] : [] }
  }
  if (own.length > 0 && isNullable) {
    const choices = [{ ...typeField(named), enum: known }, { type: 'null' }]
    return { fields: { anyOf: choices }, notes: [] }
  }
  if (own.length > 0) return { fields: { ...type, enum: known }, notes: [] }
  const texts = known.map((value) => toJsonText(value) ?? '…')
  const note = texts.length === 1 ? `Always ${texts[0]}.` : `One of: ${texts.join(', ')}.`
  return { fields: type, notes: [note] }
}

/** The one type that all of the values have, if it is a plain one. */
function kindOf(values: readonly unknown[]): readonly string[] {
  const [first] = values
  const kind = typeof first
  if (kind === 'string' || kind === 'boolean') return every(values, kind) ? plain[kind] : none
  if (kind !== 'number' || !every(values, kind)) return none
  return values.every(Number.isInteger) ? plain.integer : plain.number
}

const every = (values: readonly unknown[], kind: string) =>
  values.every((value) => typeof value === kind)

const plain = {
  string: ['string'],
  boolean: ['boolean'],
  integer: ['integer'],
  number: ['number'],
} as const

/**
 * Bounds of numbers. The vendor has only closed ones: open ones move by one for integers; for all
 * others they are told in words, beside the closed one.
 */
export function tellBounds(
  schema: { readonly [keyword: string]: unknown },
  isInteger: boolean,
): Told {
  const lower = bound(schema.minimum, schema.exclusiveMinimum, Math.max)
  const upper = bound(schema.maximum, schema.exclusiveMaximum, Math.min)
  const fields: Record<string, unknown> = {}
  if (!lower && !upper) return noBounds
  const notes: string[] = []
  if (lower) {
    fields.minimum = lower.isOpen && isInteger ? Math.floor(lower.value) + 1 : lower.value
    if (lower.isOpen && !isInteger) notes.push(`Greater than ${lower.value}.`)
  }
  if (upper) {
    fields.maximum = upper.isOpen && isInteger ? Math.ceil(upper.value) - 1 : upper.value
    if (upper.isOpen && !isInteger) notes.push(`Less than ${upper.value}.`)
  }
  return { fields, notes }
}

const noBounds: Told = { fields: {}, notes: none }

interface Bound {
  readonly value: number
  readonly isOpen: boolean
}

/** The stricter of two bounds; in draft 4 the open one is a mark on the closed one. */
function bound(
  closed: unknown,
  open: unknown,
  stricter: (a: number, b: number) => number,
): Bound | undefined {
  if (typeof closed !== 'number') {
    return typeof open === 'number' ? { value: open, isOpen: true } : undefined
  }
  if (open === true) return { value: closed, isOpen: true }
  if (typeof open !== 'number') return { value: closed, isOpen: false }
  const value = stricter(closed, open)
  return { value, isOpen: value === open }
}

/** Keywords that the vendor has no room for, and that words can tell. */
export function tellRest(schema: { readonly [keyword: string]: unknown }): readonly string[] {
  const { multipleOf, uniqueItems, contentEncoding, contentMediaType, format } = schema
  const notes: string[] = []
  if (typeof multipleOf === 'number') notes.push(`Multiple of ${multipleOf}.`)
  if (uniqueItems === true) notes.push('No item twice.')
  if (typeof contentEncoding === 'string') notes.push(`Content encoding: ${contentEncoding}.`)
  if (typeof contentMediaType === 'string') notes.push(`Content type: ${contentMediaType}.`)
  if (typeof format === 'string' && !formats.has(format)) notes.push(`Format: ${format}.`)
  return notes
}

/**
 * The formats that the vendor knows; others it has refused with 400. Source: its guide "Structured
 * outputs" and its reference of `Schema`.
 */
export const formats: ReadonlySet<string> = new Set([
  'date-time',
  'date',
  'time',
  'int32',
  'int64',
  'float',
  'double',
])
