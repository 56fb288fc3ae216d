import type { FailureName } from '../../src/gateway/failures/failures.ts'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { accentErrors } from './vendor-errors/accents.ts'
import { anthropicErrors } from './vendor-errors/anthropic.ts'
import { codedErrors } from './vendor-errors/coded.ts'
import { googleErrors } from './vendor-errors/google.ts'
import { openAiErrors } from './vendor-errors/openai.ts'
import { relayErrors } from './vendor-errors/relays.ts'
import { serverErrors } from './vendor-errors/servers.ts'
import { anthropic, google, openAi, type VendorError } from './vendor-errors/shapes.ts'

export { askedModel, type VendorError } from './vendor-errors/shapes.ts'

/**
 * What vendors answer when they fail or refuse, as far as a gateway can tell the difference by it: the
 * shapes and machine words are theirs, the sentences mostly not. Sources: the vendors' references
 * of errors, the code of open servers, and answers seen.
 */
export const vendorErrors: readonly VendorError[] = [
  ...openAiErrors,
  ...anthropicErrors,
  ...googleErrors,
  ...accentErrors,
  ...codedErrors,
  ...relayErrors,
  ...serverErrors,
]

/** An error inside of an answer that began with 200: one event of a stream, or a whole body. */
export interface InnerError {
  readonly protocol: ProtocolName
  readonly name: string
  /** The JSON of the event or body. */
  readonly event: object
  readonly expected: FailureName
}

const failedResponse = (code: string, message: string) => ({
  type: 'response.failed',
  sequence_number: 3,
  response: {
    ...{ id: 'resp_1', object: 'response', status: 'failed', output: [] },
    error: { code, message },
    metadata: { code: 'invalid_api_key', message: 'Incorrect API key provided' },
  },
})

export const innerErrors: readonly InnerError[] = [
  ...(
    [
      ['chat', 'a failure', openAi('The server had an error.', 'server_error'), 'upstream_failed'],
      [
        'chat',
        'a status',
        { error: { message: 'Bad gateway', code: 502 }, choices: [] },
        'upstream_failed',
      ],
      [
        'chat',
        'a rate limit',
        openAi('Slower, please.', 'rate_limit_error', 'rate_limit_exceeded'),
        'upstream_rate_limited',
      ],
      [
        'chat',
        'no money',
        openAi('No money.', 'insufficient_quota', 'insufficient_quota'),
        'upstream_quota',
      ],
      ['chat', 'a wrong key', { error: { message: 'No.', code: 401 } }, 'upstream_auth'],
      [
        'chat',
        'the client’s fault',
        openAi('Too long.', 'invalid_request_error', 'context_length_exceeded'),
        'client_fault',
      ],
      ['chat', 'a text', { error: 'out of memory' }, 'upstream_failed'],
      [
        'responses',
        'a failure',
        failedResponse('server_error', 'An error occurred.'),
        'upstream_failed',
      ],
      [
        'responses',
        'a rate limit',
        failedResponse('rate_limit_exceeded', 'Rate limit reached. Please try again in 11.054s.'),
        'upstream_rate_limited',
      ],
      [
        'responses',
        'overloaded',
        {
          type: 'error',
          code: 'server_is_overloaded',
          message: 'Overloaded.',
          param: null,
          sequence_number: 1,
        },
        'upstream_overloaded',
      ],
      [
        'responses',
        'the client’s fault',
        failedResponse('invalid_prompt', 'The prompt was flagged.'),
        'client_fault',
      ],
      [
        'responses',
        'a bad image',
        failedResponse('invalid_image_url', 'The image could not be fetched.'),
        'client_fault',
      ],
      ['messages', 'a failure', anthropic('api_error', 'Internal server error'), 'upstream_failed'],
      [
        'messages',
        'overloaded',
        anthropic('overloaded_error', 'Overloaded'),
        'upstream_overloaded',
      ],
      [
        'messages',
        'a rate limit',
        anthropic('rate_limit_error', 'Slower.'),
        'upstream_rate_limited',
      ],
      [
        'messages',
        'the client’s fault',
        anthropic('invalid_request_error', 'messages: too many'),
        'client_fault',
      ],
      ['gemini', 'a failure', google(500, 'INTERNAL', 'Internal error.'), 'upstream_failed'],
      [
        'gemini',
        'overloaded',
        google(503, 'UNAVAILABLE', 'The model is overloaded.'),
        'upstream_overloaded',
      ],
      [
        'gemini',
        'a rate limit',
        google(429, 'RESOURCE_EXHAUSTED', 'Exhausted.'),
        'upstream_rate_limited',
      ],
      ['gemini', 'the client’s fault', google(400, 'INVALID_ARGUMENT', 'Bad.'), 'client_fault'],
    ] as const
  ).map(([protocol, name, event, expected]) => ({
    ...{ protocol, event, expected },
    name: `${protocol}: ${name}`,
  })),
]
