import { OptionalKind, type TObject, type TOptional, type TSchema, Type } from '@sinclair/typebox'
import type { AnyField, AnyPart, Definition } from './field.ts'

// What follows from a definition, such as `tokenFields`: types, schemas, conversions.

type As<F> = F extends { readonly as: infer Name extends string } ? Name : never
type Returned<F, Method extends string> =
  F extends Record<Method, (...args: never) => infer Result> ? Result : never
type Value<F> = F extends { readonly part: infer Inner } ? Values<Inner> : Returned<F, 'fromCell'>

export type Values<D> = { readonly [K in keyof D as As<D[K]>]: Value<D[K]> }

/** The same with only some fields, also of parts. */
export type SomeValues<D> = {
  readonly [K in keyof D as As<D[K]>]?: D[K] extends { readonly part: infer Inner }
    ? Partial<Values<Inner>>
    : Value<D[K]>
}

/** The values of a file's entry: fields that keep their stored value may be absent. */
export type FileValues<D> = {
  readonly [K in keyof D as D[K] extends { readonly keeps: true } ? never : As<D[K]>]: Value<D[K]>
} & {
  readonly [K in keyof D as D[K] extends { readonly keeps: true } ? As<D[K]> : never]?: Value<D[K]>
}

/** The values stored in the resource's own columns: no references. */
type StoredValues<D> = {
  readonly [K in keyof D as D[K] extends { readonly isElsewhere: true } ? never : As<D[K]>]: Value<
    D[K]
  >
}

type Stored<D> = {
  [K in keyof D]: D[K] extends { readonly column: string }
    ? D[K]
    : D[K] extends { readonly part: infer Inner }
      ? Stored<Inner>
      : never
}[keyof D]
type ColumnName<D> = Extract<Stored<D>, { readonly column: string }>['column']

export type Columns<D> = {
  -readonly [C in ColumnName<D>]: Returned<Extract<Stored<D>, { readonly column: C }>, 'toCell'>
}

type FileKey<F, K> = F extends { readonly fileKey: infer Name extends string } ? Name : K
type ReportKey<F, K> = F extends { readonly suffix: infer End extends string }
  ? `${K & string}${End}`
  : K
type FileProperties<D> = {
  [K in keyof D as FileKey<D[K], K>]: D[K] extends { readonly file: infer S extends TSchema }
    ? S
    : never
}
type ViewProperties<D> = {
  [K in keyof D]: D[K] extends { readonly part: infer Inner }
    ? TObject<ViewProperties<Inner> & Record<never, TSchema>>
    : D[K] extends { readonly view: infer S extends TSchema }
      ? S
      : never
}
type PatchProperties<D> = {
  [K in keyof D]: TOptional<
    D[K] extends { readonly part: infer Inner }
      ? TObject<PatchProperties<Inner> & Record<never, TSchema>>
      : D[K] extends { readonly patch: infer S extends TSchema }
        ? S
        : TSchema
  >
}

export type Report<D> = {
  readonly [K in keyof D as ReportKey<D[K], K>]: D[K] extends { readonly part: infer Inner }
    ? Report<Inner>
    : Returned<D[K], 'toReport'>
}

export type View<D> = {
  [K in keyof D]: D[K] extends { readonly part: infer Inner }
    ? View<Inner>
    : Returned<D[K], 'toView'>
}

type Of = Readonly<Record<string, unknown>>
const part = (value: unknown) => (value ?? {}) as Of

/** Builds an object from the fields and parts of a definition. */
function mapFields(
  definition: Definition,
  make: (field: AnyField, key: string) => readonly [string, unknown] | undefined,
  makePart: (field: AnyPart, key: string) => readonly [string, unknown] | undefined,
): object {
  const entries = Object.entries(definition).map(([key, field]) =>
    'part' in field ? makePart(field, key) : make(field, key),
  )
  return Object.fromEntries(entries.filter((entry) => entry !== undefined))
}

/** Schemas of the keys in the file. */
export const fileProperties = <const D>(definition: D): FileProperties<D> =>
  mapFields(
    definition as Definition,
    ({ fileKey, file }, key) => [fileKey ?? key, file],
    ({ file }, key) => [key, file],
  ) as FileProperties<D>

/** Schemas of the fields that the console's API returns. */
export const viewProperties = <const D>(definition: D): ViewProperties<D> =>
  mapFields(
    definition as Definition,
    ({ view }, key) => [key, view],
    ({ part }, key) => [key, Type.Object(viewProperties(part) as Record<string, TSchema>)],
  ) as ViewProperties<D>

/** Schemas of the fields that the console's API accepts; all are optional. */
export const patchProperties = <const D>(definition: D): PatchProperties<D> =>
  mapFields(
    definition as Definition,
    ({ patch }, key) => [key, Type.Optional(patch)],
    ({ part }, key) => [
      key,
      Type.Optional(Type.Object(patchProperties(part) as Record<string, TSchema>)),
    ],
  ) as PatchProperties<D>

/** The default values. */
export const initialValues = <const D>(definition: D): Values<D> =>
  mapFields(
    definition as Definition,
    ({ as, initial }) => [as, initial],
    ({ as, part }) => [as, initialValues(part)],
  ) as Values<D>

/** The values of a checked entry of the file, without fields that keep their stored value. */
export const fromFile = <const D>(definition: D, entry: object): FileValues<D> =>
  mapFields(
    definition as Definition,
    ({ as, fileKey, keeps, fromFile }, key) => {
      const written = (entry as Of)[fileKey ?? key]
      return keeps && written === undefined ? undefined : [as, fromFile(written)]
    },
    ({ as, part: inner, short, keeps }, key) => {
      const written = (entry as Of)[key]
      if (keeps && written === undefined) return undefined
      const isShort = short !== undefined && typeof written !== 'object'
      return [as, fromFile(inner, isShort ? { [short]: written } : part(written))]
    },
  ) as FileValues<D>

/** The entry of the file; fields with their default are left out. */
export const toFile = (definition: Definition, values: object): object =>
  mapFields(
    definition,
    ({ as, fileKey, initial, isAlwaysSaid, file, toFile }, key) => {
      const value = (values as Of)[as]
      const isUsual =
        !isAlwaysSaid && OptionalKind in file && JSON.stringify(value) === JSON.stringify(initial)
      return isUsual ? undefined : [fileKey ?? key, toFile(value)]
    },
    ({ as, part: inner }, key) => {
      const written = toFile(inner, part((values as Of)[as]))
      return Object.keys(written).length === 0 ? undefined : [key, written]
    },
  )

/** The entry of the file for values of the console's API or of options; null is left out. */
export const toWritten = (definition: Definition, given: object): object =>
  mapFields(
    definition,
    ({ fileKey, toWritten }, key) => {
      const value = (given as Of)[key]
      const written = value == null ? undefined : toWritten(value)
      return written === undefined ? undefined : [fileKey ?? key, written]
    },
    ({ part: inner }, key) => {
      const written = toWritten(inner, part((given as Of)[key]))
      return Object.keys(written).length === 0 ? undefined : [key, written]
    },
  )

/** The entry after a change; unnamed fields of a part stay. */
export function changedEntry<const D>(definition: D, present: Values<D>, change: object): object {
  const fields: object = toView(definition, present)
  const parts = Object.entries(definition as Definition).flatMap(([key, field]) =>
    'part' in field ? [[key, { ...part((fields as Of)[key]), ...part((change as Of)[key]) }]] : [],
  )
  return toWritten(definition as Definition, { ...fields, ...change, ...Object.fromEntries(parts) })
}

/** The values of a whole entry that a change names, by their keys in the API. */
export const onlyNamed = <const D>(definition: D, values: object, given: object): SomeValues<D> =>
  mapFields(
    definition as Definition,
    ({ as, initial }, key) => {
      const named = (given as Of)[key]
      if (named === undefined) return undefined
      return [as, named === null ? initial : (values as Of)[as]]
    },
    ({ as, part: inner }, key) => {
      const named = (given as Of)[key]
      if (named === undefined) return undefined
      return [as, onlyNamed(inner, part((values as Of)[as]), part(named))]
    },
  ) as SomeValues<D>

/** The keys of the file for named keys of the API. */
export const fileKeysOf = (definition: Definition, given: object): readonly string[] =>
  Object.entries(definition).flatMap(([key, field]) => {
    if ((given as Of)[key] === undefined) return []
    return [('fileKey' in field ? field.fileKey : undefined) ?? key]
  })

/** The values as reports (`--json`) have them. */
export const toReport = <const D>(definition: D, values: Values<D>): Report<D> =>
  mapFields(
    definition as Definition,
    ({ as, suffix = '', toReport }, key) => [key + suffix, toReport((values as Of)[as])],
    ({ as, part: inner }, key) => [key, toReport(inner, part((values as Of)[as]))],
  ) as Report<D>

/** The values as the console's API returns them. */
export const toView = <const D>(definition: D, values: Values<D>): View<D> =>
  mapFields(
    definition as Definition,
    ({ as, toView }, key) => [key, toView((values as Of)[as])],
    ({ as, part: inner }, key) => [key, toView(inner, part((values as Of)[as]))],
  ) as View<D>

/** A field and its place within parts. */
export interface Place {
  readonly field: AnyField
  /** Such as `budget.day`. */
  readonly path: string
  readonly fileKey: string
  valueIn(values: object): unknown
}

/** Every field, also those of parts. */
export const placesOf = (definition: Definition): readonly Place[] =>
  Object.entries(definition).flatMap(([key, field]): readonly Place[] => {
    const valueIn = (values: object) => (values as Of)[field.as]
    if (!('part' in field)) return [{ field, path: key, fileKey: field.fileKey ?? key, valueIn }]
    return placesOf(field.part).map((inner) => ({
      field: inner.field,
      path: `${key}.${inner.path}`,
      fileKey: `${key}.${inner.fileKey}`,
      valueIn: (values) => inner.valueIn(part(valueIn(values))),
    }))
  })

/** Builds a nested object from values by path: `budget.day` goes into `budget`. */
export function byPath(values: readonly (readonly [path: string, value: unknown])[]): object {
  const result: { [key: string]: unknown } = {}
  for (const [path, value] of values) {
    const [key = '', ...inner] = path.split('.')
    const isPart = inner.length > 0
    result[key] = isPart ? { ...part(result[key]), ...byPath([[inner.join('.'), value]]) } : value
  }
  return result
}

/** The texts that a plan compares and shows, by the keys of the file. */
export const planFields = (
  definition: Definition,
  values: object,
): { readonly [field: string]: string } =>
  Object.fromEntries(
    placesOf(definition).flatMap(({ field, fileKey, valueIn }) => {
      const texts = field.text(valueIn(values))
      if (typeof texts === 'string') return [[fileKey, texts]]
      const prefix = field.ownsPlanNames ? '' : `${fileKey}.`
      return Object.entries(texts).map(([name, text]) => [prefix + name, text])
    }),
  )

/** The values in the audit, by column. */
export const auditedFields = (
  definition: Definition,
  values: object,
): { readonly [field: string]: unknown } =>
  Object.fromEntries(
    placesOf(definition).map(({ field, path, valueIn }) => [
      field.column ?? path,
      field.toReport(valueIn(values)),
    ]),
  )

/** The fields and parts with a column, each with its value. */
const storedIn = (
  definition: Definition,
  values: object,
): readonly {
  readonly column: string
  readonly field: Definition[string]
  readonly value: unknown
}[] =>
  Object.values(definition).flatMap((field) => {
    const value = (values as Of)[field.as]
    if (field.column !== undefined) return [{ column: field.column, field, value }]
    return 'part' in field ? storedIn(field.part, part(value)) : []
  })

/** The columns of named values. */
export const toColumns = <const D>(definition: D, values: SomeValues<D>) =>
  Object.fromEntries(
    storedIn(definition as Definition, values).flatMap(({ column, field, value }) => {
      if (value === undefined) return []
      return [[column, 'part' in field ? JSON.stringify(value) : field.toCell(value)]]
    }),
  ) as Partial<Columns<D>>

export const fromColumns = <const D>(definition: D, row: Columns<D>): StoredValues<D> =>
  mapFields(
    definition as Definition,
    ({ as, column, fromCell }) =>
      column === undefined ? undefined : [as, fromCell((row as Of)[column])],
    ({ as, column, part }) => [
      as,
      column === undefined ? fromColumns(part, row as Of) : JSON.parse(String((row as Of)[column])),
    ],
  ) as StoredValues<D>

/** The names of its columns; `which`: only those that are JSON, or 0 or 1. */
export const columnsOf = <const D>(definition: D, which?: 'isJson' | 'isFlag') =>
  storedIn(definition as Definition, {}).flatMap(({ column, field }) =>
    which === undefined || (field as AnyField)[which] ? [column] : [],
  ) as readonly (keyof Columns<D> & string)[]
