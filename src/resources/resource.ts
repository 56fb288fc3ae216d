import { OptionalKind, type TObject, type TOptional, type TSchema, Type } from '@sinclair/typebox'
import type { AnyField, AnyPart, Definition } from './field.ts'

// What can be said of a resource by its fields alone: every place where they are read, written or
// shown works on a definition, such as `tokenFields`.

type As<F> = F extends { readonly as: infer Name extends string } ? Name : never
type Returned<F, Method extends string> =
  F extends Record<Method, (...args: never) => infer Result> ? Result : never
type Value<F> = F extends { readonly part: infer Inner } ? Values<Inner> : Returned<F, 'fromCell'>

/** A resource's fields as the program has them. */
export type Values<D> = { readonly [K in keyof D as As<D[K]>]: Value<D[K]> }

/** The same where only some are named; of parts, too. */
export type SomeValues<D> = {
  readonly [K in keyof D as As<D[K]>]?: D[K] extends { readonly part: infer Inner }
    ? Partial<Values<Inner>>
    : Value<D[K]>
}

/** The same as a file has them: what it leaves as it is may be missing. */
export type FileValues<D> = {
  readonly [K in keyof D as D[K] extends { readonly keeps: true } ? never : As<D[K]>]: Value<D[K]>
} & {
  readonly [K in keyof D as D[K] extends { readonly keeps: true } ? As<D[K]> : never]?: Value<D[K]>
}

/** Without references to other resources: what stands in columns of its own. */
export type StoredValues<D> = {
  readonly [K in keyof D as D[K] extends { readonly isElsewhere: true } ? never : As<D[K]>]: Value<
    D[K]
  >
}

/** What has a column. */
type Stored<D> = {
  [K in keyof D]: D[K] extends { readonly column: string }
    ? D[K]
    : D[K] extends { readonly part: infer Inner }
      ? Stored<Inner>
      : never
}[keyof D]
type ColumnName<D> = Extract<Stored<D>, { readonly column: string }>['column']

/** A resource's columns. */
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

/** What reports say of a resource. */
export type Report<D> = {
  readonly [K in keyof D as ReportKey<D[K], K>]: D[K] extends { readonly part: infer Inner }
    ? Report<Inner>
    : Returned<D[K], 'toReport'>
}

/** What the console's API says of it. */
export type View<D> = {
  [K in keyof D]: D[K] extends { readonly part: infer Inner }
    ? View<Inner>
    : Returned<D[K], 'toView'>
}

type Of = Readonly<Record<string, unknown>>
const part = (value: unknown) => (value ?? {}) as Of

/** Makes an object of what `make` gives for each field, and for each field of a part. */
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

/** Schemas of the file's keys. */
export const fileProperties = <const D>(definition: D): FileProperties<D> =>
  mapFields(
    definition as Definition,
    ({ fileKey, file }, key) => [fileKey ?? key, file],
    ({ file }, key) => [key, file],
  ) as FileProperties<D>

/** Schemas of what the console's API shows. */
export const viewProperties = <const D>(definition: D): ViewProperties<D> =>
  mapFields(
    definition as Definition,
    ({ view }, key) => [key, view],
    ({ part }, key) => [key, Type.Object(viewProperties(part) as Record<string, TSchema>)],
  ) as ViewProperties<D>

/** Schemas of what it takes: all may be left out. */
export const patchProperties = <const D>(definition: D): PatchProperties<D> =>
  mapFields(
    definition as Definition,
    ({ patch }, key) => [key, Type.Optional(patch)],
    ({ part }, key) => [
      key,
      Type.Optional(Type.Object(patchProperties(part) as Record<string, TSchema>)),
    ],
  ) as PatchProperties<D>

/** What holds where nothing is said. */
export const initialValues = <const D>(definition: D): Values<D> =>
  mapFields(
    definition as Definition,
    ({ as, initial }) => [as, initial],
    ({ as, part }) => [as, initialValues(part)],
  ) as Values<D>

/** The values of a checked entry of the file; without those that it leaves as they are. */
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

/** As the file writes them: what is as it would be without it is left out. */
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

/** An entry of the file that says what the console's API, or options, say: null is left out. */
export const toWritten = (definition: Definition, given: object): object =>
  mapFields(
    definition,
    ({ fileKey, toWritten }, key) => {
      const value = (given as Of)[key]
      return value == null ? undefined : [fileKey ?? key, toWritten(value)]
    },
    ({ part: inner }, key) => {
      const written = toWritten(inner, part((given as Of)[key]))
      return Object.keys(written).length === 0 ? undefined : [key, written]
    },
  )

/** The entry of what there is after a change; of parts what is not named stays, too. */
export function changedEntry<const D>(definition: D, present: Values<D>, change: object): object {
  const fields: object = toView(definition, present)
  const parts = Object.entries(definition as Definition).flatMap(([key, field]) =>
    'part' in field ? [[key, { ...part((fields as Of)[key]), ...part((change as Of)[key]) }]] : [],
  )
  return toWritten(definition as Definition, { ...fields, ...change, ...Object.fromEntries(parts) })
}

/** Of the values of a whole entry those that somebody has named, by their keys in the API. */
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

/** The keys of the file for what is named by the keys of the API. */
export const fileKeysOf = (definition: Definition, given: object): readonly string[] =>
  Object.entries(definition).flatMap(([key, field]) => {
    if ((given as Of)[key] === undefined) return []
    return [('fileKey' in field ? field.fileKey : undefined) ?? key]
  })

/** As reports say them. */
export const toReport = <const D>(definition: D, values: Values<D>): Report<D> =>
  mapFields(
    definition as Definition,
    ({ as, suffix = '', toReport }, key) => [key + suffix, toReport((values as Of)[as])],
    ({ as, part: inner }, key) => [key, toReport(inner, part((values as Of)[as]))],
  ) as Report<D>

/** As the console's API shows them. */
export const toView = <const D>(definition: D, values: Values<D>): View<D> =>
  mapFields(
    definition as Definition,
    ({ as, toView }, key) => [key, toView((values as Of)[as])],
    ({ as, part: inner }, key) => [key, toView(inner, part((values as Of)[as]))],
  ) as View<D>

/** A field with the parts that it is in: by its keys, and where its value is. */
export interface Place {
  readonly field: AnyField
  /** Such as `budget.day`. */
  readonly path: string
  readonly fileKey: string
  valueIn(values: object): unknown
}

/** Every single field, those of parts too. */
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

/** An object of values by their paths: `budget.day` is in `budget`. */
export function byPath(values: readonly (readonly [path: string, value: unknown])[]): object {
  const result: { [key: string]: unknown } = {}
  for (const [path, value] of values) {
    const [key = '', ...inner] = path.split('.')
    const isPart = inner.length > 0
    result[key] = isPart ? { ...part(result[key]), ...byPath([[inner.join('.'), value]]) } : value
  }
  return result
}

/** As a plan compares and shows them: by the keys of the file. */
export const planFields = (
  definition: Definition,
  values: object,
): { readonly [field: string]: string } =>
  Object.fromEntries(
    placesOf(definition).flatMap(({ field, fileKey, valueIn }) => {
      const texts = field.text(valueIn(values))
      if (typeof texts === 'string') return [[fileKey, texts]]
      return Object.entries(texts).map(([name, text]) => [`${fileKey}.${name}`, text])
    }),
  )

/** As the audit tells them: by their columns. */
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

/** What has a column of its own, with where its value is. */
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

/** The columns of what is named. */
export const toColumns = <const D>(definition: D, values: SomeValues<D>) =>
  Object.fromEntries(
    storedIn(definition as Definition, values).flatMap(({ column, field, value }) => {
      if (value === undefined) return []
      return [[column, 'part' in field ? JSON.stringify(value) : field.toCell(value)]]
    }),
  ) as Partial<Columns<D>>

/** The values of a row. */
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

/** Its columns, by name; `which`: those alone that are JSON, or 0 or 1. */
export const columnsOf = <const D>(definition: D, which?: 'isJson' | 'isFlag') =>
  storedIn(definition as Definition, {}).flatMap(({ column, field }) =>
    which === undefined || (field as AnyField)[which] ? [column] : [],
  ) as readonly (keyof Columns<D> & string)[]
