import type { JsonObject } from '../protocol.ts'

/** A part on its way to the client. */
export interface PendingPart {
  readonly part: JsonObject
  /** What its candidate has beside it. */
  readonly more: JsonObject
}

/**
 * Keeps the last part of each answer back, so that it can stand in the chunk with the finish reason, as
 * the vendor's does: some of its SDKs take an answer whose last chunk has no part, or an empty text, for a
 * broken one and forget the turn. Of a text that is its last character.
 */
export interface LastParts {
  /** Adds a part; what can be sent by now. */
  add(choice: number, next: PendingPart): readonly PendingPart[]
  /** The last part of an answer, if it has one. */
  take(choice: number): PendingPart | undefined
  /** The last parts of all answers. */
  takeAll(): readonly (readonly [choice: number, pending: PendingPart])[]
}

/** Nothing is kept back. */
export function createLastParts(): LastParts {
  const held = new Map<number, PendingPart>()

  return {
    add(choice, next) {
      const before = held.get(choice)
      const joint = before && join(before, next)
      const [ready, last] = split(joint ?? next)
      held.set(choice, last)
      return [...(before && !joint ? [before] : []), ...(ready ? [ready] : [])]
    },
    take(choice) {
      const last = held.get(choice)
      held.delete(choice)
      return last
    },
    takeAll() {
      const all = [...held]
      held.clear()
      return all
    },
  }
}

/** Two pieces of one text; undefined for parts that are none. */
function join({ part: a, more }: PendingPart, { part: b, more: extra }: PendingPart) {
  const areText = typeof a.text === 'string' && typeof b.text === 'string'
  const isBare = Object.keys(more).length === 0 && a.thoughtSignature === undefined
  return areText && isBare ? { part: { ...b, text: `${a.text}${b.text}` }, more: extra } : undefined
}

/** What of a part can go, and what is kept. */
function split(pending: PendingPart): readonly [PendingPart | undefined, PendingPart] {
  const { part, more } = pending
  const { text } = part
  if (typeof text !== 'string') return [undefined, pending]
  const length = isLowSurrogate(text.charCodeAt(text.length - 1)) ? 2 : 1
  if (text.length <= length) return [undefined, pending]
  const ready = { part: { ...part, text: text.slice(0, -length) }, more }
  return [ready, { part: { ...part, text: text.slice(-length) }, more: {} }]
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
