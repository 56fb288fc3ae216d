import { createRequestId } from '../../lib/ids.ts'
import { emptyUsage } from '../../protocols/canonical/usage.ts'
import type { Frame, JsonObject } from '../../protocols/protocol.ts'
import { responses } from '../../protocols/responses/index.ts'
import { ownResponseId } from '../../protocols/responses/own-ids.ts'
import { createSseSplitter } from '../../protocols/sse.ts'

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
