import { toJsonText } from '../../canonical/json-text.ts'
import { isJsonObject, words } from '../../json.ts'
import type { JsonObject } from '../../protocol.ts'

/** The conjunction of two schemas (`allOf`); undefined when one schema cannot express it. */
export function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const extra = mergeExtra(a, b)
  if (extra === undefined) return undefined
  const merged: Record<string, unknown> = { ...b, ...a, ...extra }
  for (const [key, under] of Object.entries(b)) {
    const over = a[key]
    if (over === undefined || key === 'additionalProperties') continue
    const merge = merges.get(key)
    if (merge === undefined) continue
    const value = merge(over, under)
    if (value === undefined) return undefined
    merged[key] = value
  }
  return merged
}

type Merge = (a: unknown, b: unknown) => unknown

const largest: Merge = (a, b) =>
  typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : b
const smallest: Merge = (a, b) =>
  typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : b
const either: Merge = (a, b) => a === true || b === true
const both: Merge = (a, b) => (a === b ? a : { allOf: [a, b] })
const equal: Merge = (a, b) => (a === b ? a : undefined)

const all: Merge = (a, b) => [...new Set([...list(a), ...list(b)])]
const lines: Merge = (a, b) => (a === b ? a : `${a}\n${b}`)

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const properties: Merge = (a, b) => {
  if (!isJsonObject(a) || !isJsonObject(b)) return isJsonObject(a) ? a : b
  const shared = Object.keys(b).filter((name) => Object.hasOwn(a, name))
  const joined = shared.map((name): [string, unknown] => [name, both(a[name], b[name])])
  return Object.fromEntries([...Object.entries(a), ...Object.entries(b), ...joined])
}

const types: Merge = (a, b) => {
  const others = Array.isArray(b) ? b : [b]
  const shared = (Array.isArray(a) ? a : [a]).flatMap((type: unknown) => {
    if (others.includes(type)) return [type]
    if (type === 'number' && others.includes('integer')) return ['integer']
    return type === 'integer' && others.includes('number') ? ['integer'] : []
  })
  if (shared.length === 0) return undefined
  return shared.length === 1 ? shared[0] : shared
}

const values: Merge = (a, b) => {
  const known = new Set(list(b).map(toJsonText))
  const shared = list(a).filter((value) => known.has(toJsonText(value)))
  return shared.length === 0 ? undefined : shared
}

/** How a keyword of both schemas merges; all others are annotations: the first one wins. */
const merges = new Map<string, Merge>([
  ['type', types],
  ['enum', values],
  ['properties', properties],
  ['required', all],
  ['items', both],
  ['description', lines],
  ['uniqueItems', either],
  ...merging(largest, 'minimum exclusiveMinimum minLength minItems minProperties'),
  ...merging(smallest, 'maximum exclusiveMaximum maxLength maxItems maxProperties'),
  ...merging(equal, 'const pattern format multipleOf anyOf oneOf prefixItems $ref'),
])

function merging(merge: Merge, keywords: string) {
  return words(keywords).map((key) => [key, merge] as const)
}

/** `additionalProperties` merges only if it forbids no property that the other schema names. */
function mergeExtra(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const [mine, other] = [a.additionalProperties, b.additionalProperties]
  const isOpen = (extra: unknown) => extra === undefined || extra === true
  const names = ({ properties }: JsonObject) =>
    isJsonObject(properties) ? Object.keys(properties) : []
  const covers = (closed: JsonObject, open: JsonObject) => {
    const known = new Set(names(closed))
    return names(open).every((name) => known.has(name))
  }
  if (isOpen(mine) && isOpen(other)) return {}
  if (isOpen(other)) return covers(a, b) ? { additionalProperties: mine } : undefined
  if (isOpen(mine)) return covers(b, a) ? { additionalProperties: other } : undefined
  const areEqual = mine === other && covers(a, b) && covers(b, a)
  return areEqual ? { additionalProperties: mine } : undefined
}
