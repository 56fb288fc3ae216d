import type { NativeFeature, NativeUse } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * A message of the vendor's with all of its names in camelCase: its JSON reader takes snake_case as
 * well, and its own documentation writes both. Where both are there camelCase wins. Not for objects
 * whose names are the client's (arguments, properties of a schema, labels).
 */
export function camelNames(message: JsonObject): JsonObject {
  const entries = Object.entries(message)
  if (!entries.some(([name]) => isSnake(name))) return message
  const renamed = entries
    .filter(([name]) => isSnake(name))
    .map(([name, value]) => [camel(name), value])
  return Object.fromEntries([...renamed, ...entries.filter(([name]) => !isSnake(name))])
}

const isSnake = (name: string) => name.indexOf('_', 1) > 0

const camel = (name: string) =>
  name.replace(/(?!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A name as the client wrote it in `message`: in snake_case, if not in camelCase. */
export function written(message: JsonObject, name: string): string {
  if (Object.hasOwn(message, name)) return name
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.hasOwn(message, snake) ? snake : name
}

/** Takes down the use of something that only this protocol has. */
export type Note = (feature: NativeFeature, at: string) => void

/** A note-taker and what it took down. */
export function createNotes(): { readonly note: Note; readonly uses: readonly NativeUse[] } {
  const uses: NativeUse[] = []
  return {
    uses,
    note(feature, at) {
      uses.push({ feature, at })
    },
  }
}

/** Notes each field of a message that has a value and no name in `known`. */
export function noteUnknown(
  message: JsonObject,
  known: ReadonlySet<string>,
  at: string,
  note: Note,
): void {
  for (const [name, value] of Object.entries(message)) {
    const isKnown = known.has(isSnake(name) ? camel(name) : name)
    if (!isKnown && value !== undefined && value !== null) {
      note('unknown_field', at === '' ? name : `${at}.${name}`)
    }
  }
}

/** An array; one value stands for an array of one, as the vendor's JSON reader takes it. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}
