import type { UnenforcedKeyword } from '../../canonical/codec.ts'
import type { CanonicalRequest } from '../../canonical/request.ts'
import { isJsonObject, wordSet } from '../../json.ts'
import type { Fault, JsonObject } from '../../protocol.ts'
import { buildSchema } from './build.ts'
import { mergeSchemas } from './merge.ts'
import {
  createReferences,
  createSchemaBudget,
  createWriter,
  type References,
  type SchemaBudget,
} from './references.ts'
import {
  describeAlso,
  describeKeywords,
  describeReference,
  nothingFits,
  withNotes,
} from './words.ts'

/** In place of a keyword: the referenced schema is too large to expand. */
const tooMuch = 'too much'

interface KeywordPlace {
  readonly path: string
  readonly keyword: string
}

/** A schema in the vendor's form, once; `told`: keywords that went into descriptions. Else why it can't be written. */
export function toGeminiSchema(
  schema: JsonObject,
  budget: SchemaBudget = createSchemaBudget(),
): Converted {
  return converted.getOrInsertComputed(schema, () => convertWhole(schema, budget))
}

/** A schema in the vendor's form; one that cannot be converted passes as it is. */
export function adaptedSchema(schema: JsonObject): JsonObject {
  const result = toGeminiSchema(schema)
  return 'schema' in result ? result.schema : schema
}

type Converted =
  | { readonly schema: JsonObject; readonly told: readonly KeywordPlace[] }
  | KeywordPlace

/** Faults are looked for before the request is written. */
const converted = new WeakMap<JsonObject, Converted>()

function convertWhole(schema: JsonObject, budget: SchemaBudget): Converted {
  const refs = createReferences(schema)
  const walk: Walk = { refs, fault: undefined, told: [], budget, write: createWriter(refs, budget) }
  const root = convert(rootOf(schema, walk), undefined, walk, 0)
  const $defs: [string, JsonObject][] = []
  for (let next = walk.refs.next(); next && !walk.fault; next = walk.refs.next()) {
    const { name: which, target, isCopy } = next
    if (isCopy) budget.copy(target)
    $defs.push([which, convert(target, { within: undefined, keyword: '$defs', which }, walk, 0)])
  }
  if (walk.fault) return walk.fault
  const defs = $defs.length === 0 ? {} : { $defs: Object.fromEntries($defs) }
  return { schema: { ...root, ...defs }, told: walk.told }
}

const deepest = 64

interface Walk {
  readonly refs: References
  fault: KeywordPlace | undefined
  readonly told: KeywordPlace[]
  readonly budget: SchemaBudget
  readonly write: (value: unknown) => string
}

interface Place {
  readonly within: Place | undefined
  readonly keyword: string
  readonly which?: string | number | undefined
}

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

const maxListed = 20

function noteUnenforced(walk: Walk, place: Place | undefined, keyword: string): void {
  const { told } = walk
  if (told.length >= maxListed || told.some((known) => known.keyword === keyword)) return
  told.push({ path: pathOf(place), keyword })
}

function worded(schema: JsonObject, place: Place | undefined, walk: Walk): JsonObject {
  const words = describeKeywords(schema, walk.write)
  if (words === undefined) return schema
  for (const keyword of words.keywords) noteUnenforced(walk, place, keyword)
  return words.schema
}

/** Resolves a lone reference at the root: arguments must be an object there. */
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
  if (value === false) {
    noteUnenforced(walk, place, 'false')
    return { description: nothingFits }
  }
  if (!isJsonObject(value)) return {}
  if (depth > deepest) return fail(walk, place, 'nesting')
  const schema = flatten(value, place, walk, 0)
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

/** A schema without `allOf`, and with a reference only if that stands alone. */
function flatten(
  given: JsonObject,
  place: Place | undefined,
  walk: Walk,
  depth: number,
): JsonObject {
  if (depth > deepest) return fail(walk, place, 'nesting')
  if (walk.budget.isSpent()) return fail(walk, place, tooMuch)
  const schema = worded(given, place, walk)
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
  // A lone reference may have remarks.
  const [only] = members
  if (members.length === 1 && isJsonObject(only) && isRemark(kept)) {
    return flatten({ ...only, ...kept }, place, walk, depth + 1)
  }
  let merged: JsonObject = kept
  for (const member of members) {
    if (member === true || walk.fault) continue
    const part = isJsonObject(member) ? flatten(member, place, walk, depth + 1) : undefined
    const whole = part && typeof part.$ref === 'string' ? resolved(part, place, walk, depth) : part
    const next =
      (whole && mergeSchemas(merged, whole)) ?? describeMember(merged, member, place, walk)
    walk.budget.merge(next)
    merged = next
  }
  return merged
}

/** A member that cannot be merged into the rest, in words. */
function describeMember(
  merged: JsonObject,
  member: unknown,
  place: Place | undefined,
  walk: Walk,
): JsonObject {
  walk.budget.copy(member)
  noteUnenforced(walk, place, 'allOf')
  return withNotes(merged, [member === false ? nothingFits : describeAlso(member, walk.write)])
}

function resolved(
  schema: JsonObject,
  place: Place | undefined,
  walk: Walk,
  depth: number,
): JsonObject {
  const { $ref, ...remarks } = schema
  const target = walk.refs.resolve($ref)
  if (target === undefined) return describeExternal(schema, place, walk)
  const { $defs, definitions, ...own } = target
  for (const member of Object.values(own)) walk.budget.copy(member)
  return flatten({ ...own, ...remarks }, place, walk, depth + 1)
}

const remarks = wordSet(`
  title description default examples example deprecated readOnly writeOnly $comment $schema $id
  $anchor $defs definitions
`)

const isRemark = (schema: JsonObject) => Object.keys(schema).every((key) => remarks.has(key))

/** An external schema is mentioned by name only. */
function describeExternal(
  { $ref, title, description }: JsonObject,
  place: Place | undefined,
  walk: Walk,
): JsonObject {
  noteUnenforced(walk, place, '$ref')
  return withNotes({ ...(title !== undefined && { title }), description }, [
    describeReference($ref),
  ])
}

/** A reference stands alone with this vendor: remarks wrap it. */
function convertRef(schema: JsonObject, place: Place | undefined, walk: Walk): JsonObject {
  const { $ref, description } = schema
  const target = walk.refs.resolve($ref)
  if (typeof $ref !== 'string' || target === undefined) return describeExternal(schema, place, walk)
  const ref = { $ref: walk.refs.point($ref, target) }
  return typeof description === 'string' ? { description, anyOf: [ref] } : ref
}

interface RequestSchema extends Pick<UnenforcedKeyword, 'at' | 'isTool' | 'isStrict'> {
  readonly schema: JsonObject
  readonly whose: string
}

function schemasOf({ tools, format }: CanonicalRequest): readonly RequestSchema[] {
  const schemas: RequestSchema[] = []
  for (const { at = 'tools', name, parameters: schema, strict } of tools) {
    const whose = `of the tool ${name}`
    if (schema) schemas.push({ schema, at, whose, isTool: true, isStrict: strict === true })
  }
  if (format?.type === 'schema') {
    const { at = 'the format of the answer', schema, strict } = format
    schemas.push({ schema, at, whose: 'of the answer', isTool: false, isStrict: strict === true })
  }
  return schemas
}

/** The first JSON schema of a tool or response format that cannot be written. */
export function findSchemaFault(request: CanonicalRequest): Fault | undefined {
  const budget = createSchemaBudget()
  for (const { schema, at: param, whose } of schemasOf(request)) {
    const result = toGeminiSchema(schema, budget)
    if ('schema' in result) continue
    const { path, keyword } = result
    const place = path === '' ? 'at its root' : `at ${path}`
    const isTooMuch = keyword === tooMuch
    const why = isTooMuch
      ? `refers to the same definitions, or merges schemas, more often than can be written out (${place}). Write it with fewer of "allOf" and "$ref".`
      : `has too much "${keyword}" ${place} for the protocol gemini, which the channel of this model speaks. Write it with less, or ask for another model.`
    return {
      code: isTooMuch ? 'invalid_value' : 'unsupported_parameter',
      param,
      message: `${param}: the JSON schema ${whose} ${why}`,
    }
  }
  return undefined
}

/** The keywords of a request's schemas that went into descriptions. */
export function findUnenforcedKeywords(request: CanonicalRequest): readonly UnenforcedKeyword[] {
  return schemasOf(request).flatMap(({ schema, at, isTool, isStrict }) => {
    const result = toGeminiSchema(schema)
    return 'schema' in result ? result.told.map((told) => ({ at, isTool, isStrict, ...told })) : []
  })
}
