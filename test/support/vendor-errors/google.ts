import { because, google, rowsOf } from './shapes.ts'

const retryIn = (retryDelay: string) => ({
  '@type': 'type.googleapis.com/google.rpc.RetryInfo',
  retryDelay,
})
const quota = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel', quotaValue: '15' }],
}

export const googleErrors = rowsOf('gemini', [
  [
    'Gemini: wrong key',
    400,
    google(400, 'INVALID_ARGUMENT', 'API key not valid. Take another one.', [
      because('API_KEY_INVALID'),
    ]),
    'upstream_auth',
  ],
  [
    'Gemini: old key',
    400,
    google(400, 'INVALID_ARGUMENT', 'API key expired. Renew it.'),
    'upstream_auth',
  ],
  [
    'Gemini: leaked key',
    403,
    google(403, 'PERMISSION_DENIED', 'Your API key was reported as leaked.'),
    'upstream_auth',
  ],
  [
    'Gemini: location',
    400,
    google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    'upstream_auth',
  ],
  [
    'Gemini: service off',
    403,
    google(403, 'PERMISSION_DENIED', 'The API is not used in project 1 yet.', [
      because('SERVICE_DISABLED'),
    ]),
    'upstream_auth',
  ],
  [
    'Gemini: no billing',
    403,
    google(403, 'PERMISSION_DENIED', 'This needs billing.', [because('BILLING_DISABLED')]),
    'upstream_quota',
  ],
  [
    'Gemini: token of the cloud',
    401,
    google(401, 'UNAUTHENTICATED', 'The credentials are not valid.'),
    'upstream_auth',
  ],
  [
    'Gemini: rate',
    429,
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan. Please retry in 34.07s.',
      [quota, retryIn('34s')],
    ),
    'upstream_rate_limited',
  ],
  [
    'Gemini: rate, streamed',
    429,
    [google(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted.')],
    'upstream_rate_limited',
  ],
  [
    'Gemini: overloaded',
    503,
    google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    'upstream_overloaded',
  ],
  [
    'Gemini: unavailable',
    503,
    google(503, 'UNAVAILABLE', 'Visibility check was not there.'),
    'upstream_overloaded',
  ],
  [
    'Gemini: internal',
    500,
    google(500, 'INTERNAL', 'An internal error has occurred.'),
    'upstream_failed',
  ],
  [
    'Gemini: deadline',
    504,
    google(504, 'DEADLINE_EXCEEDED', 'The deadline passed.'),
    'upstream_failed',
  ],
  ['Gemini: aborted', 409, google(409, 'ABORTED', 'Too much at once.'), 'upstream_failed'],
  [
    'Gemini: cancelled',
    499,
    google(499, 'CANCELLED', 'The operation was cancelled.'),
    'upstream_failed',
  ],
  [
    'Gemini: unknown model',
    404,
    google(
      404,
      'NOT_FOUND',
      'models/test-model is not found for API version v1beta, or is not supported for generateContent.',
    ),
    'model_unavailable',
  ],
  [
    'Vertex: unknown model',
    404,
    google(
      404,
      'NOT_FOUND',
      'Publisher Model `projects/p/locations/l/publishers/google/models/test-model` was not found or your project has no access.',
    ),
    'model_unavailable',
  ],
  [
    'Vertex: no permission',
    403,
    google(
      403,
      'PERMISSION_DENIED',
      "Permission 'aiplatform.endpoints.predict' denied on resource.",
    ),
    'upstream_auth',
  ],
  [
    'Vertex: file of the client',
    403,
    google(
      403,
      'PERMISSION_DENIED',
      'service-1@gcp.example does not have storage.objects.get access to the object.',
    ),
    undefined,
  ],
  [
    'Gemini: file of the client',
    403,
    google(
      403,
      'PERMISSION_DENIED',
      'You do not have permission to access the File abc or it may not exist.',
    ),
    undefined,
  ],
  [
    'Gemini: cache of the client',
    403,
    google(403, 'PERMISSION_DENIED', 'CachedContent not found (or permission denied)'),
    undefined,
  ],
  [
    'Gemini: bad field',
    400,
    google(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unknown name "x".', [
      { fieldViolations: [{ field: 'contents' }] },
    ]),
    undefined,
  ],
  [
    'Gemini: too long',
    400,
    google(400, 'INVALID_ARGUMENT', 'The input token count (2000000) exceeds the maximum.'),
    undefined,
  ],
])
