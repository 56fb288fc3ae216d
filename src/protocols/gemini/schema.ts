import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { createSchemaBudget, type SchemaBudget } from './schema-budget.ts'
import { buildSchema } from './schema-build.ts'
import { mergeSchemas } from './schema-merge.ts'
import { createReferences, type References } from './schema-refs.ts'

/** In place of a keyword: what a schema refers to is too much to be written out. */
export const tooMuch = 'too much'

/** Where in a schema a keyword is that can't be kept: `properties.x.items`; '' is the whole. */
export interface SchemaFault {
  readonly path: string
  readonly keyword: string
}

/**
 * A JSON schema as the vendor takes it in `parametersJsonSchema` and `responseJsonSchema`. What it
 * has another word for is said so, and what can be told in a description is; the first keyword that
 * can't be kept in either way is the fault. Source: the API's reference of `responseJsonSchema`.
 * `budget` is that of the request; a schema that was converted once costs nothing more.
 */
export function toGeminiSchema(
  schema: JsonObject,
  budget: SchemaBudget = createSchemaBudget(),
): Converted {
  let result = converted.get(schema)
  if (result === undefined) {
    result = convertWhole(schema, budget)
    converted.set(schema, result)
  }
  return result
}

type Converted = { readonly schema: JsonObject } | SchemaFault

/** A request is looked at for what its channel can't take before it is written. */
const converted = new WeakMap<JsonObject, Converted>()

function convertWhole(schema: JsonObject, budget: SchemaBudget): Converted {
  const walk: Walk = { refs: createReferences(schema), fault: undefined, budget }
  const root = convert(rootOf(schema, walk), undefined, walk, 0)
  const $defs: [string, JsonObject][] = []
  for (let next = walk.refs.next(); next && !walk.fault; next = walk.refs.next()) {
    const { name, target, isCopy } = next
    if (isCopy) budget.copy(target)
    $defs.push([
      name,
      convert(target, { within: undefined, keyword: '$defs', which: name }, walk, 0),
    ])
  }
  if (walk.fault) return walk.fault
  const defs = $defs.length === 0 ? {} : { $defs: Object.fromEntries($defs) }
  return { schema: { ...root, ...defs } }
}

/** Schemas within schemas deeper than this no vendor takes. */
const deepest = 64

interface Walk {
  readonly refs: References
  fault: SchemaFault | undefined
  readonly budget: SchemaBudget
}

/** Where a schema stands: in which keyword of which other one, and what of that it is. */
interface Place {
  readonly within: Place | undefined
  readonly keyword: string
  readonly which?: string | number | undefined
}

/** `properties.x.items`: only a fault has to be told where it is. */
function pathOf(place: Place | undefined): string {
  const steps: string[] = []
  for (let at = place; at !== undefined; at = at.within) {
    const { keyword, which } = at
    if (which === undefined) steps.push(keyword)
    else steps.push(typeof which === 'number' ? `${keyword}[${which}]` : `${keyword}.${which}`)
  }
  return steps.reverse().join('.')
}

function fail(walk: Walk, place: Place | undefined, keyword: string): JsonObject {
  walk.fault ??= { path: pathOf(place), keyword }
  return {}
}

/** The schema that a lone reference at the root stands for: arguments must be an object there. */
function rootOf(schema: JsonObject, walk: Walk): JsonObject {
  let root = schema
  for (let hops = 0; hops < 16 && typeof root.$ref === 'string'; hops++) {
    const { $ref, ...rest } = root
    const target = walk.refs.resolve($ref)
    if (target === undefined || !isRemark(rest)) return root
    root = { ...target, ...rest }
  }
  return root
}

function convert(value: unknown, place: Place | undefined, walk: Walk, depth: number): JsonObject {
  if (walk.fault || value === true) return {}
  if (!isJsonObject(value)) return value === false ? fail(walk, place, 'false') : {}
  if (depth > deepest) return fail(walk, place, 'nesting')
  const schema = flatten(value, place, walk, 0)
  const impossible = findImpossible(schema)
  if (impossible !== undefined) return fail(walk, place, impossible)
  if (typeof schema.$ref === 'string') return convertRef(schema, place, walk)
  return buildSchema(schema, (member, keyword, which) =>
    convert(member, { within: place, keyword, which }, walk, depth + 1),
  )
}

const isFlat = ({ $ref, allOf, anyOf, oneOf }: JsonObject) =>
  $ref === undefined &&
  allOf === undefined &&
  (anyOf === undefined || isChoice(anyOf)) &&
  (oneOf === undefined || isChoice(oneOf))

const isChoice = (list: unknown) => Array.isArray(list) && list.length > 1

/** One schema without `allOf`, and with a reference only where it stands alone. */
function flatten(
  schema: JsonObject,
  place: Place | undefined,
  walk: Walk,
  depth: number,
): JsonObject {
  if (depth > deepest) return fail(walk, place, 'nesting')
  if (walk.budget.isSpent()) return fail(walk, place, tooMuch)
  if (isFlat(schema)) return schema
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema
  const members: unknown[] = Array.isArray(allOf) ? [...allOf] : []
  const kept: Record<string, unknown> = { ...rest }
  for (const [key, list] of [['anyOf', anyOf] as const, ['oneOf', oneOf] as const]) {
    if (Array.isArray(list) && list.length === 1) members.push(list[0])
    else if (Array.isArray(list) && list.length > 1) kept[key] = list
  }
  if (typeof $ref === 'string') {
    if (members.length === 0 && isRemark(kept)) return { ...kept, $ref }
    members.push({ $ref })
  }
  // Remarks on a lone reference leave it one.
  const [only] = members
  if (members.length === 1 && isJsonObject(only) && isRemark(kept)) {
    return flatten({ ...only, ...kept }, place, walk, depth + 1)
  }
  let merged: JsonObject = kept
  for (const member of members) {
    if (member === true || walk.fault) continue
    const part = isJsonObject(member) ? flatten(member, place, walk, depth + 1) : undefined
    const whole = part && typeof part.$ref === 'string' ? resolved(part, place, walk, depth) : part
    const next = whole && mergeSchemas(merged, whole)
    if (next === undefined) return fail(walk, place, 'allOf')
    walk.budget.merge(next)
    merged = next
  }
  return merged
}

function resolved(
  schema: JsonObject,
  place: Place | undefined,
  walk: Walk,
  depth: number,
): JsonObject {
  const { $ref, ...remarks } = schema
  const target = walk.refs.resolve($ref)
  if (target === undefined) return fail(walk, place, '$ref')
  const { $defs, definitions, ...own } = target
  for (const member of Object.values(own)) walk.budget.copy(member)
  return flatten({ ...own, ...remarks }, place, walk, depth + 1)
}

/** Keywords that tell nothing of what fits. */
const remarks = new Set([
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly'],
  ...['writeOnly', '$comment', '$schema', '$id', '$anchor', '$defs', 'definitions'],
])

const isRemark = (schema: JsonObject) => Object.keys(schema).every((key) => remarks.has(key))

/** A reference stands alone with this vendor: remarks go around it. */
function convertRef(schema: JsonObject, place: Place | undefined, walk: Walk): JsonObject {
  const { $ref, description } = schema
  const target = walk.refs.resolve($ref)
  if (typeof $ref !== 'string' || target === undefined) return fail(walk, place, '$ref')
  const ref = { $ref: walk.refs.point($ref, target) }
  return typeof description === 'string' ? { description, anyOf: [ref] } : ref
}

const isEmpty = (value: unknown) =>
  value === true || (isJsonObject(value) && Object.keys(value).length === 0)
const isText = (value: unknown) =>
  isJsonObject(value) && value.type === 'string' && Object.keys(value).length === 1

/** The first keyword of a schema that neither the vendor nor words can tell, if it says anything. */
function findImpossible(schema: JsonObject): string | undefined {
  if (schema.if !== undefined && (schema.then !== undefined || schema.else !== undefined))
    return 'if'
  if (schema.anyOf !== undefined && schema.oneOf !== undefined) return 'oneOf'
  // Null among values is told as a choice, and there is room for one.
  const hasChoice = schema.anyOf !== undefined || schema.oneOf !== undefined
  const { enum: values } = schema
  if (Array.isArray(values) && (values.length === 0 || (hasChoice && values.includes(null)))) {
    return 'enum'
  }
  return impossible.find((keyword) => {
    const value = schema[keyword]
    if (value === undefined || (emptySaysNothing.has(keyword) && isEmpty(value))) return false
    return !(keyword === 'propertyNames' && isText(value))
  })
}

const emptySaysNothing = new Set([
  ...['patternProperties', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies'],
])
const impossible = ['not', 'contains', '$dynamicRef', '$recursiveRef', ...emptySaysNothing]
