import { decodeUsage } from '../canonical/raw-usage.ts'
import { encodeOpenAiError } from '../chat/errors.ts'
import { createPlainObserver } from '../observer.ts'
import type { JsonObject, Operation, Protocol, RequestFacts } from '../protocol.ts'
import { renameModel } from '../request-facts.ts'
import { commentHeartbeat } from '../sse.ts'
import { bearerHeaders, joinUrl } from '../url.ts'
import { responsesCodec } from './codec.ts'
import { encodeResponsesStreamError } from './error.ts'
import { checkResponses, readResponses } from './request.ts'
import { createResponsesObserver } from './stream.ts'
import { responsesReports } from './usage.ts'

const responsesOperation: Operation = {
  protocol: 'responses',
  name: 'responses',
  charged: true,
  takesForm: false,
  check: checkResponses,
  read: readResponses,
  rename: renameModel,
  path: () => '/responses',
  createObserver: createResponsesObserver,
}

const compact: Operation = {
  ...responsesOperation,
  name: 'compact',
  read: readUnstreamed,
  path: () => '/responses/compact',
}

const inputTokens: Operation = {
  ...compact,
  name: 'input_tokens',
  charged: false,
  path: () => '/responses/input_tokens',
  createObserver: createPlainObserver,
}

/** These answer with one body, whatever the request says of streaming. */
function readUnstreamed(body: JsonObject): RequestFacts {
  return { ...readResponses(body), stream: false }
}

/** OpenAI's responses: same address, key and error bodies as chat completions. */
export const responses = {
  name: 'responses',
  url: joinUrl,
  keyHeaders: bearerHeaders,
  encodeError: encodeOpenAiError,
  encodeStreamError: encodeResponsesStreamError,
  heartbeat: commentHeartbeat,
  generation: responsesOperation,
  counting: inputTokens,
  demandedHeaders: {},
  codec: responsesCodec,
  decodeUsage: (raw) => decodeUsage(raw, responsesReports),
  operations: { responses: responsesOperation, compact, inputTokens },
} as const satisfies Protocol & { operations: Record<string, Operation> }
