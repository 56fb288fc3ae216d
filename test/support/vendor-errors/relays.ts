import { openAi, rowsOf } from './shapes.ts'

const routed = (code: number, message: string, metadata?: object) => ({
  error: { message, code, ...(metadata && { metadata }) },
  user_id: 'user_1',
})

/** What stands between a gateway and a vendor: routers, other gateways, proxies. */
export const relayErrors = rowsOf('chat', [
  [
    'OpenRouter: credits',
    402,
    routed(402, 'This request requires more credits, or fewer max_tokens.'),
    'upstream_quota',
  ],
  [
    'OpenRouter: key limit',
    403,
    routed(403, 'Key limit exceeded (monthly limit).'),
    'upstream_quota',
  ],
  [
    'OpenRouter: moderation',
    403,
    routed(403, 'acme/test-model requires moderation on Acme. Your input was flagged for "x".', {
      reasons: ['x'],
      flagged_input: '…',
      provider_name: 'Acme',
    }),
    undefined,
  ],
  [
    'OpenRouter: no endpoints',
    404,
    routed(404, 'No endpoints found for acme/test-model.'),
    'model_unavailable',
  ],
  [
    'OpenRouter: unknown model',
    400,
    routed(400, 'acme/test-model is not a valid model ID'),
    'model_unavailable',
  ],
  [
    'OpenRouter: a vendor’s rate',
    429,
    routed(429, 'Provider returned error', {
      provider_name: 'Acme',
      raw: 'acme/test-model is temporarily rate-limited upstream.',
    }),
    'upstream_rate_limited',
  ],
  [
    'OpenRouter: a vendor’s overload',
    502,
    routed(502, 'Provider returned error', {
      provider_name: 'Acme',
      raw: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    }),
    'upstream_overloaded',
  ],
  [
    'OpenRouter: free requests',
    429,
    routed(429, 'Rate limit exceeded: free-models-per-min.', {
      headers: {
        'X-RateLimit-Limit': '20',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': '1741305600000',
      },
    }),
    'upstream_rate_limited',
  ],
  [
    'another gateway: money',
    401,
    { code: 'INSUFFICIENT_BALANCE', message: 'Insufficient account balance' },
    'upstream_quota',
  ],
  [
    'another gateway: user’s quota',
    403,
    openAi('用户额度不足, 剩余额度: $0.01', 'new_api_error', 'insufficient_user_quota'),
    'upstream_quota',
  ],
  [
    'another gateway: no channel',
    503,
    openAi(
      'No available channel for model test-model under group default',
      'new_api_error',
      'model_not_found',
    ),
    'model_unavailable',
  ],
  ['another gateway: not found', 404, '404 page not found', 'upstream_invalid'],
  ['too early', 425, openAi('Too early.', null), 'upstream_failed'],
  ['slow client', 408, openAi('The request took too long to arrive.', null), 'timeout_first_byte'],
  ['legal reasons', 451, openAi('Not in your country.', null), 'upstream_auth'],
  ['a 4xx without a reason', 418, {}, undefined],
  ['axum: bad field', 422, 'Failed to deserialize the JSON body', 'refusal_unreadable'],
  ['nginx: too large', 413, '<html>413 Request Entity Too Large</html>', 'request_too_large'],
  ['nginx: bad gateway', 502, '<html>502 Bad Gateway</html>', 'upstream_failed'],
  [
    'Cloudflare: blocked',
    403,
    '<!DOCTYPE html><title>Attention Required!</title>',
    'upstream_blocked',
  ],
  ['a proxy: credentials', 407, '', 'upstream_blocked'],
  ['a redirect', 302, '', 'upstream_invalid'],
])
