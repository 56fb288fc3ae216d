import { formatSizeBytes } from '../../lib/format.ts'
import { createRequestId } from '../../lib/ids.ts'
import { emptyUsage } from '../../protocols/canonical/usage.ts'
import type { Frame, JsonObject } from '../../protocols/protocol.ts'
import { responses } from '../../protocols/responses/index.ts'
import { ownResponseId } from '../../protocols/responses/wire.ts'
import { createSseSplitter } from '../../protocols/sse.ts'
import { GatewayError } from '../errors.ts'
import { type InputBody, itemsOf, withItems } from '../own-responses/input-items.ts'

/** Most bytes of a warm-up without its input: it is free of charge, so its work must stay small. */
const largestWarmUp = 1_048_576

/** A warm-up without its items; throws the 413 of one that is too large beside them. */
export function withoutItems(message: InputBody): Buffer {
  const hasItems = itemsOf(message).byteLength > 0
  const body = hasItems ? withItems(message, Buffer.alloc(0), {}) : message.bytes
  if (body.byteLength <= largestWarmUp) return body
  throw new GatewayError(
    'body_too_large',
    `A message with generate: false may have ${formatSizeBytes(largestWarmUp)} beside its input. Leave generate out.`,
  )
}

/** A response that has generated nothing: to be continued on its connection. */
export interface WarmUp {
  readonly id: string
  readonly events: readonly Frame[]
}

/** Prepares a response; no upstream is asked, and nothing is charged. `nowMs` since 1970. */
export function warmUp(body: JsonObject, nowMs: number): WarmUp {
  const requestId = createRequestId()
  const model = typeof body.model === 'string' ? body.model : ''
  const { input: _, ...echoed } = body
  const encode = responses.codec.createEncoder({
    ...{ requestId, model, body: echoed, framing: 'sse', library: '', estimatedInputTokens: 0 },
    createdAt: Math.floor(nowMs / 1_000),
    request: { model, stream: true, turns: [], tools: [], native: [] },
  })
  const begun = encode.push({ type: 'start' })
  const text =
    begun +
    encode.push({ type: 'finish', choice: 0, reason: 'stop' }) +
    encode.push({ type: 'end', usage: emptyUsage })
  const { frames } = createSseSplitter().push(new TextEncoder().encode(text))
  return { id: ownResponseId(requestId), events: frames }
}
