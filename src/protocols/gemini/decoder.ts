import type { DecodeContext, StreamDecoder } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import { withoutExtras } from '../canonical/extras.ts'
import type { ServiceTier } from '../canonical/request.ts'
import type { Usage } from '../canonical/usage.ts'
import { arrayIn, countIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { withExactCalls } from '../translation/exact-calls.ts'
import { type CandidateDecoder, createCandidate } from './candidate.ts'
import { decodeTier } from './decode-request.ts'
import { decodeError } from './error.ts'
import { camelNames } from './names.ts'
import { createGeminiCounts, foldGeminiUsage } from './usage.ts'

/** Reads answers, a chunk of a stream at a time or a whole body: it is one big chunk. */
export interface ChunkDecoder {
  read(chunk: JsonObject): AnswerEvent[]
  /** Closes what is open; with `finish` and `end` if every answer has said how it ended. */
  end(): AnswerEvent[]
}

/**
 * A stream of this protocol has no last event, and after a finish reason more may follow: how an
 * answer ended is told when the stream ends.
 */
export function createDecoder(context: DecodeContext): StreamDecoder {
  const decoder = createChunkDecoder(context)
  return {
    push(data, _event, json) {
      const chunk = json ?? parseJsonObject(data)
      if (chunk === undefined) return []
      return decoder.read(data.includes('"args"') ? withExactCalls(chunk, data) : chunk)
    },
    end: () => decoder.end(),
  }
}

/** A decoder that has read nothing. */
export function createChunkDecoder(context: DecodeContext): ChunkDecoder {
  const counts = createGeminiCounts()
  const candidates = new Map<number, CandidateDecoder>()
  const customTools = new Set(
    context.request.tools.flatMap(({ kind, name }) => (kind === 'custom' ? [name] : [])),
  )
  let usage: Usage | undefined
  let serviceTier: ServiceTier | undefined
  let hasStarted = false
  let isOver = false
  let blocks = 0
  let calls = 0
  const ids = {
    block: () => `${blocks++}`,
    call: () => `call_${context.requestId}_${calls++}`,
  }

  function candidateAt(index: number): CandidateDecoder {
    const known = candidates.get(index)
    if (known) return known
    const candidate = createCandidate(index, customTools, ids)
    candidates.set(index, candidate)
    return candidate
  }

  function start(chunk: JsonObject): readonly AnswerEvent[] {
    if (hasStarted) return []
    hasStarted = true
    const id = stringIn(chunk, 'responseId')
    const createdAt = secondsOf(chunk.createTime)
    return [{ type: 'start', id, model: stringIn(chunk, 'modelVersion'), createdAt, usage }]
  }

  return {
    read(wire) {
      if (isOver) return []
      const chunk = camelNames(wire)
      const metadata = objectIn(chunk, 'usageMetadata')
      usage = withoutExtras(foldGeminiUsage(counts, metadata && camelNames(metadata))) ?? usage
      serviceTier = tierOf(metadata) ?? serviceTier
      const events = [...start(chunk)]
      const add = (event: AnswerEvent) => {
        events.push(event)
      }
      for (const candidate of arrayIn(chunk, 'candidates')) {
        if (!isJsonObject(candidate)) continue
        const fields = camelNames(candidate)
        candidateAt(countIn(fields, 'index') ?? 0).read(fields, add)
      }
      const feedback = objectIn(chunk, 'promptFeedback')
      if (stringIn(feedback && camelNames(feedback), 'blockReason') !== undefined) {
        candidateAt(0).block()
      }
      if (chunk.error !== undefined && chunk.error !== null) {
        isOver = true
        for (const candidate of candidates.values()) candidate.close(add)
        add({ type: 'error', error: decodeError(chunk) })
      }
      return events
    },
    end() {
      if (isOver) return []
      isOver = true
      const events: AnswerEvent[] = []
      const add = (event: AnswerEvent) => {
        events.push(event)
      }
      const all = [...candidates.values()]
      for (const candidate of all) candidate.close(add)
      for (const candidate of all) candidate.finish(add)
      const areAllEnded = all.length > 0 && all.every((candidate) => candidate.hasEnded())
      if (areAllEnded) add({ type: 'end', usage, serviceTier })
      return events
    },
  }
}

/** The Gemini API tells the tier itself, Vertex in the kind of traffic (`ON_DEMAND_FLEX`). */
function tierOf(metadata: JsonObject | undefined): ServiceTier | undefined {
  const told = decodeTier(metadata?.serviceTier)
  if (told !== undefined) return told
  const word = /_(FLEX|PRIORITY)$/.exec(stringIn(metadata, 'trafficType') ?? '')?.[1]
  return decodeTier(word)
}

function secondsOf(time: unknown): number | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return ms >= 0 ? Math.floor(ms / 1000) : undefined
}
