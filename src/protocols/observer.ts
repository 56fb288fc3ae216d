import {
  addText,
  complete,
  createObservation,
  fail,
  isOver,
  noteForeign,
  type Observation,
} from './canonical/observation.ts'
import { isJsonObject, parseJsonObject } from './json.ts'
import type { AnswerObserver, JsonObject } from './protocol.ts'

/** What an observer notes when an unstreamed answer is no JSON object. */
export const notAnObject = 'The upstream answered with something else than a JSON object.'

/** How a protocol reads the answers that pass through untouched. What it learns it notes in `seen`. */
interface AnswerReaders {
  readonly seen: Observation
  /** Reads an event of a stream. */
  event(event: JsonObject, name: string): 'usage-only' | undefined
  /** The text of an event of which nothing else would be noted when it came again; absent: parse all. */
  textOf?(event: JsonObject): string | undefined
  /** Reads the data of a frame that is no JSON object. */
  other?(data: string, name: string): void
  /** Reads a whole body. An error in it is noted by `fail`. */
  body(body: JsonObject): void
  /** Every answer of the protocol has one of these. */
  readonly fields: readonly string[]
}

/** An observer of answers whose regular end counts: nothing behind it does. */
export function createObserver(readers: AnswerReaders): AnswerObserver {
  const { seen, textOf } = readers
  const repeated = textOf && createRepeatedEvents(textOf)
  return {
    seen,
    push(data, name, json) {
      if (isOver(seen)) return 'pass'
      const text = json === undefined ? repeated?.textOf(data) : undefined
      if (text !== undefined) {
        addText(seen.text, text)
        return 'pass'
      }
      const event = json ?? parseJsonObject(data)
      if (event === undefined) {
        readers.other?.(data, name)
        return 'pass'
      }
      if (json === undefined) repeated?.learn(data, event)
      return readers.event(event, name) ?? 'pass'
    },
    pushBody(body) {
      if (!isJsonObject(body)) return fail(seen, notAnObject)
      readers.body(body)
      if (seen.phase === 'closed') return
      noteForeign(seen, body, readers.fields)
      complete(seen)
    },
  }
}

/** Watches an answer that uses nothing up: a count of tokens. It only tells that it has come. */
export function createPlainObserver(): AnswerObserver {
  const seen = createObservation()
  return {
    seen,
    push: () => 'pass',
    pushBody: (body) => (isJsonObject(body) ? complete(seen) : fail(seen, notAnObject)),
  }
}

/** Most events of a stream are the one before with another piece of text. */
interface RepeatedEvents {
  /** The text of an event that differs from the learnt one in nothing else; undefined: parse it. */
  textOf(data: string): string | undefined
  /** Learns from an event that had to be parsed. */
  learn(data: string, event: JsonObject): void
}

/** A stream whose events do not repeat, this many times in a row, is only parsed. */
const patience = 3

/**
 * Reads pieces of text without parsing the events around them: parsing costs more than all else that
 * an observer does. It is exact. `read` gives an event's text where nothing else of the event is news
 * when it comes again, by its parsed value alone. When that text is doubled in the bytes, and `read`
 * then gives it doubled, it is the whole of a JSON string there: any other text that needs no escapes
 * has no influence on what is around it.
 */
export function createRepeatedEvents(
  read: (event: JsonObject) => string | undefined,
): RepeatedEvents {
  let head = ''
  let tail = ''
  let trust = patience

  return {
    textOf(data) {
      const end = data.length - tail.length
      if (head === '' || end < head.length) return undefined
      if (!data.startsWith(head) || !data.endsWith(tail)) return undefined
      const text = data.slice(head.length, end)
      if (!isPlain(text)) return undefined
      trust = patience
      return text
    },
    learn(data, event) {
      const text = trust > 0 ? read(event) : undefined
      if (text === undefined || text === '' || !isPlain(text)) return
      trust--
      const start = data.indexOf(`"${text}"`) + 1
      const before = data.slice(0, start)
      const after = data.slice(start + text.length)
      const doubled = parseJsonObject(before + text + text + after)
      if (doubled === undefined || read(doubled) !== text + text) return
      head = copy(before)
      tail = copy(after)
    },
  }
}

/** Whether a text stands in JSON as it is. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || unit === quote || unit === backslash) return false
  }
  return true
}

const quote = 0x22
const backslash = 0x5c
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A part of a text keeps the whole in memory; this does not. */
const copy = (text: string): string => decoder.decode(encoder.encode(text))
