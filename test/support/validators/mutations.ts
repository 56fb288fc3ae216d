import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

/** Events as the text of a stream, named by their type where the protocol has names. */
export function toSse(events: readonly unknown[], naming: 'named' | 'unnamed'): string {
  return events
    .map((event) => {
      const name = naming === 'named' && isJsonObject(event) ? `event: ${event.type}\n` : ''
      return `${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
    })
    .join('')
}

/** A copy of an event in which the members that are named are others; undefined takes one out. */
export function changed(event: JsonObject, members: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...event }
  for (const [key, member] of Object.entries(members)) {
    const before = result[key]
    if (member === undefined) delete result[key]
    else
      result[key] = isJsonObject(before) && isJsonObject(member) ? changed(before, member) : member
  }
  return result
}

/** A stream's events, with the members of the one at `at` changed. */
export function changeAt(
  events: readonly JsonObject[],
  at: number,
  members: JsonObject,
): readonly JsonObject[] {
  return events.with(at, changed(events[at] ?? {}, members))
}

/**
 * Every stream that differs from a good one by one event: left out, sent twice, or swapped with the
 * next. Names tell the place: `without 3`, `3 twice`, `3 after 4`.
 */
export function singleFaults<E>(events: readonly E[]): ReadonlyMap<string, readonly E[]> {
  const faults = new Map<string, readonly E[]>()
  for (const [at, event] of events.entries()) {
    faults.set(`without ${at}`, events.toSpliced(at, 1))
    faults.set(`${at} twice`, events.toSpliced(at, 0, event))
    const next = events.slice(at + 1, at + 2)
    if (next.length > 0)
      faults.set(`${at} after ${at + 1}`, events.toSpliced(at, 2, ...next, event))
  }
  return faults
}
