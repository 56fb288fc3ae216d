import { describe, expect, test } from 'bun:test'
import { withoutExtras } from '../../../src/protocols/canonical/extras.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { CanonicalRequest, Part, Tool } from '../../../src/protocols/canonical/request.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { createGeminiObserver } from '../../../src/protocols/gemini/observe.ts'
import { toGeminiSchema } from '../../../src/protocols/gemini/schema/to-gemini.ts'
import { unwrapSignature } from '../../../src/protocols/gemini/thinking.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { recordings } from '../../support/recordings.ts'
import { byteByByte, cutAtRandom, split } from '../feeding.ts'
import { context, eventsOf, options, parsed, plain } from './codec-support.ts'
import { checkCandidate, readStrictly } from './strict-stream.ts'

const all = recordings.filter(({ protocol }) => protocol === 'gemini')
const requests = all.filter(({ request }) => request !== undefined)
const bodies = all.filter(({ body }) => body !== undefined)
const streams = all.flatMap(({ id, sse }) => (sse === undefined ? [] : [{ id, sse }]))

const objectOf = (value: unknown): JsonObject => {
  if (!isJsonObject(value)) throw new Error('no object')
  return value
}

describe.skipIf(all.length === 0)('recorded requests', () => {
  const nameOf = (path: string | undefined) => /models\/([^:]+)/.exec(path ?? '')?.[1] ?? 'm'

  /** What encoding is known to leave behind: reasoning of others, and a choice without tools. */
  const carried = (request: CanonicalRequest) => {
    const turns = request.turns.map(({ role, parts }) => ({
      role,
      parts: parts.filter((part) => part.type !== 'reasoning' || part.signature !== undefined),
    }))
    const toolChoice = request.tools.length === 0 ? undefined : request.toolChoice
    const tools = request.tools.map(
      (tool): Tool => ({ ...tool, parameters: tool.parameters && adapted(tool.parameters) }),
    )
    const { format } = request
    const schema = format?.type === 'schema' ? { schema: adapted(format.schema) } : {}
    const left = format && { ...format, ...schema }
    return plain({ ...request, turns, tools, toolChoice, format: left, native: [] })
  }
  const adapted = (schema: JsonObject) => {
    const result = toGeminiSchema(schema)
    return 'schema' in result ? result.schema : schema
  }

  test.each(requests)('$id: decoded, encoded and decoded again it is the same', (recording) => {
    const { request, stream } = recording
    const target = { model: nameOf(recording.path), stream }
    const decoded = gemini.codec.decodeRequest(objectOf(request), target)
    const encoded = parsed(gemini.codec.encodeRequest(decoded, { ...options, model: target.model }))
    expect(Object.keys(encoded).at(-1)).toBe('contents')
    expect(carried(gemini.codec.decodeRequest(encoded, target))).toEqual(carried(decoded))
  })

  test('T9 T15: nothing of them is dropped without being noted', () => {
    const counts = new Map<string, number>()
    const count = (what: string, by = 1) => counts.set(what, (counts.get(what) ?? 0) + by)
    for (const { request } of requests) {
      const body = objectOf(request)
      const { turns, native } = gemini.codec.decodeRequest(body, { model: 'm', stream: false })
      const parts = turns.flatMap((turn) => turn.parts)
      for (const part of parts) count(part.type)
      for (const { feature } of native) count(feature)
      const wire = JSON.stringify(body)
      const calls = wire.match(/"function_?[cC]all"/g)?.length ?? 0
      const media = wire.match(/"(inline|file)_?[dD]ata"/g)?.length ?? 0
      const isMedia = ({ type }: Part) => /image|document|audio|video/.test(type)
      const results = parts.flatMap((part) => (part.type === 'tool-result' ? part.parts : []))
      const files = native.filter(({ feature }) => feature === 'uploaded_file').length
      expect(parts.filter(({ type }) => type === 'tool-call')).toHaveLength(calls)
      expect([...parts, ...results].filter(isMedia).length + files).toBe(media)
    }
    expect(Object.fromEntries(counts)).toMatchObject({ 'tool-call': 147, 'tool-result': 147 })
    expect(counts.has('unknown_part')).toBe(false)
  })

  test('no schema of a recorded request is more than the vendor can take', () => {
    for (const { request } of requests) {
      const decoded = gemini.codec.decodeRequest(objectOf(request), { model: 'm', stream: false })
      expect(gemini.codec.findFault?.(decoded)).toBeUndefined()
    }
  })
})

describe.skipIf(all.length === 0)('recorded answers', () => {
  test.each(bodies)('$id: a whole one is what the observer sees', ({ body, status }) => {
    const response = gemini.codec.decodeResponse(objectOf(body), context())
    const observer = createGeminiObserver()
    observer.pushBody(body)
    expect(response.usage).toEqual(withoutExtras(observer.seen.usage))
    if (status >= 400) {
      expect(response.error).toMatchObject({ status, message: expect.any(String) })
      return
    }
    expect(response.error).toBeUndefined()
    expect(response.choices.length).toBeGreaterThan(0)
    for (const { parts, finish } of response.choices) {
      expect(finish.reason).not.toBe('other')
      const calls = parts.filter(({ type }) => type === 'tool-call')
      if (calls.length > 0) expect(finish.reason).toBe('tool-calls')
    }
  })

  test.each(bodies)('$id: encoded and decoded again it is the same', ({ body }) => {
    const response = gemini.codec.decodeResponse(objectOf(body), context())
    const encoded = parsed(gemini.codec.encodeResponse(response, context()))
    for (const candidate of encoded.candidates ?? []) checkCandidate(candidate)
    const again = gemini.codec.decodeResponse(encoded, context())
    expect(contentOf(again)).toEqual(contentOf(response))
    // T18: where the upstream tells none, the client is told what was estimated.
    const estimate = { ...emptyUsage, inputTokens: context().estimatedInputTokens }
    const told = response.usage ?? (response.error === undefined ? estimate : undefined)
    expect(again.usage).toEqual(told)
  })

  test.each(streams)('S6 $id: a stream is the same whole and cut anywhere', ({ sse }) => {
    const bytes = new TextEncoder().encode(sse)
    const read = (chunks: Iterable<Uint8Array>) =>
      eventsOf(split(createSseSplitter(), chunks).frames, gemini.codec.createDecoder(context()))
    const whole = read([bytes])
    expect(read(byteByByte(bytes))).toEqual(whole)
    for (let seed = 1; seed <= 5; seed++) {
      expect(read(cutAtRandom(bytes, seed, 50))).toEqual(whole)
    }
    expect(whole.at(0)?.type).toBe('start')
    expect(whole.at(-1)?.type).toBe('end')
    expect(whole.filter(({ type }) => type === 'finish')).toHaveLength(1)
  })

  test.each(streams)('$id: a stream, encoded for a client, tells it the same', ({ sse }) => {
    const frames = split(createSseSplitter(), [new TextEncoder().encode(sse)]).frames
    const events = eventsOf(frames, gemini.codec.createDecoder(context()))
    for (const framing of ['sse', 'json-array'] as const) {
      const encoder = gemini.codec.createEncoder(context({ framing }))
      const text = events.map((event) => encoder.push(event)).join('')
      const chunks = readStrictly(text, framing)
      const again = eventsOf(
        chunks.map((chunk) => ({ event: '', data: JSON.stringify(chunk) })),
        gemini.codec.createDecoder(context()),
      )
      const [before, after] = [foldEvents(events), foldEvents(again)]
      expect(contentOf(after)).toEqual(contentOf(before))
      expect(after.usage).toEqual(before.usage)
      expect(after.id as string).toBe(before.id as string)
    }
  })
})

/** What a client sees of an answer; signatures, which change their places, apart. */
function contentOf(response: ReturnType<typeof gemini.codec.decodeResponse>) {
  return plain(
    response.choices.map(({ index, parts, finish }) => ({
      index,
      finish: finish.reason,
      parts: parts.filter((part) => part.type !== 'reasoning' || part.text !== ''),
      signatures: parts
        .flatMap((part) => (part.type === 'reasoning' && part.signature ? [part.signature] : []))
        .map(unwrapSignature)
        .join('~'),
    })),
  )
}
