import type { EncodeContext } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import type { AnswerPart, CanonicalResponse } from '../canonical/response.ts'
import type { JsonObject } from '../protocol.ts'
import { createOutputWriter } from './output-writer.ts'
import { type ResponseEnd, responseEnd, responseObject, toldUsage } from './response-object.ts'

/** A whole answer for a client: the items that its stream would have had. */
export function encodeResponsesResponse(
  answer: CanonicalResponse,
  context: EncodeContext,
): JsonObject {
  const [choice] = answer.choices
  const parts = choice?.parts ?? []
  const hasRefusal = parts.some(({ type }) => type === 'refusal')
  const end = errorEnd(answer) ?? responseEnd(choice?.finish.reason ?? 'other', hasRefusal)
  const output = createOutputWriter(context, () => '')
  for (const part of parts) for (const event of blockOf(part)) output.write(event)
  output.close(end.status === 'completed' ? 'completed' : 'incomplete')
  const { createdAt, usage, serviceTier = 'default' } = answer
  const response = responseObject(context, {
    ...end,
    createdAt,
    usage: answer.error === undefined ? toldUsage(usage, context) : usage,
    serviceTier,
    output: output.items(),
  })
  context.own?.keep?.(response)
  return response
}

function errorEnd({ error }: CanonicalResponse): ResponseEnd | undefined {
  if (error === undefined) return undefined
  const { code = 'server_error', message } = error
  return { status: 'failed', error: { code, message } }
}

const id = ''
const choice = 0

/** A part as the events of a block. */
function blockOf(part: AnswerPart): readonly AnswerEvent[] {
  switch (part.type) {
    case 'text': {
      const { text, citations, logprobs } = part
      return [
        { type: 'text-start', id, choice },
        { type: 'text-delta', id, text, logprobs },
        { type: 'text-end', id, citations },
      ]
    }
    case 'reasoning':
      return [
        { type: 'reasoning-start', id, choice },
        { type: 'reasoning-delta', id, text: part.text },
        { type: 'reasoning-end', id, signature: part.signature },
      ]
    case 'refusal':
      return [
        { type: 'refusal-start', id, choice },
        { type: 'refusal-delta', id, text: part.text },
        { type: 'refusal-end', id },
      ]
    case 'tool-call': {
      const { callId, name, kind, input } = part
      return [
        { type: 'tool-call-start', id, choice, callId, name, kind },
        { type: 'tool-call-delta', id, text: input },
        { type: 'tool-call-end', id },
      ]
    }
    case 'search':
      return [
        { type: 'search-start', id, choice },
        { type: 'search-end', id, search: part },
      ]
    case 'image':
      return []
  }
}
