import { createCounts, noteObserved, noteUsage, type UsageReports } from './canonical/extras.ts'
import {
  addText,
  complete,
  createObservation,
  fail,
  isFinal,
  noteForeign,
  ToolTally,
} from './canonical/observation.ts'
import { isJsonObject, parseJsonObject } from './json.ts'
import type { AnswerObserver, JsonObject } from './protocol.ts'

const notAnObject = 'The upstream answered with something else than a JSON object.'

/** What a protocol reports about an event; most pass. */
export type EventRole = 'usage-only' | undefined

/** Observes one answer that passes through unchanged. Frames after its regular end do not count. */
export abstract class Observer implements AnswerObserver {
  readonly seen = createObservation()
  protected readonly tally = new ToolTally(this.seen)
  readonly #reports: UsageReports
  readonly #counts = createCounts()
  #repeated: RepeatedEvents | undefined

  constructor(reports: UsageReports) {
    this.#reports = reports
  }

  /** Every answer of the protocol has at least one of these. */
  protected abstract readonly fields: readonly string[]
  /** The text of an event that contains nothing else worth noting when repeated; absent: parse all. */
  protected readonly textOf?: (event: JsonObject) => string | undefined
  /** Reads an event of a stream; by default like a whole body. */
  protected readEvent(event: JsonObject, _name: string): EventRole {
    this.readBody(event)
    return undefined
  }
  protected readOther?(data: string, name: string): void
  /** Reads a whole body; an error in it is noted by `fail`. */
  protected abstract readBody(body: JsonObject): void

  push(data: string, name: string, json?: JsonObject): 'pass' | 'usage-only' {
    const { seen } = this
    if (isFinal(seen)) return 'pass'
    const text = json === undefined ? this.#repeated?.textOf(data) : undefined
    if (text !== undefined) {
      addText(seen.text, text)
      return 'pass'
    }
    const event = json ?? parseJsonObject(data)
    if (event === undefined) {
      this.readOther?.(data, name)
      return 'pass'
    }
    if (json === undefined && this.textOf !== undefined) {
      this.#repeated ??= new RepeatedEvents(this.textOf)
      this.#repeated.learn(data, event)
    }
    return this.readEvent(event, name) ?? 'pass'
  }

  pushBody(body: unknown): void {
    const { seen } = this
    if (isJsonObject(body)) this.readBody(body)
    else fail(seen, notAnObject)
    if (seen.phase === 'closed' || !isJsonObject(body)) return
    noteForeign(seen, body, this.fields)
    complete(seen)
  }

  /** An `error` ends the answer, also beside choices (OpenRouter). */
  protected noteFailure({ error }: JsonObject): boolean {
    if (error === undefined || error === null || error === false) return false
    fail(this.seen, isJsonObject(error) ? error.message : error)
    return true
  }

  protected noteUsage(report: unknown): void {
    noteUsage(this.seen, this.#counts, report, this.#reports)
  }

  /** Counts an observation that came after its report. */
  protected noteObserved(): void {
    noteObserved(this.seen, this.#counts, this.#reports)
  }
}

/** Observes an answer that uses nothing, such as a token count: it only notes the arrival. */
export function createPlainObserver(): AnswerObserver {
  const seen = createObservation()
  return {
    seen,
    push: () => 'pass',
    pushBody: (body) => (isJsonObject(body) ? complete(seen) : fail(seen, notAnObject)),
  }
}

const patience = 3

/**
 * Extracts the text of an event that otherwise equals an earlier one, without parsing it. Exact: if doubling the
 * text in the bytes doubles it in the result of `read`, nothing around it depends on it.
 */
export class RepeatedEvents {
  readonly #read: (event: JsonObject) => string | undefined
  #head = ''
  #tail = ''
  #trust = patience

  constructor(read: (event: JsonObject) => string | undefined) {
    this.#read = read
  }

  /** The text of an event that otherwise equals the learnt one; undefined: parse it. */
  textOf(data: string): string | undefined {
    const head = this.#head
    const tail = this.#tail
    const end = data.length - tail.length
    if (head === '' || end < head.length) return undefined
    if (!data.startsWith(head) || !data.endsWith(tail)) return undefined
    const text = data.slice(head.length, end)
    if (!isPlain(text)) return undefined
    this.#trust = patience
    return text
  }

  learn(data: string, event: JsonObject): void {
    const text = this.#trust > 0 ? this.#read(event) : undefined
    if (text === undefined || text === '' || !isPlain(text)) return
    this.#trust--
    const start = data.indexOf(`"${text}"`) + 1
    const before = data.slice(0, start)
    const after = data.slice(start + text.length)
    const doubled = parseJsonObject(before + text + text + after)
    if (doubled === undefined || this.#read(doubled) !== text + text) return
    this.#head = copy(before)
    this.#tail = copy(after)
  }
}

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

/** A substring would keep the whole text in memory. */
const copy = (text: string): string => decoder.decode(encoder.encode(text))
