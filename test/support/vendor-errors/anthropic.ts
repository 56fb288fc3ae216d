import { anthropic, rowsOf } from './shapes.ts'

const invalid = 'invalid_request_error'

export const anthropicErrors = rowsOf('messages', [
  [
    'Anthropic: wrong key',
    401,
    anthropic('authentication_error', 'invalid x-api-key'),
    'upstream_auth',
  ],
  [
    'Anthropic: forbidden',
    403,
    anthropic('permission_error', 'Your API key does not have permission for this.'),
    'upstream_auth',
  ],
  [
    'Anthropic: region',
    403,
    { error: { type: 'forbidden', message: 'Request not allowed' } },
    'upstream_auth',
  ],
  [
    'Anthropic: disabled',
    400,
    anthropic(invalid, 'This organization has been disabled.'),
    'upstream_auth',
  ],
  [
    'Anthropic: credit',
    400,
    anthropic(invalid, 'Your credit balance is too low to use the API.'),
    'upstream_quota',
  ],
  [
    'Anthropic: bill',
    402,
    anthropic('billing_error', 'There is a problem with your payment.'),
    'upstream_quota',
  ],
  [
    'Anthropic: spending limit',
    400,
    anthropic(invalid, 'You have reached your specified API usage limits. They end on 2026-01-01.'),
    'upstream_quota',
  ],
  [
    'Anthropic: rate',
    429,
    anthropic(
      'rate_limit_error',
      'This request would exceed the input tokens per minute of your organization.',
    ),
    'upstream_rate_limited',
    {
      ...{ 'retry-after': '12', 'anthropic-ratelimit-requests-remaining': '40' },
      'anthropic-ratelimit-input-tokens-remaining': '0',
    },
  ],
  [
    'Anthropic: long context',
    429,
    anthropic('rate_limit_error', 'Extra usage is required for long context requests.'),
    'request_too_large',
  ],
  [
    'Anthropic: overloaded',
    529,
    anthropic('overloaded_error', 'Overloaded'),
    'upstream_overloaded',
  ],
  ['Anthropic: bare 529', 529, '', 'upstream_overloaded'],
  ['Anthropic: internal', 500, anthropic('api_error', 'Internal server error'), 'upstream_failed'],
  [
    'Anthropic: late',
    504,
    anthropic('timeout_error', 'The request took too long.'),
    'upstream_failed',
  ],
  [
    'Anthropic: unknown model',
    404,
    anthropic('not_found_error', 'model: test-model'),
    'model_unavailable',
  ],
  [
    'Anthropic: unknown file',
    404,
    anthropic('not_found_error', 'File not found: file_011'),
    undefined,
  ],
  [
    'Anthropic: too large',
    413,
    anthropic('request_too_large', 'Request exceeds the maximum size'),
    undefined,
  ],
  ['Anthropic: bad field', 400, anthropic(invalid, 'max_tokens: Field required'), undefined],
  [
    'Anthropic: too long',
    400,
    anthropic(invalid, 'prompt is too long: 210000 tokens > 200000 maximum'),
    undefined,
  ],
])
