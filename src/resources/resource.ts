import { type TObject, type TOptional, type TSchema, Type } from '@sinclair/typebox'
import type { Flag, Items } from './kinds.ts'
import type { ValueKind } from './values.ts'

// What can be said of a resource by its fields alone: every place where they are read, written or
// shown works on a definition, such as `tokenFields`.

type FieldKind =
  | 'status'
  | 'name'
  | 'reference'
  | 'list'
  | 'switch'
  | 'time'
  | 'usd'
  | 'count'
  | 'word'
  | 'regions'

/** A field, whatever its kind. */
export interface AnyField {
  readonly as: string
  /** Left out for a reference. */
  readonly column?: string
  /** The key of the file, where it is not the field's. */
  readonly fileKey?: string
  /** The end of its name in reports: the unit. */
  readonly suffix?: string
  readonly kind: FieldKind
  readonly help: string
  readonly flag?: Flag
  readonly keeps?: boolean
  readonly title?: string
  readonly restrains?: string
  readonly isListed?: boolean
  readonly none?: string
  readonly yes?: string
  readonly reads?: ValueKind
  readonly items?: Items
  readonly initial: unknown
  readonly file: TSchema
  readonly view: TSchema
  readonly patch: TSchema
  fromFile(written: unknown): unknown
  toFile(value: unknown): unknown
  toCell(value: unknown): unknown
  fromCell(cell: unknown): unknown
  toReport(value: unknown): unknown
  toView(value: unknown): unknown
  text(value: unknown): string
}

interface AnyPart {
  readonly keeps?: boolean
  readonly as: string
  readonly help: string
  readonly part: Definition
  readonly short?: string
  readonly file: TSchema
}

/** Fields by their keys in the console's API; the file's are mostly the same. */
export interface Definition {
  readonly [key: string]: AnyField | AnyPart
}

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
  readonly [K in keyof D as D[K] extends { readonly kind: 'reference' } ? never : As<D[K]>]: Value<
    D[K]
  >
}

type Leaf<D> = {
  [K in keyof D]: D[K] extends { readonly part: infer Inner } ? Leaf<Inner> : D[K]
}[keyof D]
type ColumnName<D> = Extract<Leaf<D>, { readonly column: string }>['column']

/** A resource's columns. */
export type Columns<D> = {
  -readonly [C in ColumnName<D>]: Returned<Extract<Leaf<D>, { readonly column: C }>, 'toCell'>
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
    ({ as, fileKey, initial, kind, toFile }, key) => {
      const value = (values as Of)[as]
      const isUsual = kind !== 'name' && JSON.stringify(value) === JSON.stringify(initial)
      return isUsual ? undefined : [fileKey ?? key, toFile(value)]
    },
    ({ as, part: inner }, key) => {
      const written = toFile(inner, part((values as Of)[as]))
      return Object.keys(written).length === 0 ? undefined : [key, written]
    },
  )

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

/** A field with the parts that it is in: by key, and as the program names them. */
export interface Place {
  readonly field: AnyField
  /** Such as `budget.day`. */
  readonly path: string
  readonly fileKey: string
  valueIn(values: object): unknown
  /** The value in an object that has nothing else. */
  alone(value: unknown): object
}

/** Every single field, those of parts too. */
export const placesOf = (definition: Definition): readonly Place[] =>
  Object.entries(definition).flatMap(([key, field]): readonly Place[] => {
    if (!('part' in field)) {
      const { as } = field
      const valueIn = (values: object) => (values as Of)[as]
      return [
        {
          ...{ field, path: key, fileKey: field.fileKey ?? key, valueIn },
          alone: (value) => ({ [as]: value }),
        },
      ]
    }
    return placesOf(field.part).map((inner) => ({
      field: inner.field,
      path: `${key}.${inner.path}`,
      fileKey: `${key}.${inner.fileKey}`,
      valueIn: (values) => inner.valueIn(part((values as Of)[field.as])),
      alone: (value) => ({ [field.as]: inner.alone(value) }),
    }))
  })

/** Objects of parts as one: `{ budget: { a } }` and `{ budget: { b } }` are `{ budget: { a, b } }`. */
export function merged(all: readonly object[]): object {
  const result: { [name: string]: unknown } = {}
  for (const one of all) {
    for (const [name, value] of Object.entries(one)) {
      const isPart = typeof value === 'object' && value !== null && !Array.isArray(value)
      result[name] = isPart ? { ...part(result[name]), ...value } : value
    }
  }
  return result
}

/** As a plan compares and shows them: by the keys of the file. */
export const planFields = (
  definition: Definition,
  values: object,
): { readonly [field: string]: string } =>
  Object.fromEntries(
    placesOf(definition).map(({ field, fileKey, valueIn }) => [
      fileKey,
      field.text(valueIn(values)),
    ]),
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

/** The columns of what is named. */
export const toColumns = <const D>(definition: D, values: SomeValues<D>) =>
  Object.fromEntries(
    placesOf(definition as Definition).flatMap(({ field, valueIn }) => {
      const value = valueIn(values)
      return field.column === undefined || value === undefined
        ? []
        : [[field.column, field.toCell(value)]]
    }),
  ) as Partial<Columns<D>>

/** The values of a row. */
export const fromColumns = <const D>(definition: D, row: Columns<D>): StoredValues<D> =>
  mapFields(
    definition as Definition,
    ({ as, column, fromCell }) =>
      column === undefined ? undefined : [as, fromCell((row as Of)[column])],
    ({ as, part }) => [as, fromColumns(part, row as Of)],
  ) as StoredValues<D>

/** Its columns, by name. */
export const columnsOf = <const D>(definition: D) =>
  placesOf(definition as Definition).flatMap(
    ({ field }) => field.column ?? [],
  ) as readonly (keyof Columns<D> & string)[]
