import { isJsonObject } from '../../src/protocols/json.ts'
import { type JsonObject, type ProtocolName, protocolNames } from '../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import { recordedRequests } from '../protocols/translation/pairs.ts'
import { recordings } from '../support/recordings.ts'
import type { Dice } from './dice.ts'
import { smallAnswers } from './made-answers.ts'
import { smallRequests } from './made-requests.ts'
import { smallStreams } from './made-streams.ts'
import { kindNames, type Material } from './mutate.ts'

/** A frame of a stream, as a value. */
export interface FrameCase {
  readonly event: string
  readonly data: string
}

/** What a protocol's clients and vendors have sent; with what was made by hand, should that be all. */
export interface Corpus {
  /** Bodies as JSON. */
  readonly requests: Shelf<string>
  readonly answers: Shelf<string>
  readonly streams: Shelf<readonly FrameCase[]>
}

/** Things by size: the small ones are what most cases are made of. */
export interface Shelf<Item> {
  pick(dice: Dice): Item
}

function createShelf<Item>(items: readonly Item[], isSmall: (item: Item) => boolean): Shelf<Item> {
  const small = items.filter(isSmall)
  return { pick: (dice) => dice.pick(dice.once(150) ? items : small) }
}

const smallText = (text: string) => text.length < 6_000

function cutFrames(sse: string): readonly FrameCase[] {
  const splitter = createSseSplitter()
  const { frames } = splitter.push(new TextEncoder().encode(sse))
  return [...frames, ...splitter.end().frames].map(({ event, data }) => ({ event, data }))
}

function corpusOf(protocol: ProtocolName): Corpus {
  const recorded = recordings.filter((recording) => recording.protocol === protocol)
  const requests = recordedRequests.filter(({ client }) => client === protocol)
  const answers = recorded.map(({ body }) => body).filter(isJsonObject)
  const streams = recorded.flatMap(({ sse }) => (sse === undefined ? [] : [cutFrames(sse)]))
  const all = {
    requests: [...smallRequests[protocol], ...requests.map(({ body }) => body)],
    answers: [...smallAnswers[protocol], ...answers],
    streams: [...smallStreams[protocol].map(framesOf), ...streams],
  }
  return {
    requests: createShelf(all.requests.map(asText), smallText),
    answers: createShelf(all.answers.map(asText), smallText),
    streams: createShelf(all.streams, (frames) => frames.length <= 60),
  }
}

const asText = (value: unknown) => JSON.stringify(value)

const framesOf = (events: readonly unknown[]) =>
  events.map((event): FrameCase => {
    const { type } = isJsonObject(event) ? event : {}
    const data = typeof event === 'string' ? event : JSON.stringify(event)
    return { event: typeof type === 'string' ? type : '', data }
  })

/** By protocol. */
export const corpora: { readonly [name in ProtocolName]: Corpus } = {
  chat: corpusOf('chat'),
  responses: corpusOf('responses'),
  messages: corpusOf('messages'),
  gemini: corpusOf('gemini'),
}

/** Parts, names and words of all protocols' requests, answers and events. */
export const material: Material = collectMaterial([
  ...protocolNames.flatMap((name) => [
    ...smallRequests[name],
    ...smallAnswers[name],
    ...smallStreams[name].flat().filter(isJsonObject),
  ]),
  ...recordedRequests.map(({ body }) => body).filter((_, at) => at % 5 === 0),
])

function collectMaterial(values: readonly JsonObject[]): Material {
  const parts = new Set<string>()
  const names = new Set<string>()
  const words = new Set<string>()
  const collect = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const text = JSON.stringify(value)
    if (text.length > 20 && text.length < 1_500) parts.add(text)
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name)
      if (kindNames.has(name) && typeof member === 'string') words.add(member)
      collect(member)
    }
  }
  for (const value of values) collect(value)
  return { parts: [...parts], names: [...names], words: [...words, 'x', ''] }
}
