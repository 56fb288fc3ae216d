import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { withoutExtras } from '../../../src/protocols/canonical/extras.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { CanonicalRequest, Turn } from '../../../src/protocols/canonical/request.ts'
import {
  countLeadingInstructions,
  type MessageParts,
  toTurns,
} from '../../../src/protocols/canonical/turns.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import { createMessagesObserver } from '../../../src/protocols/messages/observe.ts'
import { recordings } from '../../support/recordings.ts'
import { byteByByte, cutAtRandom, watch } from '../feeding.ts'
import { checkStream } from './check-stream.ts'
import {
  contextOf,
  decodeChunks,
  decodeText,
  encodeEvents,
  essence,
  overTheWire,
} from './codec-support.ts'

const recorded = recordings.filter(({ protocol }) => protocol === 'messages')
const requests = recorded.flatMap(({ id, request }) =>
  isJsonObject(request) ? [{ id, body: request }] : [],
)
const bodies = recorded.flatMap(({ id, body }) => (isJsonObject(body) ? [{ id, body }] : []))
const streams = recorded.flatMap(({ id, sse }) => (sse === undefined ? [] : [{ id, sse }]))

const decodeRequest = (body: unknown) =>
  messagesCodec.decodeRequest(overTheWire(body), { model: 'of the path', stream: false })

/** As this protocol can say it: what only the vendor's own tools left is gone, and so on. */
function expressible({ turns, tools, toolChoice, webSearch, ...rest }: CanonicalRequest): unknown {
  const leading = countLeadingInstructions(turns)
  const said = turns.filter(({ parts }) => parts.length > 0)
  const messages = said.map((turn): MessageParts => {
    const isLate = turns.indexOf(turn) >= leading && turn.role !== 'assistant'
    return isLate ? { role: 'user', parts: turn.parts.map((part) => tagged(turn, part)) } : turn
  })
  // Without a tool of the client's own there is nothing to choose.
  const choice = tools.length === 0 && !webSearch ? undefined : toolChoice
  const search = webSearch && { ...webSearch, places: [], others: [] }
  const turnsSaid = toTurns(messages)
  return essence({ ...rest, tools, webSearch: search, toolChoice: choice, turns: turnsSaid })
}

const tagged = ({ role }: Turn, part: Turn['parts'][number]) =>
  role === 'system' && part.type === 'text'
    ? { ...part, text: `<system>\n${part.text}\n</system>` }
    : part

describe.skipIf(recorded.length === 0)('recorded messages', () => {
  test('every request is equal after decode, encode, decode', () => {
    expect(requests.length).toBeGreaterThan(150)
    for (const { id, body } of requests) {
      const first = decodeRequest(body)
      const encoded = messagesCodec.encodeRequest(first, {
        model: first.model,
        quirks: new Set(),
        defaultMaxOutputTokens: 4096,
      })
      const second = decodeRequest(encoded)
      expect({ id, ...(expressible(second) as object) }).toEqual({
        id,
        ...(expressible(first) as object),
      })
    }
  })

  test('what only the vendor has is named, and nothing else', () => {
    const found = new Map<string, number>()
    for (const { body } of requests) {
      for (const { feature, at } of decodeRequest(body).native) {
        const key = `${feature} ${at.replaceAll(/\[\d+\]/g, '')}`
        found.set(key, (found.get(key) ?? 0) + 1)
      }
    }
    expect([...found.keys()].sort()).toEqual([
      'context_management context_management',
      'deferred_tool tools.defer_loading',
      'hosted_item messages.content',
      'hosted_tool container',
      'hosted_tool mcp_servers',
      'hosted_tool tools',
      'search_history messages.content',
      'tool_search_item messages.content',
      'unknown_field output_config.task_budget',
      'uploaded_file messages.content',
      'uploaded_file messages.content.content',
      'vendor_item messages.content',
      'vendor_tool tools',
    ])
  })

  test('every stream gives the same events however it is cut', () => {
    expect(streams.length).toBeGreaterThan(25)
    for (const [seed, { id, sse }] of streams.entries()) {
      const bytes = new TextEncoder().encode(sse)
      const whole = decodeText(sse)
      checkEvents(id, whole)
      expect(decodeChunks(cutAtRandom(bytes, seed + 1, 700))).toEqual(whole)
      expect(decodeChunks(byteByByte(bytes))).toEqual(whole)
    }
  })

  test('every answer, streamed or not, is equal after decode, encode, decode', () => {
    for (const { id, body } of bodies) {
      const first = messagesCodec.decodeResponse(body, contextOf())
      const context = contextOf({}, first.model)
      const encoded = overTheWire(messagesCodec.encodeResponse(first, context))
      if (first.error !== undefined) {
        expect(encoded).toMatchObject({ type: 'error', error: { message: first.error.message } })
        continue
      }
      const second = messagesCodec.decodeResponse(encoded, context)
      expect({ id, answer: essence(second) }).toEqual({ id, answer: essence(first) })
    }
    for (const { id, sse } of streams) {
      const first = decodeText(sse)
      const answer = foldEvents(first)
      if (answer.error !== undefined) continue
      const written = encodeEvents(first, contextOf({}, answer.model))
      checkStream(written)
      const second = foldEvents(decodeText(written))
      expect({ id, answer: essence(second) }).toEqual({ id, answer: essence(answer) })
    }
  })

  test('usage is what the observer of untouched answers sees', () => {
    for (const { sse } of streams) {
      const observer = createMessagesObserver()
      watch(observer, sse)
      const answer = foldEvents(decodeText(sse))
      if (answer.error === undefined)
        expect(answer.usage).toEqual(withoutExtras(observer.seen.usage))
    }
    for (const { body } of bodies) {
      const observer = createMessagesObserver()
      observer.pushBody(body)
      const { usage } = messagesCodec.decodeResponse(body, contextOf())
      expect(usage).toEqual(withoutExtras(observer.seen.usage))
    }
  })

  test('a message spliced into another is an error, as it is for the vendor’s SDK', () => {
    const spliced = streams.find(({ id }) => id.includes('spliced-message-start'))
    const events = decodeText(spliced?.sse ?? '')
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('error')
  })
})

/** The order that `AnswerEvent` promises. */
function checkEvents(id: string, events: readonly AnswerEvent[]): void {
  const fault = faultOf(events)
  if (fault !== undefined) throw new Error(`${id}: ${fault}`)
}

function faultOf(events: readonly AnswerEvent[]): string | undefined {
  const open = new Map<string, string>()
  const used = new Set<string>()
  if (events[0]?.type !== 'start') return 'no start'
  for (const [at, event] of events.entries()) {
    const [, kind, step] = /^(.*)-(start|delta|end)$/.exec(event.type) ?? []
    if (event.type === 'start' && at > 0) return 'a second start'
    if (event.type === 'error') return at === events.length - 1 ? undefined : 'more after an error'
    if (event.type === 'finish' && open.size > 0) return 'finished with open blocks'
    if (kind === undefined || !('id' in event) || event.id === undefined) continue
    if (step === 'start') {
      if (used.has(event.id)) return `block ${event.id} twice`
      if (kind !== 'tool-call' && open.size > 0) return `${kind} beside another block`
      used.add(event.id)
      open.set(event.id, kind)
    } else if (open.get(event.id) !== kind) return `${event.type} of no open block`
    if (step === 'end') open.delete(event.id)
  }
  return events.at(-1)?.type === 'end' ? undefined : 'no end'
}
