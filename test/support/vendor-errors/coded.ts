import { openAi, rowsOf } from './shapes.ts'

/** Vendors who speak OpenAI's protocol, with codes of their own. */
export const codedErrors = rowsOf('chat', [
  [
    'Moonshot: rate',
    429,
    openAi(
      'Your account reached max RPM: 3, please try again after 1 seconds',
      'rate_limit_reached_error',
    ),
    'upstream_rate_limited',
  ],
  [
    'Moonshot: money',
    429,
    openAi('The account has no money left.', 'exceeded_current_quota_error'),
    'upstream_quota',
  ],
  [
    'Moonshot: overloaded',
    429,
    openAi('Too much to do, please try again later', 'engine_overloaded_error'),
    'upstream_overloaded',
  ],
  [
    'Moonshot: unknown model',
    404,
    openAi('Not found the model test-model or Permission denied', 'resource_not_found_error'),
    'model_unavailable',
  ],
  [
    'Zhipu: money',
    429,
    { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } },
    'upstream_quota',
  ],
  [
    'Zhipu: unknown model',
    400,
    { error: { code: '1211', message: '模型不存在,请检查模型代码。' } },
    'model_unavailable',
  ],
  [
    'Zhipu: rate',
    429,
    { error: { code: '1302', message: '您的账户已达到速率限制。' } },
    'upstream_rate_limited',
  ],
  [
    'Zhipu: crowded',
    429,
    { error: { code: '1305', message: '该模型当前访问量过大。' } },
    'upstream_overloaded',
  ],
  [
    'DashScope: arrears',
    400,
    openAi(
      'Access denied, please make sure your account is in good standing.',
      'Arrearage',
      'Arrearage',
    ),
    'upstream_quota',
  ],
  [
    'DashScope: inspection',
    400,
    openAi(
      'Input data may contain inappropriate content.',
      'data_inspection_failed',
      'data_inspection_failed',
    ),
    undefined,
  ],
  [
    'DashScope: throttled',
    429,
    { code: 'Throttling.RateQuota', message: 'Requests rate limit exceeded.', request_id: '1' },
    'upstream_rate_limited',
  ],
  [
    'Ark: overdue',
    403,
    openAi('The account is overdue.', 'Forbidden', 'AccountOverdueError'),
    'upstream_quota',
  ],
  [
    'Ark: model not open',
    404,
    openAi('The model is not activated.', 'NotFound', 'ModelNotOpen'),
    'model_unavailable',
  ],
  [
    'Ark: overloaded',
    429,
    openAi('The service has too much to do.', 'TooManyRequests', 'ServerOverloaded'),
    'upstream_overloaded',
  ],
  [
    'SiliconFlow: balance',
    403,
    { code: 30001, message: 'Sorry, the balance of the account does not suffice', data: null },
    'upstream_quota',
  ],
  [
    'SiliconFlow: unknown model',
    400,
    { code: 20012, message: 'Model does not exist. Please check it carefully.', data: null },
    'model_unavailable',
  ],
  [
    'SiliconFlow: overloaded',
    503,
    { code: 50505, message: 'Model service overloaded. Please try again later.', data: null },
    'upstream_overloaded',
  ],
  [
    'MiniMax: wrong key',
    401,
    { base_resp: { status_code: 1004, status_msg: 'login fail' } },
    'upstream_auth',
  ],
])
