import type { AnswerEvent, CanonicalResponse, EventOf } from '../canonical/answer.ts'
import { kindOf } from '../canonical/block-order.ts'
import { foldEvents, unfoldResponse } from '../canonical/fold.ts'
import { Brackets } from '../canonical/json-text.ts'
import type { Quirk } from '../canonical/quirks.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import type { Usage } from '../canonical/usage.ts'
import type { ProtocolName } from '../protocol.ts'
import { type FeatureName, wayOf } from './features.ts'

/** A filter for what an answer needs and its upstream lacks; undefined: nothing, as usual. */
export function answerFilter(
  { format, stop }: CanonicalRequest,
  upstream: ProtocolName,
  quirks: ReadonlySet<Quirk>,
): (() => EventFilter) | undefined {
  const isAdapted = (feature: FeatureName) => wayOf(feature, upstream, quirks) === 'adapted'
  if (stop !== undefined && isAdapted('stop')) return () => createStopFilter(stop)
  if (format?.type !== 'json' || !isAdapted('json_mode')) return undefined
  return () => createJsonFilter(format.isAny === true)
}

/** The same for a whole answer. */
export function filterResponse(
  response: CanonicalResponse,
  filter: EventFilter | undefined,
): CanonicalResponse {
  if (filter === undefined) return response
  return foldEvents(unfoldResponse(response).flatMap((event) => filter.push(event)))
}

interface EventFilter {
  push(event: AnswerEvent): readonly AnswerEvent[]
  /** Only the end and the usage of the rest reach the client. */
  readonly isAtStop?: () => boolean
  /** Ends such an answer, whose upstream is no longer read. */
  readonly close?: (usage: Usage | undefined) => readonly AnswerEvent[]
}

interface Answer {
  readonly cutter: JsonCutter
  text: string
  readonly held: { readonly id: string; text: string; isEnded: boolean }[]
  /** It calls tools: its text need not be JSON. */
  isFree: boolean
}

/**
 * Extracts JSON from an answer whose vendor cannot guarantee it: surrounding text is dropped, and a regular end
 * without JSON is an error. Answers that end otherwise, or call tools, stay.
 */
export function createJsonFilter(takesArrays: boolean): EventFilter {
  const answers = new Map<number, Answer>()
  const blocks = new Map<string, { readonly choice: number; isBegun: boolean }>()
  let begins: string | undefined

  const createAnswer = (): Answer => {
    return { cutter: createJsonCutter(takesArrays), text: '', held: [], isFree: false }
  }
  const answerOf = (choice: number) => answers.getOrInsertComputed(choice, createAnswer)

  function addText(event: EventOf<'text-delta'>): readonly AnswerEvent[] {
    const block = blocks.get(event.id)
    if (block === undefined) return [event]
    const answer = answerOf(block.choice)
    if (answer.isFree) return [...begin(event.id), event]
    const text = answer.cutter.push(event.text)
    if (answer.cutter.phase === 'before') hold(answer, event)
    if (text === '') return []
    answer.text += text
    answer.held.length = 0
    return [...begin(event.id), { ...event, text }]
  }

  function hold({ held }: Answer, { id, text }: EventOf<'text-delta'>): void {
    const last = held.at(-1)
    if (last?.id === id) last.text += text
    else held.push({ id, text, isEnded: false })
  }

  function begin(id: string): readonly AnswerEvent[] {
    const block = blocks.get(id)
    if (block === undefined || block.isBegun) return []
    block.isBegun = true
    return [{ type: 'text-start', id, choice: block.choice }]
  }

  function endText(event: EventOf<'text-end'>): readonly AnswerEvent[] {
    const block = blocks.get(event.id)
    if (block === undefined) return [event]
    const { isFree, held } = answerOf(block.choice)
    if (isFree) return [...begin(event.id), event]
    const waiting = held.find(({ id }) => id === event.id)
    if (waiting) waiting.isEnded = true
    // Dropped text shifts the places of citations.
    return block.isBegun ? [{ ...event, citations: undefined }] : []
  }

  function release(choice: number): readonly AnswerEvent[] {
    const answer = answerOf(choice)
    answer.isFree = true
    return answer.held.splice(0).flatMap(({ id, text, isEnded }): readonly AnswerEvent[] => {
      const said: readonly AnswerEvent[] = [...begin(id), { type: 'text-delta', id, text }]
      return isEnded ? [...said, { type: 'text-end', id }] : said
    })
  }

  function finish(event: EventOf<'finish'>): readonly AnswerEvent[] {
    const { choice, reason } = event
    const answer = answerOf(choice)
    if (reason !== 'stop' || answer.isFree) return [...release(choice), event]
    if (answer.cutter.phase === 'after' && isJson(answer.text)) return [event]
    begins ??= answer.text || answer.held.map(({ text }) => text).join('')
    return []
  }

  return {
    push(event) {
      switch (event.type) {
        case 'text-start':
          blocks.set(event.id, { choice: event.choice, isBegun: false })
          return answerOf(event.choice).isFree ? begin(event.id) : []
        case 'text-delta':
          return addText(event)
        case 'text-end':
          return endText(event)
        case 'tool-call-start':
          return [...release(event.choice), event]
        case 'finish':
          return finish(event)
        case 'end':
          return begins === undefined ? [event] : [{ type: 'error', error: noJson(begins) }]
        default:
          return [event]
      }
    },
  }
}

const longestQuote = 80

function noJson(text: string) {
  const quote = text.trim().slice(0, longestQuote)
  const said = quote === '' ? 'It is empty.' : `It begins: ${JSON.stringify(quote)}.`
  const record = 'The answer of the model is not the JSON that was asked for.'
  const message = `${record} ${said} What came is charged. Ask again, ask for a schema, or ask another model.`
  return { status: 502, code: 'upstream_invalid', message, record }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // it only looked like it
  }
}

interface Block {
  readonly type: 'text' | 'reasoning' | 'refusal' | 'tool-call'
  readonly matcher: StopMatcher | undefined
}

/** Ends an answer at a stop sequence for a vendor without them. For answers with one choice. */
export function createStopFilter(sequences: readonly string[]): EventFilter {
  const texts = sequences.filter((text) => text !== '')
  const patterns = texts.map((text) => ({ text, fallbacks: fallbacksOf(text) }))
  const blocks = new Map<string, Block>()
  let stopSequence: string | undefined

  function endAll(): readonly AnswerEvent[] {
    const ends = [...blocks].map(([id, { type }]): AnswerEvent => ({ type: `${type}-end`, id }))
    blocks.clear()
    return ends
  }

  function watch(event: AnswerEvent): readonly AnswerEvent[] {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'refusal-start':
      case 'tool-call-start': {
        const type = kindOf(event.type)
        const matcher = type === 'text' ? createStopMatcher(patterns) : undefined
        blocks.set(event.id, { type, matcher })
        return [event]
      }
      case 'text-delta': {
        const matcher = blocks.get(event.id)?.matcher
        if (matcher === undefined) return [event]
        const { text, found } = matcher.push(event.text)
        // Probabilities belong to the whole piece.
        const said: readonly AnswerEvent[] =
          text === '' ? [] : [text === event.text ? event : { ...event, text, logprobs: undefined }]
        if (found === undefined) return said
        stopSequence = found
        return [...said, ...endAll()]
      }
      case 'text-end':
      case 'reasoning-end':
      case 'refusal-end':
      case 'tool-call-end': {
        const text = blocks.get(event.id)?.matcher?.rest() ?? ''
        blocks.delete(event.id)
        return text === '' ? [event] : [{ type: 'text-delta', id: event.id, text }, event]
      }
      default:
        return [event]
    }
  }

  return {
    push(event) {
      if (stopSequence === undefined) return watch(event)
      if (event.type === 'finish') return [{ ...event, reason: 'stop', stopSequence }]
      return event.type === 'end' || event.type === 'error' ? [event] : []
    },
    isAtStop: () => stopSequence !== undefined,
    close: (usage) => [
      { type: 'finish', choice: 0, reason: 'stop', stopSequence },
      { type: 'end', usage },
    ],
  }
}

type JsonCutter = ReturnType<typeof createJsonCutter>

/** Extracts the first JSON object (or array) from a text in pieces. A brace in prose does not begin one. */
function createJsonCutter(takesArrays: boolean) {
  const begins = takesArrays ? /\{\s*(?:["}]|$)|\[\s*(?:[[{"\]\d-]|$)/ : /\{\s*(?:["}]|$)/
  let phase: 'before' | 'inside' | 'after' = 'before'
  let waiting = ''
  const brackets = new Brackets()

  /** The end of the value: after its last bracket, or all of the text. */
  function follow(text: string): number {
    for (let at = 0; at < text.length; at++) {
      if (brackets.step(text.charCodeAt(at)) !== -1 || brackets.depth > 0) continue
      phase = 'after'
      return at + 1
    }
    return text.length
  }

  return {
    /** The part of this piece, and of the buffered text, that belongs to the value. */
    push(text: string): string {
      if (phase === 'after') return ''
      let rest = text
      if (phase === 'before') {
        const whole = waiting + text
        const start = whole.search(begins)
        // A bracket followed only by spaces may begin it.
        waiting = start < 0 ? '' : whole.slice(start)
        if (start < 0) return ''
        if (waiting.length < longestGap && waiting.slice(1).trim() === '') return ''
        rest = waiting
        waiting = ''
        phase = 'inside'
      }
      return rest.slice(0, follow(rest))
    },
    /** `before`: it has not begun. `after`: it has ended, and the rest is dropped. */
    get phase(): 'before' | 'inside' | 'after' {
      return phase
    },
  }
}

const longestGap = 1_000

type StopMatcher = ReturnType<typeof createStopMatcher>

/** A sequence with its failure function (longest proper border of each prefix). */
interface Pattern {
  readonly text: string
  readonly fallbacks: readonly number[]
}

/** Finds stop sequences in a text in pieces (Knuth, Morris, Pratt): the first complete one ends it. */
function createStopMatcher(patterns: readonly Pattern[]) {
  const matched = patterns.map(() => 0)
  let held = ''

  function step(unit: number): Pattern | undefined {
    let complete: Pattern | undefined
    for (const [index, pattern] of patterns.entries()) {
      let length = matched[index] ?? 0
      while (length > 0 && pattern.text.charCodeAt(length) !== unit) {
        length = pattern.fallbacks[length - 1] ?? 0
      }
      if (pattern.text.charCodeAt(length) === unit) length++
      matched[index] = length
      const isLonger = complete === undefined || pattern.text.length > complete.text.length
      if (length === pattern.text.length && isLonger) complete = pattern
    }
    return complete
  }

  return {
    /** The part of this piece, and of the buffered text, that surely precedes any sequence. */
    push(text: string): { readonly text: string; readonly found?: string } {
      const whole = held + text
      for (let at = held.length; at < whole.length; at++) {
        const complete = step(whole.charCodeAt(at))
        if (complete === undefined) continue
        held = ''
        return { text: whole.slice(0, at + 1 - complete.text.length), found: complete.text }
      }
      const safe = whole.length - Math.max(0, ...matched)
      held = whole.slice(safe)
      return { text: whole.slice(0, safe) }
    },
    rest(): string {
      const text = held
      held = ''
      matched.fill(0)
      return text
    },
  }
}

function fallbacksOf(text: string): readonly number[] {
  const fallbacks = [0]
  let length = 0
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = fallbacks[length - 1] ?? 0
    if (text[at] === text[length]) length++
    fallbacks.push(length)
  }
  return fallbacks
}
