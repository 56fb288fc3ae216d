import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The definitions that a schema refers to, wherever in it they are. */
export interface References {
  /** What a local pointer leads to; undefined for what is elsewhere, or is nothing. */
  resolve(ref: unknown): JsonObject | undefined
  /** The pointer to write instead: into `$defs`, the only place that the vendor looks in. */
  point(ref: string, target: JsonObject): string
  /** The next definition that was pointed to and is not yet written. */
  next(): Definition | undefined
}

interface Definition {
  readonly name: string
  readonly target: JsonObject
  /** It stands within what is written elsewhere, too. */
  readonly isCopy: boolean
}

/** A pointer to one of the definitions of the whole: they stand apart, and none within another. */
const definition = /^#\/(\$defs|definitions)\/[^/]+$/

/** References within `root`. */
export function createReferences(root: JsonObject): References {
  // By what is pointed to: one thing can be pointed to in many ways, and is written once.
  const names = new Map<JsonObject, string>()
  const taken = new Set<string>()
  /** By name, the number that makes the next one of it another name. */
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
    resolve(ref) {
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
    point(ref, target) {
      let name = names.get(target)
      if (name === undefined) {
        name = nameOf(ref)
        names.set(target, name)
        waiting.push({ name, target, isCopy: !definition.test(ref) })
      }
      return `#/$defs/${name}`
    },
    next: () => waiting[at++],
  }
}

/** A step of a JSON pointer in a URI fragment. */
function unescapeStep(step: string): string {
  if (!step.includes('~') && !step.includes('%')) return step
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    // A bare percent sign: many write pointers as they are.
    return plain
  }
}
