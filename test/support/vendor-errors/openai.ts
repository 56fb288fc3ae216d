import { openAi, rowsOf } from './shapes.ts'

const invalid = 'invalid_request_error'
const soon = { 'retry-after': '7', 'retry-after-ms': '6500' }

/** OpenAI's own, and Azure's, on both of its protocols. */
const both = [
  [
    'wrong key',
    401,
    openAi('Incorrect API key provided: sk-12.', invalid, 'invalid_api_key'),
    'upstream_auth',
  ],
  [
    'country',
    403,
    openAi(
      'Your country or region is not served.',
      'request_forbidden',
      'unsupported_country_region_territory',
    ),
    'upstream_auth',
  ],
  [
    'missing scope',
    403,
    openAi('The key may not do this. Missing scopes: model.request.', invalid),
    'upstream_auth',
  ],
  [
    'no money',
    429,
    openAi('Your quota is used up, look at your plan.', 'insufficient_quota', 'insufficient_quota'),
    'upstream_quota',
  ],
  [
    'hard limit',
    400,
    openAi('The limit of this bill was reached.', invalid, 'billing_hard_limit_reached'),
    'upstream_quota',
  ],
  [
    'account without billing',
    429,
    openAi(
      'The account is not active, look at its billing.',
      'billing_not_active',
      'billing_not_active',
    ),
    'upstream_quota',
  ],
  [
    'requests per minute',
    429,
    openAi(
      'Rate limit reached for test-model in organization org-1 on requests per min. Please try again in 6.5s.',
      'requests',
      'rate_limit_exceeded',
    ),
    'upstream_rate_limited',
    soon,
  ],
  [
    'tokens per minute',
    429,
    openAi(
      'Rate limit reached for test-model on tokens per min. Please try again in 1m30s.',
      'tokens',
      'rate_limit_exceeded',
    ),
    'upstream_rate_limited',
    {
      ...{ 'x-ratelimit-remaining-requests': '499', 'x-ratelimit-reset-requests': '120ms' },
      ...{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m30s' },
    },
  ],
  [
    'larger than a minute’s tokens',
    429,
    openAi(
      'Request too large for test-model in organization org-1 on tokens per min: Limit 30000, Requested 51000.',
      'tokens',
      'rate_limit_exceeded',
    ),
    'request_too_large',
  ],
  [
    'overloaded',
    503,
    openAi('That model is currently overloaded with other requests.', 'server_error'),
    'upstream_overloaded',
  ],
  ['slow down', 503, openAi('Slow down.', 'server_error', 'slow_down'), 'upstream_overloaded'],
  [
    'servers overloaded',
    503,
    openAi('Our servers have too much to do.', 'server_error', 'server_is_overloaded'),
    'upstream_overloaded',
  ],
  [
    'server error',
    500,
    openAi('The server had an error while it worked on this.', 'server_error'),
    'upstream_failed',
  ],
  [
    'unknown model',
    404,
    openAi(
      'The model `test-model` does not exist or you do not have access to it.',
      invalid,
      'model_not_found',
    ),
    'model_unavailable',
  ],
  [
    'no access to the model',
    403,
    openAi(
      'Project `proj_1` does not have access to model `test-model`.',
      invalid,
      'model_not_found',
    ),
    'model_unavailable',
  ],
  [
    'unknown model as 400',
    400,
    openAi("The requested model 'test-model' does not exist.", invalid, 'model_not_found', 'model'),
    'model_unavailable',
  ],
  [
    'unverified organization',
    400,
    openAi(
      'Your organization must be verified to stream this model.',
      invalid,
      'unsupported_value',
      'stream',
    ),
    'model_unavailable',
  ],
  [
    'model of another endpoint',
    404,
    openAi(
      'This model is only supported in v1/responses and not in v1/chat/completions.',
      invalid,
      null,
      'model',
    ),
    'model_unavailable',
  ],
  [
    'unknown path',
    404,
    openAi('Invalid URL (POST /v1/v1/chat/completions)', invalid),
    'model_unavailable',
  ],
  [
    'a tool’s model',
    404,
    openAi(
      'The model `painter-9` does not exist or you do not have access to it.',
      invalid,
      'model_not_found',
    ),
    undefined,
  ],
  [
    'bad field',
    400,
    openAi(
      "Invalid value: 'robot'. Supported values are: 'user' and 'assistant'.",
      invalid,
      'invalid_value',
      'messages[0].role',
    ),
    undefined,
  ],
  [
    'too long',
    400,
    openAi(
      "This model's maximum context length is 8192 tokens.",
      invalid,
      'context_length_exceeded',
      'messages',
    ),
    undefined,
  ],
  [
    'prompt against the rules',
    400,
    openAi('Invalid prompt: it was flagged.', invalid, 'invalid_prompt'),
    undefined,
  ],
  [
    'unknown response',
    400,
    openAi(
      "Previous response with id 'resp_1' not found.",
      invalid,
      'previous_response_not_found',
      'previous_response_id',
    ),
    undefined,
  ],
  ['body too large', 413, openAi('The body is too large.', invalid), undefined],
  [
    'connector of the client',
    424,
    openAi(
      "Error retrieving tool list from MCP server: 'mine'. Http status code: 401.",
      'external_connector_error',
      'http_error',
      'tools',
    ),
    undefined,
  ],
  [
    'conflict',
    409,
    openAi('Another process works on this conversation.', invalid, 'conversation_locked'),
    undefined,
  ],
  [
    'Azure: wrong key',
    401,
    {
      error: { code: '401', message: 'Access denied: wrong subscription key, or wrong endpoint.' },
    },
    'upstream_auth',
  ],
  [
    'Azure: no deployment',
    404,
    {
      error: {
        code: 'DeploymentNotFound',
        message: 'The API deployment for this resource does not exist.',
      },
    },
    'model_unavailable',
  ],
  [
    'Azure: no resource',
    404,
    { error: { code: '404', message: 'Resource not found' } },
    'model_unavailable',
  ],
  [
    'Azure: pricing tier',
    429,
    {
      error: {
        code: '429',
        message:
          'The token rate limit of your pricing tier is exceeded. Please retry after 9 seconds.',
      },
    },
    'upstream_rate_limited',
  ],
  [
    'Azure: no capacity',
    429,
    { error: { code: 'NoCapacity', message: 'The system is currently experiencing high demand.' } },
    'upstream_overloaded',
  ],
  [
    'Azure: call volume',
    403,
    { error: { code: '403', message: 'Out of call volume quota. It is there again in 9 days.' } },
    'upstream_quota',
  ],
  [
    'Azure: filtered',
    400,
    {
      error: {
        ...{
          message: 'The prompt was filtered.',
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
        },
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: { hate: { filtered: true } },
        },
      },
    },
    undefined,
  ],
] as const

export const openAiErrors = [
  ...rowsOf(
    'chat',
    both.map(([name, ...rest]) => [`OpenAI chat: ${name}`, ...rest]),
  ),
  ...rowsOf(
    'responses',
    both.map(([name, ...rest]) => [`OpenAI responses: ${name}`, ...rest]),
  ),
]
