import {
  KindGuard,
  type TArray,
  type TLiteral,
  type TObject,
  type TRecord,
  type TSchema,
} from '@sinclair/typebox'
import { isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import { type Fault, faultOfKind } from '../../admin/api-error.ts'
import { suggest } from '../../lib/suggest.ts'
import { complaints, type ValueKind } from '../../resources/values.ts'
import {
  type ConfigDocument,
  type Environment,
  isNothing,
  isReference,
  scalarText,
  substitute,
  unshieldReferences,
} from './document.ts'
import { joinPath, maskKeys, type Position, showValue } from './problem.ts'

/** What is told of a problem beside its sentence: the value, and a machine word. */
interface More {
  readonly shown?: string | undefined
  readonly fault?: Fault | undefined
}

/** Where problems go. `complaint` continues a sentence that begins with the path and the value. */
export type Report = (at: Position, path: string, complaint: string, more?: More) => void

/**
 * Reads a document by `schema`, after references in its texts are replaced. Returns the valid values and their
 * places; reports each invalid one as a problem.
 */
export function walkDocument(
  schema: TObject,
  document: ConfigDocument,
  env: Environment,
  report: Report,
) {
  const places = new Map<string, Position>()
  const walk = { document, env, report, places }
  const value = isNothing(document.root) ? {} : read(walk, schema, document.root, '')
  return { value: value ?? {}, places }
}

interface Walk {
  readonly document: ConfigDocument
  readonly env: Environment
  readonly report: Report
  readonly places: Map<string, Position>
}

function read(walk: Walk, schema: TSchema, given: Node | null, path: string): unknown {
  if (!given) return undefined
  const at = walk.document.positionOf(given)
  walk.places.set(path, at)
  const node = walk.document.follow(given)
  if ('complaint' in node) return void walk.report(at, path, node.complaint)
  const { shape, others } = choose(schema, node)
  if (KindGuard.IsObject(shape) || KindGuard.IsRecord(shape)) {
    if (isMap(node)) return readMap({ walk, shape, others, path, at }, node)
  } else if (KindGuard.IsArray(shape)) {
    if (isSeq(node)) return readList(walk, shape, node.items, path)
  } else if (isScalar(node)) {
    return readLeaf(walk, shape, { at, path, text: scalarText(node) })
  }
  return void walk.report(at, path, `must be ${nameShape(schema)}, not ${nameNode(schema, node)}`)
}

/** The branch of a union that a node is meant to be: by its kind, then by the keys it has. */
function choose(schema: TSchema, node: Node): { shape: TSchema; others: readonly TObject[] } {
  const branches = branchesOf(schema)
  const objects = branches.filter(KindGuard.IsObject)
  const leaf = branches.find((branch) => !KindGuard.IsObject(branch))
  if (branches.length === 1 || objects.length === 0)
    return { shape: branches[0] ?? schema, others: [] }
  if (!isMap(node)) return { shape: leaf ?? objects[0] ?? schema, others: [] }
  const keys = node.items.map((pair) => keyOf(pair))
  const score = (object: TObject) => keys.filter((key) => key in object.properties).length
  const best = objects.toSorted((a, b) => score(b) - score(a))[0] ?? schema
  return { shape: best, others: objects.filter((object) => object !== best) }
}

/** The alternatives of a union of maps, lists and values; words and numbers count as one value. */
function branchesOf(schema: TSchema): TSchema[] {
  if (!KindGuard.IsUnion(schema) || schema.reads !== undefined) return [schema]
  const branches = schema.anyOf.filter((branch) => !KindGuard.IsNull(branch))
  return branches.every(KindGuard.IsLiteral) ? [schema] : branches
}

const keyOf = (pair: Pair): string => (isScalar(pair.key) ? scalarText(pair.key) : String(pair.key))

interface MapReading {
  readonly walk: Walk
  readonly shape: TObject | TRecord
  readonly others: readonly TObject[]
  readonly path: string
  readonly at: Position
}

function readMap(reading: MapReading, map: YAMLMap): unknown {
  const { walk, shape, path, at } = reading
  // Without a prototype, so that a model may be called `__proto__`.
  const result: { [key: string]: unknown } = Object.create(null)
  const seen = new Set<string>()
  for (const pair of map.items) {
    const key = keyOf(pair)
    const keyPath = joinPath(path, key)
    const keyAt = isNode(pair.key) ? walk.document.positionOf(pair.key) : at
    const schema = propertyOf(shape, key)
    if (seen.has(key)) walk.report(keyAt, keyPath, 'stands here a second time: remove one')
    else if (!schema) walk.report(keyAt, keyPath, complainOfKey(reading, key, map))
    else if (!isNothing(pair.value)) {
      const value = read(walk, schema, isNode(pair.value) ? pair.value : null, keyPath)
      if (value !== undefined) result[key] = value
    } else if (KindGuard.IsUnion(schema) && schema.anyOf.some(KindGuard.IsNull)) {
      // Said on purpose: where leaving a key out keeps what is there, null takes it away.
      result[key] = null
    } else if (schema.whenEmpty !== undefined) {
      walk.report(keyAt, keyPath, `is empty: ${schema.whenEmpty}`, { fault: 'missing' })
    } else if (KindGuard.IsRecord(shape) || shape.required?.includes(key)) {
      walk.report(keyAt, keyPath, `is empty, expected is: ${schema.description ?? 'a value'}`, {
        fault: 'missing',
      })
    }
    seen.add(key)
  }
  const isEmpty = (pair: Pair) => isNothing(pair.value) && result[keyOf(pair)] === undefined
  if (shape.minProperties && map.items.every(isEmpty))
    walk.report(at, path, `is empty: name at least one of ${knownKeys(shape).join(', ')}`, {
      fault: 'missing',
    })
  if (KindGuard.IsObject(shape))
    for (const key of shape.required ?? [])
      if (!seen.has(key))
        walk.report(at, joinPath(path, key), `is missing: ${shape.properties[key]?.description}`, {
          fault: 'missing',
        })
  return result
}

function propertyOf(shape: TObject | TRecord, key: string): TSchema | undefined {
  if (KindGuard.IsRecord(shape)) return Object.values(shape.patternProperties)[0]
  return Object.hasOwn(shape.properties, key) ? shape.properties[key] : undefined
}

const knownKeys = (shape: TObject | TRecord) => Object.keys(shape.properties ?? {})

function complainOfKey(reading: MapReading, key: string, map: YAMLMap): string {
  const known = knownKeys(reading.shape)
  if (reading.others.some((other) => Object.hasOwn(other.properties, key))) {
    const beside = map.items.map(keyOf).filter((name) => known.includes(name))
    return `can't stand beside ${beside.join(', ') || 'the others'}: choose one form`
  }
  if (key === '<<') return 'is a merge key, which this file does not have: write the keys out'
  const near = suggest(key, known)
  const hint = near ? `did you mean ${near}?` : `known here are ${known.join(', ')}`
  return `is not a known key: ${hint}`
}

function readList(walk: Walk, shape: TArray, items: readonly unknown[], path: string): unknown {
  const at = walk.places.get(path) ?? { line: 1, column: 1 }
  if (items.length < (shape.minItems ?? 0))
    walk.report(at, path, 'is an empty list: name at least one', { fault: 'missing' })
  return items.map((item, i) => {
    const itemPath = joinPath(path, i)
    if (!isNothing(item)) return read(walk, shape.items, isNode(item) ? item : null, itemPath)
    const itemAt = isNode(item) ? walk.document.positionOf(item) : at
    return void walk.report(itemAt, itemPath, 'is empty: write a value, or remove the line', {
      fault: 'missing',
    })
  })
}

function readLeaf(
  walk: Walk,
  schema: TSchema,
  leaf: { at: Position; path: string; text: string },
): unknown {
  const { at, path, text } = leaf
  const substituted = substitute(text, walk.env)
  if ('complaint' in substituted) return void walk.report(at, path, substituted.complaint)
  const result = complainOfLeaf(schema, substituted.text)
  if ('value' in result) return result.value
  // Shown is the file's text: what a variable holds may be secret wherever it is used.
  const shown = holdsSecret(schema) && !isReference(text) ? undefined : text
  return void walk.report(at, path, result.complaint, { shown, fault: result.fault })
}

/** True for a secret, and for what has one in it: a slip of the pen may have put it anywhere. */
function holdsSecret(schema: TSchema): boolean {
  if (KindGuard.IsObject(schema)) return Object.values(schema.properties).some(holdsSecret)
  if (KindGuard.IsArray(schema)) return holdsSecret(schema.items)
  return schema.writeOnly === true
}

function nameShape(schema: TSchema): string {
  const names = branchesOf(schema).map((branch) => {
    if (KindGuard.IsObject(branch) || KindGuard.IsRecord(branch)) return 'a map ("key: value")'
    return KindGuard.IsArray(branch) ? 'a list ("- value" or [value])' : 'a single value'
  })
  return [...new Set(names)].join(' or ')
}

function nameNode(schema: TSchema, node: Node): string {
  if (isMap(node)) return 'a map'
  if (isSeq(node)) return 'a list'
  if (holdsSecret(schema) || !isScalar(node)) return 'a single value'
  return maskKeys(showValue(unshieldReferences(scalarText(node))))
}

type Leaf =
  | { readonly value: string | number | boolean }
  | { readonly complaint: string; readonly fault?: Fault | undefined }

/** Reads one value from its text, whatever type YAML gives it: `1.0` is a name, `"5"` a number. */
export function complainOfLeaf(schema: TSchema, text: string): Leaf {
  if (isKind(schema.reads)) {
    const complaint = complaints[schema.reads](text)
    if (complaint === undefined) return { value: text }
    const isMissing = text === '' && !schema.isUnfitEmpty
    return { complaint, fault: isMissing ? 'missing' : faultOfKind[schema.reads] }
  }
  if (KindGuard.IsInteger(schema)) return readInteger(schema.minimum, schema.maximum, text)
  if (KindGuard.IsBoolean(schema)) return readWord([true, false], text)
  if (KindGuard.IsLiteral(schema)) return readWord([schema.const], text)
  if (KindGuard.IsUnion(schema)) {
    const words = schema.anyOf.filter(KindGuard.IsLiteral)
    if (words.every(({ title }) => title !== undefined))
      return readTitled(words, text, schema.description)
    return readWord(
      words.map((word) => word.const),
      text,
    )
  }
  throw new Error(`The configuration schema has a value that nothing reads: ${schema.description}`)
}

const isKind = (kind: unknown): kind is ValueKind => typeof kind === 'string' && kind in complaints

function readInteger(least = 0, most = Number.MAX_SAFE_INTEGER, text: string) {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return { value }
  return {
    complaint: `must be a whole number from ${least} to ${most}`,
    fault: text === '' ? ('missing' as const) : ('unfit_whole_number' as const),
  }
}

function readWord<Word extends string | number | boolean>(words: readonly Word[], text: string) {
  const value = words.find((word) => String(word) === text)
  if (value !== undefined) return { value }
  const names = words.map(String)
  const near = suggest(text, names)
  const hint = near ? ` (did you mean ${near}?)` : ''
  return { complaint: `must be ${names.join(' or ')}${hint}`, fault: 'unfit_choice' as const }
}

/** One of the words that have a title each; `all` lists them. */
function readTitled(words: readonly TLiteral[], text: string, all = '') {
  const names = words.map((word) => String(word.const))
  const value = words[names.indexOf(text)]?.const
  if (value !== undefined) return { value }
  const fault = 'unfit_choice' as const
  const near = suggest(text, names)
  if (near === undefined) return { complaint: `is not known; known are ${all}`, fault }
  const { title } = words[names.indexOf(near)] ?? {}
  return { complaint: `is not known: did you mean ${near} (${title})?`, fault }
}
