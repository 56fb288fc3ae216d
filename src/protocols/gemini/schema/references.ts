import { isJsonObject, membersOf } from '../../json.ts'
import type { JsonObject } from '../../protocol.ts'
import { asJson, type Write } from './words.ts'

/** The definitions that a schema refers to. */
export type References = ReturnType<typeof createReferences>

interface Definition {
  readonly name: string
  readonly target: JsonObject
  readonly isCopy: boolean
}

/** A pointer to a top-level definition; these are never nested. */
const definition = /^#\/(\$defs|definitions)\/[^/]+$/

/** Resolves references within `root`. */
export function createReferences(root: JsonObject) {
  const names = new Map<JsonObject, string>()
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  const waiting: Definition[] = []
  let at = 0

  function nameOf(ref: string): string {
    const last = ref.slice(ref.lastIndexOf('/') + 1)
    const base = last.slice(0, 64).replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
    let name = base
    let count = counts.get(base) ?? 2
    while (taken.has(name)) name = `${base}_${count++}`
    counts.set(base, count)
    taken.add(name)
    return name
  }

  return {
    /** The target of a local pointer; undefined for an external or dangling one. */
    resolve(ref: unknown): JsonObject | undefined {
      if (ref === '#') return root
      if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined
      let value: unknown = root
      for (let from = 2; from <= ref.length && value !== undefined; ) {
        const slash = ref.indexOf('/', from)
        const end = slash < 0 ? ref.length : slash
        const key = unescapeStep(ref.slice(from, end))
        from = end + 1
        if (Array.isArray(value)) value = value[Number(key)]
        else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
      }
      return isJsonObject(value) ? value : undefined
    },
    /** The pointer to write: into `$defs`, the only place that the vendor supports. */
    point(ref: string, target: JsonObject): string {
      let name = names.get(target)
      if (name === undefined) {
        name = nameOf(ref)
        names.set(target, name)
        waiting.push({ name, target, isCopy: !definition.test(ref) })
      }
      return `#/$defs/${name}`
    },
    next: (): Definition | undefined => waiting[at++],
  }
}

function unescapeStep(step: string): string {
  if (!step.includes('~') && !step.includes('%')) return step
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    // A bare percent sign: many write unescaped pointers.
    return plain
  }
}

/** Characters of definitions that a request's schemas may repeat, at most. */
const mostCopied = 1_000_000
/** Members that may be visited again for merging, at most. */
const mostMerged = 50_000

export type SchemaBudget = ReturnType<typeof createSchemaBudget>

/** Limits the work for one request's schemas: sizes count in advance, since references can repeat. */
export function createSchemaBudget() {
  const sizes = new Map<object, number>()
  let copied = 0
  let merged = 0

  function sizeOf(value: unknown, depth: number): number {
    if (typeof value === 'string') return value.length + 3
    if (typeof value !== 'object' || value === null || depth > deepest) return 6
    let size = sizes.get(value)
    if (size !== undefined) return size
    size = 2
    for (const member of membersOf(value)) size += sizeOf(member, depth + 1)
    if (!Array.isArray(value)) for (const name in value) size += name.length + 4
    sizes.set(value, size)
    return size
  }

  return {
    copy(value: unknown): void {
      copied += sizeOf(value, 0)
      merged++
    },
    merge(schema: JsonObject): void {
      merged += countMembers(schema)
    },
    isSpent: () => copied > mostCopied || merged > mostMerged,
  }
}

const deepest = 512

function countMembers(schema: JsonObject): number {
  const values = Object.values(schema)
  return values.reduce<number>((sum, value) => sum + lengthOf(value), values.length)
}

const lengthOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? membersOf(value).length : 1

/** Nested expansions of definitions, at most. */
const mostOpen = 8

/** Writes schemas for a description, expanding definitions within the budget. */
export function createWriter({ resolve }: References, budget: SchemaBudget): Write {
  const open = new Set<JsonObject>()

  function whole(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(whole)
    if (!isJsonObject(value)) return value
    const { $ref, ...rest } = value
    const target = $ref === undefined || open.size >= mostOpen ? undefined : resolve($ref)
    if (target === undefined || open.has(target) || budget.isSpent()) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, whole(item)]))
    }
    const { $defs, definitions, ...own } = target
    budget.copy(own)
    open.add(target)
    const written = whole({ ...own, ...rest })
    open.delete(target)
    return written
  }

  return (value) => {
    const text = asJson(value)
    return text.includes('"$ref"') ? asJson(whole(value)) : text
  }
}
