import { wrappedPrefix } from '../gemini/signature.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { sealPrefix } from './seal.ts'

/** A body without the seals that were in it, and where they were. */
export interface Stripped {
  readonly body: JsonObject
  readonly dropped: readonly string[]
}

/** Deeper than any client nests its parts. */
const deepest = 64

/**
 * Takes out of a body what another vendor's answer left in it, sealed: the vendor that it goes to
 * would refuse it. A part or item that is there for the seal goes whole; a call that carries one
 * (gemini) stays.
 */
export function stripSeals(body: JsonObject): Stripped {
  const dropped: string[] = []
  return { body: stripObject(body, '', dropped, 0), dropped }
}

/** The members in which the protocols have signatures. */
const sealed = ['signature', 'data', 'encrypted_content', 'thoughtSignature', 'thought_signature']

/** How the value of such a member begins, when it is a seal of this gateway. */
export const sealBeginnings = [sealPrefix, wrappedPrefix] as const

const isSeal = (key: string, value: unknown) =>
  sealed.includes(key) &&
  typeof value === 'string' &&
  sealBeginnings.some((beginning) => value.startsWith(beginning))

function stripObject(
  value: JsonObject,
  path: string,
  dropped: string[],
  depth: number,
): JsonObject {
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const at = path === '' ? key : `${path}.${key}`
    if (isSeal(key, member)) {
      dropped.push(at)
      return []
    }
    return [[key, stripValue(member, at, dropped, depth + 1)]]
  })
  return Object.fromEntries(entries)
}

function stripValue(value: unknown, path: string, dropped: string[], depth: number): unknown {
  if (depth > deepest) return value
  if (isJsonObject(value)) return stripObject(value, path, dropped, depth)
  if (!Array.isArray(value)) return value
  return value.flatMap((item, index) => {
    const at = `${path}[${index}]`
    if (!isJsonObject(item) || !isCarrier(item)) return [stripValue(item, at, dropped, depth + 1)]
    dropped.push(at)
    return []
  })
}

/** A block, item or detail of reasoning; a gemini part of thought, or one with nothing else in it. */
function isCarrier(item: JsonObject): boolean {
  if (!sealed.some((key) => isSeal(key, item[key]))) return false
  if (typeof item.type === 'string') return carrierTypes.has(item.type)
  return item.thought === true || item.text === ''
}

const carrierTypes = new Set(['thinking', 'redacted_thinking', 'reasoning', 'reasoning.encrypted'])
