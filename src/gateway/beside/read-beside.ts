import type { JsonObject, Operation } from '../../protocols/protocol.ts'
import type { ConversationAsked, RequestBody, ScannedBody } from '../body/body.ts'
import { once } from '../once.ts'
import type { Beside, OperationName } from './job.ts'

/** So many values, or bytes beside long texts, are parsed in a millisecond or two. */
const mostValues = 16_384
const mostBytes = 524_288

/** Whether parsing a body is for another thread. */
export function isLongToParse({ bytes, fields, long = [] }: ScannedBody): boolean {
  if (fields.values > mostValues) return true
  const shortened = long.reduce((sum, { start, end }) => sum + end - start, 0)
  return bytes.byteLength - shortened > mostBytes
}

/** For whom a body is read, and what of the request is not in it. */
export interface ReadTask {
  readonly beside: Beside
  readonly owner: string
  readonly operation: Operation
  readonly asked: ConversationAsked
  readonly signal: AbortSignal
}

/** Reads a body on another thread; throws the 400 of what is no JSON, or not what its operation takes. */
export async function readBeside(
  { beside, owner, operation, asked, signal }: ReadTask,
  { bytes, fields }: ScannedBody,
): Promise<RequestBody> {
  const { values } = fields
  const job = { kind: 'read' as const, bytes, values, operation: nameOf(operation), asked }
  const told = await beside.run<'read'>(owner, job, signal)
  const { hiddenWork, amend, renamed } = told
  return {
    ...{ bytes, fields, contentType: 'application/json' },
    facts: {
      ...told.facts,
      amend: amend ?? {},
      text: () => told.text,
      uncounted: () => told.uncounted,
      media: () => told.media,
      ...(hiddenWork !== undefined && { hiddenWork: () => hiddenWork }),
    },
    value: once((): JsonObject => JSON.parse(bytes.toString())),
    conversation: () => told.conversation,
    // Whatever else there is to be renamed, is where the body is written.
    rename: (upstreamModel) =>
      renamed.includes('model') ? operation.rename({ model: '' }, upstreamModel) : {},
    remote: { isPlain: amend !== undefined && renamed.every((name) => name === 'model') },
  }
}

export const nameOf = ({ protocol, name }: Operation): OperationName => ({ protocol, name })
