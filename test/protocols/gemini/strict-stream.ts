import { createJsonArraySplitter } from '../../../src/protocols/gemini/json-array.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import type { Framing, JsonObject } from '../../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { split } from '../feeding.ts'

/**
 * The chunks of a stream for a client, read as strictly as any of its SDKs does: throws for what one
 * of them would stumble over. Errors are the last chunk.
 */
export function readStrictly(text: string, framing: Framing): JsonObject[] {
  const bytes = new TextEncoder().encode(text)
  const splitter = framing === 'sse' ? createSseSplitter() : createJsonArraySplitter()
  const { frames } = split(splitter, [bytes])
  if (framing === 'sse' && text !== '') demand(text.endsWith('\r\n\r\n'), 'a whole last frame')
  const chunks = frames.map(({ data }) => JSON.parse(data) as JsonObject)
  if (framing === 'json-array') demand(Bun.deepEquals(JSON.parse(text), chunks), 'one JSON array')
  let isOver = false
  for (const chunk of chunks) {
    demand(!isOver, 'nothing behind the end')
    isOver = checkChunk(chunk)
  }
  demand(isOver, 'an end')
  return chunks
}

/** Whether it is the last. */
function checkChunk(chunk: JsonObject): boolean {
  if (chunk.error !== undefined) {
    const { error } = chunk
    demand(isJsonObject(error) && Number.isInteger(error.code), 'error.code')
    demand(isJsonObject(error) && typeof error.message === 'string', 'error.message')
    return true
  }
  demand(typeof chunk.modelVersion === 'string', 'modelVersion')
  demand(typeof chunk.responseId === 'string', 'responseId')
  demand(Array.isArray(chunk.candidates), 'candidates')
  const candidates = chunk.candidates as readonly unknown[]
  return candidates.map(checkCandidate).some((isLast) => isLast)
}

/** Checks a candidate, whether of a stream or of a whole answer. True when it tells its end. */
export function checkCandidate(candidate: unknown): boolean {
  demand(isJsonObject(candidate) && Number.isInteger(candidate.index), 'index')
  const { content, finishReason } = candidate as JsonObject
  demand(isJsonObject(content) && content.role === 'model', 'content.role')
  const { parts } = content as JsonObject
  demand(Array.isArray(parts) && parts.length > 0, 'content.parts')
  for (const part of parts as readonly unknown[]) checkPart(part)
  demand(finishReason === undefined || typeof finishReason === 'string', 'finishReason')
  return finishReason !== undefined
}

const kinds = ['text', 'functionCall', 'inlineData', 'fileData']

function checkPart(part: unknown): void {
  demand(isJsonObject(part), 'a part')
  const fields = part as JsonObject
  demand(kinds.filter((kind) => kind in fields).length === 1, 'one kind of data in a part')
  const { functionCall: call, thoughtSignature: signature } = fields
  if (call !== undefined) {
    demand(isJsonObject(call) && typeof call.name === 'string', 'functionCall.name')
    demand(isJsonObject(call) && typeof call.id === 'string', 'functionCall.id')
    demand(isJsonObject(call) && isJsonObject(call.args), 'functionCall.args')
  }
  if (signature === undefined) return
  // Google's SDKs for Python and Go read bytes here, and fail the whole answer.
  const isBase64 = typeof signature === 'string' && signature.length % 4 === 0
  demand(isBase64 && /^[A-Za-z0-9+/]+=*$/.test(signature), 'thoughtSignature in base64')
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(`A client would miss ${what}.`)
}
