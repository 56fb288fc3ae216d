import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The definitions that a schema refers to, wherever in it they are. */
export interface References {
  /** What a local pointer leads to; undefined for what is elsewhere, or is nothing. */
  resolve(ref: unknown): JsonObject | undefined
  /** The pointer to write instead: into `$defs`, the only place that the vendor looks in. */
  point(ref: string): string
  /** The next definition that was pointed to and is not yet written. */
  next(): { readonly name: string; readonly ref: string } | undefined
}

/** References within `root`. */
export function createReferences(root: JsonObject): References {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const waiting: { readonly name: string; readonly ref: string }[] = []
  let at = 0

  function nameOf(ref: string): string {
    const last = ref.slice(ref.lastIndexOf('/') + 1)
    const base = last.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 64) || 'schema'
    let name = base
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`
    taken.add(name)
    return name
  }

  return {
    resolve(ref) {
      if (ref === '#') return root
      if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined
      let value: unknown = root
      for (const step of ref.slice(2).split('/')) {
        const key = unescapeStep(step)
        if (Array.isArray(value)) value = value[Number(key)]
        else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
      }
      return isJsonObject(value) ? value : undefined
    },
    point(ref) {
      let name = names.get(ref)
      if (name === undefined) {
        name = nameOf(ref)
        names.set(ref, name)
        waiting.push({ name, ref })
      }
      return `#/$defs/${name}`
    },
    next: () => waiting[at++],
  }
}

/** A step of a JSON pointer in a URI fragment. */
function unescapeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    // A bare percent sign: many write pointers as they are.
    return plain
  }
}
