import type { EncodeContext } from '../canonical/codec.ts'
import { unfoldPart } from '../canonical/fold.ts'
import type { CanonicalResponse } from '../canonical/response.ts'
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
  for (const part of parts) {
    // Pictures have no item of their own here.
    if (part.type === 'image') continue
    for (const event of unfoldPart(part, '', 0)) output.write(event)
  }
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
