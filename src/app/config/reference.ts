import { KindGuard, OptionalKind, type TSchema } from '@sinclair/typebox'
import { parse, stringify } from 'yaml'
import { grouped } from '../../lib/format.ts'
import { accountFields } from '../../resources/account.ts'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { priceFields } from '../../resources/price.ts'
import { tokenFields } from '../../resources/token.ts'
import { complaints, type ValueKind } from '../../resources/values.ts'
import type { ConfigKey, ConfigSection } from '../../site/docs/configuration.ts'
import { wordsOf } from '../../site/schemas.ts'
import { ConfigFile } from './schema.ts'
import { serverFields, settingFields, siteFields } from './setting-fields.ts'
import { createTemplate } from './template.ts'

// Everything is taken from what the program itself goes by: types and sentences from the schema that checks
// the file, defaults from the fields, examples from the file of `tollgate init`.

/** Every key of tollgate.yaml, for the documentation. */
export function configReference(): readonly ConfigSection[] {
  const examples: unknown = parse(withoutRest(createTemplate('sk-…')))
  return Object.entries<TSchema>(ConfigFile.properties).map(([key, schema]) => {
    const example = memberOf(examples, key)
    const place: Place = { path: key, schema, example, fields: definitions[key] }
    return {
      key,
      meaning: schema.description ?? '',
      example: stringify({ [key]: example }, { lineWidth: 90 }).trim(),
      keys: withoutRepeats(
        KindGuard.IsUnion(schema) || 'reads' in schema ? allKeys(place) : innerKeys(place),
      ),
    }
  })
}

const withoutRepeats = (keys: readonly ConfigKey[]) => [
  ...new Map(keys.map((key) => [key.path, key])).values(),
]

/** The template with each setting at rest in force. */
const withoutRest = (template: string) => template.replace(/^(\s*)#(?![ \n])/gm, '$1')

interface Definition {
  readonly fileKey?: string
  readonly initial?: unknown
  readonly part?: Definitions
  toFile?(value: unknown): unknown
  fromFile?(): unknown
}
type Definitions = Readonly<Record<string, Definition>>

/** Where the fields of a map are defined, by its place in the file. */
const definitions: Readonly<Record<string, object>> = {
  server: serverFields,
  site: siteFields,
  settings: settingFields,
  channels: channelFields,
  groups: groupFields,
  prices: priceFields,
  accounts: accountFields,
  'accounts[].tokens': tokenFields,
}

interface Place {
  readonly path: string
  readonly schema: TSchema
  /** What the template has there. */
  readonly example: unknown
  readonly fields?: object | undefined
  readonly field?: Definition | undefined
  /** Whether it is in one of several maps of which one is chosen. */
  readonly isAlternative?: boolean
}

/** The key at a place, then those within its value. */
const allKeys = (place: Place): readonly ConfigKey[] => [
  keyOf(place),
  ...innerKeys({ ...place, isAlternative: false }),
]

function innerKeys(place: Place): readonly ConfigKey[] {
  const { path, schema, example, fields } = place
  if (KindGuard.IsUnion(schema)) {
    const isAlternative = schema.anyOf.filter(isMap).length > 1
    return schema.anyOf.flatMap((one) => innerKeys({ ...place, schema: one, isAlternative }))
  }
  if (KindGuard.IsArray(schema))
    return innerKeys({
      ...{ ...place, path: `${path}[]`, schema: schema.items },
      example: mergedItems(example),
    })
  if (KindGuard.IsRecord(schema)) {
    const inner = Object.values<TSchema>(schema.patternProperties)[0]
    const merged = mergedItems(Object.values(Object(example)))
    return inner ? innerKeys({ path: `${path}.MODEL`, schema: inner, example: merged, fields }) : []
  }
  if (!KindGuard.IsObject(schema)) return []
  return Object.entries<TSchema>(schema.properties).flatMap(([key, inner]) => {
    const field = fieldOf(fields, key)
    const innerPath = `${path}.${key}`
    return allKeys({
      ...{ path: innerPath, schema: inner, example: memberOf(example, key), field },
      ...(place.isAlternative && { isAlternative: true }),
      fields: field?.part ?? definitions[innerPath],
    })
  })
}

/** Members of all items together: one has what another lacks. */
const mergedItems = (items: unknown): unknown =>
  Array.isArray(items)
    ? Object.assign({}, ...items.filter((item) => item instanceof Object))
    : items

function fieldOf(fields: object | undefined, key: string): Definition | undefined {
  const found = Object.entries((fields ?? {}) as Definitions)
  return found.find(([name, { fileKey = name }]) => fileKey === key)?.[1]
}

const memberOf = (value: unknown, key: string): unknown =>
  value instanceof Object ? Reflect.get(value, key) : undefined

function keyOf(place: Place): ConfigKey {
  const { path, schema, isAlternative } = place
  return {
    path,
    type: typeOf(schema),
    format: formatOf(schema),
    words: wordsIn(schema),
    isRequired: !(OptionalKind in schema) && !isAlternative,
    isSecret: Boolean(schema.writeOnly ?? schema.items?.writeOnly),
    usual: usualOf(place),
    meaning: schema.description ?? '',
    example: exampleOf(place),
  }
}

/** A line of YAML; null: none that would be short. */
function exampleOf({ path, schema, example }: Place): string | null {
  const shown = isEmpty(example) ? sampleOf(schema) : example
  if (shown === undefined) return null
  const line = `${path.slice(path.lastIndexOf('.') + 1)}: ${flow(shown)}`
  return line.length > 120 ? null : line
}

/** A value for what the template shows without one. */
function sampleOf(schema: TSchema): unknown {
  if (KindGuard.IsArray(schema)) {
    const item = sampleOf(schema.items)
    return item === undefined ? undefined : [item]
  }
  const named = /such as "?([^",\s]+)/.exec(formatOf(schema) ?? '')?.[1]
  if (named !== undefined) return Number.isNaN(Number(named)) ? named : Number(named)
  if (typeOf(schema).startsWith('integer')) return 60
  return schema.reads === 'name' ? 'gpt-5-mini' : undefined
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (value instanceof Object && Object.values(value).every(isEmpty))

const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()

/** What holds without the key; null: nothing, or what its sentence says. */
function usualOf({ schema, field, example }: Place): string | null {
  if (!(OptionalKind in schema) || field?.part) return null
  if (field === undefined) {
    // Switches at rest in the template show what holds without them.
    const isTold = KindGuard.IsBoolean(schema) || wordsOf(schema) !== undefined
    return isTold && example !== undefined ? String(example) : null
  }
  const usual = field.toFile?.(field.initial ?? field.fromFile?.())
  if (isEmpty(usual)) return null
  if (typeof usual === 'string') return usual
  return usual instanceof Object && !Array.isArray(usual) ? String(example) : flow(usual)
}

const isMap = (schema: TSchema) => KindGuard.IsObject(schema) || KindGuard.IsRecord(schema)

/** The word for what a value is, by the refusal of what is none: `duration`, `list of country`. */
function typeOf(schema: TSchema): string {
  const refusal = refusalOf(schema)
  if (refusal !== undefined)
    return /^is not (?:an?|the) (.*?):/.exec(refusal)?.[1] ?? String(schema.reads)
  if (wordsOf(schema)) return 'word'
  if (KindGuard.IsArray(schema)) return `list of ${typeOf(schema.items)}`
  if (isMap(schema)) return 'map'
  if (!KindGuard.IsUnion(schema)) return String(schema.type)
  return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
}

/** What a value is told that is none of the schema's kind. */
const refusalOf = ({ reads }: TSchema): string | undefined =>
  typeof reads === 'string' ? (complaints[reads as ValueKind](' \0%') ?? '') : undefined

/** How it is written, by the same refusal. */
function formatOf(schema: TSchema): string | null {
  const one = KindGuard.IsArray(schema) ? schema.items : schema
  const kinds = KindGuard.IsUnion(one) && one.reads === undefined ? one.anyOf : [one]
  const refusal = kinds.map(refusalOf).find((text) => text !== undefined)
  if (refusal === undefined) return rangeOf(one)
  return /: write (.*)$/.exec(refusal)?.[1]?.replace(/^(one|it) /, '') ?? null
}

function rangeOf({ minimum, maximum }: TSchema): string | null {
  if (minimum === undefined) return null
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
  return most ? `at least ${grouped(minimum)}` : `from ${grouped(minimum)} to ${grouped(maximum)}`
}

function wordsIn(schema: TSchema): ConfigKey['words'] {
  const inner = KindGuard.IsArray(schema) ? schema.items : schema
  return (wordsOf(inner) ?? []).map(String)
}
