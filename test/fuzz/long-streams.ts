import { heapStats } from 'bun:jsc'
import { Tap } from '../../src/gateway/relay/tap.ts'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { pushThrough } from '../gateway/push-through.ts'
import { protocols } from '../protocols/translation/pairs.ts'
import { type LongKind, longKinds, longStream } from './long-events.ts'
import { factsFor, othersThan, readRequest, translate } from './scene.ts'

/** What one very long stream came to. */
export interface LongStream {
  readonly protocol: ProtocolName
  readonly client: ProtocolName
  readonly kind: LongKind
  readonly events: number
  /** Of the last tenth to the first one. */
  readonly ratio: number
  /** Kept until its end, for each event. */
  readonly bytesEach: number
  readonly totalMs: number
  readonly faults: readonly string[]
}

/** Of time: the last tenth of the events takes less than so many times the first one. */
const maxRatio = 3

/** Kept for an event of a few letters: the text, and what holds the pieces of it together. */
const maxBytesEach: { readonly [kind in LongKind]: number } = {
  text: 250,
  reasoning: 250,
  arguments: 250,
  calls: 2_500,
}

/** Enough for the compiler to see what is hot. */
const warmUpEvents = 20_000

/** One stream of so many events for each client protocol but its own. */
export function* longStreams(protocol: ProtocolName, events: number): Generator<LongStream> {
  for (const client of othersThan(protocol)) {
    for (const kind of longKinds) {
      play(protocol, client, kind, warmUpEvents)
      let result = measure(protocol, client, kind, events)
      // Others use the machine, too: what is quadratic is so each time.
      for (let again = 0; again < 3 && result.faults.length > 0; again++) {
        result = measure(protocol, client, kind, events)
      }
      yield result
    }
  }
}

const request = (protocol: ProtocolName) =>
  protocol === 'gemini'
    ? { contents: [{ parts: [{ text: 'Hi' }] }] }
    : protocol === 'responses'
      ? { model: 'm', input: 'Hi' }
      : { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }

const chunkEvents = 50

function measure(
  protocol: ProtocolName,
  client: ProtocolName,
  kind: LongKind,
  events: number,
): LongStream {
  const before = heapBytes()
  let bytesEach = 0
  const { tenthsMs, totalMs, faults } = play(protocol, client, kind, events, () => {
    bytesEach = Math.max(0, heapBytes() - before) / events
  })
  const [first = 1] = tenthsMs
  const ratio = (tenthsMs.at(-1) ?? 0) / Math.max(first, 0.1)
  const more = [
    ...(ratio > maxRatio ? [`its last tenth takes ${ratio.toFixed(1)} times the first`] : []),
    ...(bytesEach > maxBytesEach[kind] ? [`keeps ${bytesEach.toFixed(0)} bytes an event`] : []),
  ]
  return { protocol, client, kind, events, ratio, bytesEach, totalMs, faults: [...faults, ...more] }
}

/** Plays a stream of so many events; `beforeEnd` is called when only its end is left. */
export function play(
  protocol: ProtocolName,
  client: ProtocolName,
  kind: LongKind,
  events: number,
  beforeEnd: () => void = () => {},
) {
  const read = readRequest(client, JSON.stringify(request(client)))
  const translation = read && translate(read, protocol, 'm')
  const observer = protocols[protocol].generation.createObserver()
  const tap = new Tap({
    splitter: createSseSplitter(),
    observer,
    hideUsage: false,
    limit: () => Number.POSITIVE_INFINITY,
    translator: translation?.stream(factsFor('sse')),
  })
  const { begin, event, end } = longStream(protocol, kind)
  let written = 0
  const push = (text: string) => {
    written += pushThrough(tap, encoder.encode(text)).byteLength
  }
  const startedAt = performance.now()
  push(begin)
  const tenthsMs: number[] = []
  for (let tenth = 0; tenth < 10; tenth++) {
    const from = performance.now()
    const behind = (events * (tenth + 1)) / 10
    for (let at = (events * tenth) / 10; at < behind; at += chunkEvents) {
      let text = ''
      for (let index = at; index < Math.min(at + chunkEvents, behind); index++) text += event(index)
      push(text)
    }
    tenthsMs.push(performance.now() - from)
  }
  const beforeEndAt = performance.now()
  beforeEnd()
  const pausedMs = performance.now() - beforeEndAt
  push(end)
  written += tap.end().byteLength
  const totalMs = performance.now() - startedAt - pausedMs
  const isOver = observer.seen.outcome !== undefined && observer.seen.phase !== 'open'
  const faults = [
    ...(written < events * 5 ? [`only ${written} bytes were written`] : []),
    ...(isOver ? [] : ['it has no end']),
  ]
  return { tenthsMs, totalMs, faults }
}

const encoder = new TextEncoder()

/** What is alive of JavaScript's heap. */
export function heapBytes(): number {
  Bun.gc(true)
  const { heapSize, extraMemorySize } = heapStats()
  return heapSize + extraMemorySize
}
