import { openAi, rowsOf } from './shapes.ts'

const invalid = 'invalid_request_error'
/** FastAPI's. */
const detail = (told: unknown) => ({ detail: told })

/** Vendors who speak OpenAI's protocol in their own accents. */
export const accentErrors = rowsOf('chat', [
  [
    'DeepSeek: balance',
    402,
    openAi('Insufficient Balance', 'unknown_error', invalid),
    'upstream_quota',
  ],
  [
    'DeepSeek: unknown model',
    400,
    openAi('Model Not Exist', invalid, invalid),
    'model_unavailable',
  ],
  [
    'DeepSeek: wrong key',
    401,
    openAi('Authentication Fails, the api key is wrong.', 'authentication_error', invalid),
    'upstream_auth',
  ],
  [
    'DeepSeek: overloaded',
    503,
    openAi('Service is too busy.', 'service_unavailable_error', 'overloaded'),
    'upstream_overloaded',
  ],
  ['Mistral: wrong key', 401, detail('Unauthorized'), 'upstream_auth'],
  [
    'Mistral: unknown model',
    400,
    {
      object: 'error',
      message: 'Invalid model: test-model',
      type: 'invalid_model',
      param: null,
      code: '1500',
    },
    'model_unavailable',
  ],
  [
    'Mistral: capacity',
    429,
    {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    },
    'upstream_overloaded',
  ],
  ['Mistral: rate', 429, { message: 'Requests rate limit exceeded' }, 'upstream_rate_limited'],
  [
    'Mistral: bad field',
    422,
    {
      object: 'error',
      message: {
        detail: [
          {
            type: 'missing',
            loc: ['body', 'messages'],
            msg: 'Field required',
            input: { code: 'invalid_api_key' },
          },
        ],
      },
      type: 'invalid_request_error',
    },
    undefined,
  ],
  [
    'xAI: wrong key',
    400,
    { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***.' },
    'upstream_auth',
  ],
  [
    'xAI: unknown model',
    404,
    {
      code: 'Some requested entity was not found',
      error: 'The model test-model does not exist or your team 1 has no access.',
    },
    'model_unavailable',
  ],
  [
    'xAI: no credits',
    403,
    {
      code: 'The caller does not have permission',
      error: "Your newly created team doesn't have any credits yet.",
    },
    'upstream_quota',
  ],
  [
    'xAI: credits used up',
    429,
    {
      code: 'Some resource has been exhausted',
      error: 'Your team 1 has either used all available credits or reached its limit.',
    },
    'upstream_quota',
  ],
  [
    'xAI: against the rules',
    403,
    {
      code: 'The caller does not have permission',
      error: 'Content violates usage guidelines. Failed check: X.',
    },
    undefined,
  ],
  [
    'Groq: restricted',
    400,
    openAi('The organization has been restricted.', invalid, 'organization_restricted'),
    'upstream_auth',
  ],
  [
    'Groq: model gone',
    400,
    openAi(
      'The model `test-model` has been decommissioned and is no longer supported.',
      invalid,
      'model_decommissioned',
    ),
    'model_unavailable',
  ],
  [
    'Groq: model blocked',
    403,
    openAi(
      'The model `test-model` is blocked at the organization level.',
      'permissions_error',
      'model_permission_blocked_org',
    ),
    'model_unavailable',
  ],
  [
    'Groq: larger than a minute’s tokens',
    413,
    openAi(
      'Request too large for model `test-model` on tokens per minute: Limit 6000, Requested 7000.',
      'tokens',
      'rate_limit_exceeded',
    ),
    'request_too_large',
  ],
  [
    'Groq: flex capacity',
    498,
    openAi('No flex capacity is left.', 'capacity'),
    'upstream_overloaded',
  ],
  [
    'Groq: tool use',
    400,
    {
      error: {
        message: 'Tool call validation failed',
        type: invalid,
        code: 'tool_use_failed',
        failed_generation: '{"message":"Incorrect API key provided"}',
      },
    },
    undefined,
  ],
  [
    'Together: model not served',
    400,
    openAi(
      'Unable to access non-serverless model test-model.',
      invalid,
      'model_not_available',
      'model',
    ),
    'model_unavailable',
  ],
  [
    'Fireworks: unknown model',
    404,
    {
      error: {
        object: 'error',
        type: invalid,
        code: 'NOT_FOUND',
        message: 'Model not found, inaccessible, and/or not deployed',
      },
    },
    'model_unavailable',
  ],
  [
    'Fireworks: suspended',
    412,
    openAi('Account acme is suspended, possibly for its bills.', invalid),
    'upstream_quota',
  ],
  [
    'Cerebras: queue',
    429,
    {
      message: "We're experiencing high traffic right now!",
      type: 'too_many_requests_error',
      param: 'queue',
      code: 'queue_exceeded',
    },
    'upstream_overloaded',
  ],
])
