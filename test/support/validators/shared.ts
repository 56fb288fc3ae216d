import { isJsonObject } from '../../../src/protocols/json.ts'
import type { Framing, JsonObject } from '../../../src/protocols/protocol.ts'

/** What a validator must know of the request and its fate. */
export interface StreamOptions {
  /** `error`: the stream broke off, and says so in its protocol's own way. Default `complete`. */
  readonly ending?: 'complete' | 'error'
  /** chat: the client asked for `stream_options.include_usage`. Default false. */
  readonly usage?: boolean
  /** gemini: the array of a stream without `alt=sse`. Default `sse`. */
  readonly framing?: Framing
}

/** Collects violations. `at` names the place that the following ones belong to. */
export interface Report {
  readonly violations: readonly string[]
  at(place: string): void
  /** Adds the words, which tell what is wrong, unless `ok`. */
  need(ok: boolean, words: string): void
  /** The value as an object; reported and undefined when it is none. */
  object(value: unknown, name: string): JsonObject | undefined
  /** The objects of an array; reported when it is none, or holds anything else. */
  objects(value: unknown, name: string): readonly JsonObject[]
}

export function createReport(): Report {
  const violations: string[] = []
  let current = ''
  function need(ok: boolean, words: string): void {
    if (!ok) violations.push(`${current}: ${words}`)
  }
  return {
    violations,
    at(place) {
      current = place
    },
    need,
    object(value, name) {
      if (isJsonObject(value)) return value
      need(false, `${name} is no object`)
      return undefined
    },
    objects(value, name) {
      const list: readonly unknown[] = Array.isArray(value) ? value : []
      const objects = list.filter(isJsonObject)
      const isWhole = Array.isArray(value) && objects.length === list.length
      need(isWhole, `${name} is no array of objects`)
      return objects
    },
  }
}

/** What a JSON text holds; undefined when it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No value of JSON is undefined: the caller can tell.
    return undefined
  }
}

/** Whether a text is JSON of an object, as the arguments of a call are. */
export function holdsObject(text: unknown): boolean {
  return typeof text === 'string' && isJsonObject(parse(text))
}

/** Whether a value is a whole number of at least 0, as counts, indexes and times are. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Whether a value is a string with something in it. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether a value is a string, or null as the vendors write "none". */
export function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

/** Reports members that are no counts. */
export function needCounts(object: JsonObject, fields: readonly string[], report: Report): void {
  for (const field of fields) report.need(isCount(object[field]), `${field} is no count`)
}

/** Reports members that are there, not null, and no counts. */
export function needCountsIfAny(
  object: JsonObject,
  fields: readonly string[],
  report: Report,
): void {
  const present = fields.filter((field) => (object[field] ?? null) !== null)
  needCounts(object, present, report)
}
