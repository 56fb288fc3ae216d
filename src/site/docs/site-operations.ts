import type { Operation } from './operation.ts'

/** The receipt that the example shows: 1,200 tokens in, 40 out, of a model with two tiers. */
const receipt = {
  request_id: 'req_0123',
  created_at: '2026-11-21T08:00:00.000Z',
  account: 'kim@example.com',
  token: 'laptop',
  group: 'default',
  model: 'long-model',
  channel: 'main',
  client_protocol: 'chat',
  upstream_protocol: 'chat',
  operation: 'completions',
  stream: true,
  status: 200,
  cause: null,
  cause_text: null,
  ending: 'complete',
  input_tokens: 1200,
  output_tokens: 40,
  reasoning_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  calls: 1,
  estimated: false,
  clamped: false,
  amount_nano: 1_520_000,
  first_byte_ms: 210,
  duration_ms: 1480,
  estimated_reason: null,
  clamped_reason: null,
  usage_raw: { prompt_tokens: 1200, completion_tokens: 40, total_tokens: 1240 },
  extras: null,
  price: {
    id: 7,
    model: 'long-model',
    valid_from: '2026-11-01T00:00:00.000Z',
    unit: 'tokens',
    input: 1_250_000,
    output: 10_000_000,
    cache_read: 1_250_000,
    cache_write: 1_250_000,
    cache_write_1h: 1_250_000,
    tiers: [
      {
        above: 200_000,
        input: 2_500_000,
        output: 15_000_000,
        cache_read: 2_500_000,
        cache_write: 2_500_000,
        cache_write_1h: 2_500_000,
      },
    ],
  },
  context_tokens: 1200,
  long_context_pricing: true,
  tier_above: null,
  tier_reason: 'base tier: 1,200 tokens of context, the next tier begins above 200,000',
  multiplier: 0.8,
  multiplier_millionths: 800_000,
  formula: '(1200 × 1250000 + 40 × 10000000) × 0.8 / 1000 = 1520000 nano-USD',
  attempts: [
    {
      channel: 'main',
      started_at: '2026-11-21T08:00:00.004Z',
      status: 200,
      cause: null,
      first_byte_ms: 205,
      duration_ms: 1475,
      usage: { prompt_tokens: 1200, completion_tokens: 40, total_tokens: 1240 },
    },
  ],
  ledger_id: 42,
  balance_after_nano: 97_312_000_000,
  differences: [],
}

/** `GET /v1/receipts/{id}`. */
export const receiptOperation: Operation = {
  tag: 'Account',
  summary: 'Why a request cost what it did',
  description:
    'For the tokens of the account that made the request, once it has ended. The id is the ' +
    "x-request-id of its answer. Works with a used-up balance, too. With 'Accept: text/plain' " +
    'the same as text for people. Prices are micro-USD per 1M tokens or nano-USD per call, ' +
    'amounts are nano-USD (a billionth of a USD).',
  parameters: [
    {
      name: 'id',
      place: 'path',
      description: 'Id of a request.',
      example: 'req_0123',
    },
  ],
  answer: 'Reported usage, counts, price, tier and why, multiplier, formula, amount, attempts.',
  example: receipt,
  others: {
    404: 'This account has made no such request, or it is still under way, or it leaves no record.',
  },
}

const figures = {
  state: 'operational',
  availability: {
    '1h': { requests: 40, ratio: 1 },
    '24h': { requests: 1000, ratio: 0.998 },
    '7d': { requests: 1000, ratio: 0.998 },
    '90d': { requests: 1000, ratio: 0.998 },
  },
  first_byte_ms: { p50: 640, p95: 2100 },
  tokens_per_second: 58.3,
}

const nothing = { requests: 0, failed: 0 }
const latest = (bars: number, last: object) => [...new Array(bars - 1).fill(nothing), last]

/** How well requests were answered. */
const statusOperation: Operation = {
  tag: 'Site',
  summary: 'Status',
  description:
    'How well requests were answered, by group and model. Those that failed by their own ' +
    "client's fault do not count; what nobody asked for has no figure. Made anew at most every " +
    '5 seconds.',
  isOpen: true,
  parameters: [
    {
      name: 'group',
      place: 'query',
      description: 'Only this group, with all its models instead of the 50 most asked for.',
      example: 'default',
    },
  ],
  answer: 'The status.',
  schema: 'status',
  example: {
    code: 0,
    message: 'success',
    data: {
      generated_at: '2026-11-22T08:00:00.000Z',
      groups: [
        {
          id: 1,
          name: 'default',
          platform: 'openai',
          ...figures,
          hours: latest(24, { requests: 1000, failed: 2 }),
          days: latest(90, { requests: 1000, failed: 2 }),
          models_total: 1,
          models: [{ name: 'gpt-5-mini', ...figures }],
        },
      ],
    },
  },
  others: { 304: 'Unchanged.', 404: 'There is no such group.', 503: 'There are no figures yet.' },
}

/** The same for people. */
const statusPageOperation: Operation = {
  tag: 'Site',
  summary: 'Status page',
  description:
    'The status as a page of HTML without scripts, in English or Simplified Chinese, by ' +
    "Accept-Language or ?lang=. On the status page's own host it is the front page, too. It has the " +
    'header Refresh, unless ?refresh=off is asked for.',
  isOpen: true,
  parameters: [
    { name: 'lang', place: 'query', description: 'en or zh.', example: 'zh' },
    {
      name: 'refresh',
      place: 'query',
      description: 'off: the page stays as it is.',
      example: 'off',
    },
  ],
  answer: 'The page.',
  answerType: 'text/html',
  example: '<!doctype html>…',
  others: { 304: 'Unchanged.', 503: 'There are no figures yet.' },
}

const totals = {
  requests: 12,
  input_tokens: 4000,
  output_tokens: 900,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost: '0.0028',
}

const tokenPrices = {
  billing_mode: 'token',
  input_price: 0.00000025,
  output_price: 0.000002,
  cache_write_price: 0.00000025,
  cache_write_1h_price: 0.00000025,
  cache_read_price: 0.000000025,
  per_request_price: null,
  intervals: [],
  modality_prices: {},
  tool_prices: { web_search: 0.01 },
  service_tiers: { flex: 0.5, priority: 2 },
}

const feed: Operation = {
  tag: 'Prices',
  summary: 'Price feed',
  description:
    'Final prices of every model in every group, in USD. Rebuilt about every 2 minutes; ask every ' +
    '15 minutes or more, with If-None-Match. There are no CORS headers. GET and HEAD only.',
  isOpen: true,
  answer: 'The feed.',
  schema: 'feed',
  example: {
    schema_version: '1.0',
    success: true,
    message: '',
    data: {
      currency: 'CNY',
      price_unit: 'per_1m_tokens',
      site_name: 'My gateway',
      site_domain: 'gateway.example.com',
      updated_at: '2026-11-21T08:00:00.000Z',
      models: [
        {
          model_name: 'gpt-5-mini',
          group_name: 'default',
          input_price: 0.2,
          output_price: 1.6,
          cache_input_price: 0.02,
          cache_create_price: 0.2,
          cache_create_price_1h: 0.2,
          enabled: true,
          note: '',
        },
      ],
    },
  },
  others: { 304: 'Unchanged.', 405: 'Another method.', 503: 'There are no prices at present.' },
}

const schemaFile = (summary: string): Operation => ({
  tag: 'Site',
  summary,
  isOpen: true,
  answer: 'A JSON Schema (draft 2020-12).',
  answerType: 'application/json',
  others: { 304: 'Unchanged.' },
})

/** What the gateway tells of itself and of a key. */
export const siteOperations: Readonly<Record<string, Operation>> = {
  'GET /v1/usage': {
    tag: 'Account',
    summary: 'Balance and use of the calling token',
    description: 'Works with a used-up balance, too. Money is a decimal text in USD.',
    answer: 'Balance, group, multiplier; requests, tokens and cost today (UTC) and in all.',
    example: {
      object: 'usage',
      currency: 'USD',
      token: 'laptop',
      balance: '97.3120',
      group: 'default',
      rate_multiplier: '0.8',
      today: totals,
      total: totals,
    },
  },
  'GET /v1/receipts/{id}': receiptOperation,
  'GET /pricing/provider-pricing.json': feed,
  'GET /api/provider/pricing': { ...feed, summary: 'Price feed, backup address: the same bytes' },
  'GET /api/v1/model-plaza': {
    tag: 'Prices',
    summary: 'Model plaza',
    description:
      'Base prices in USD per single token (or per request), multipliers and list prices. Base ' +
      'price times rate_multiplier is the price of the feed. The operator may ask for a key here.',
    isOpen: true,
    answer: 'The plaza.',
    schema: 'plaza',
    example: {
      code: 0,
      message: 'success',
      data: {
        description: '',
        groups: [
          {
            id: 1,
            name: 'default',
            description: 'All models',
            platform: 'openai',
            rate_multiplier: 0.8,
            long_context_pricing_enabled: true,
            models: [
              {
                name: 'gpt-5-mini',
                platform: 'openai',
                pricing: tokenPrices,
                official_pricing: null,
              },
            ],
          },
        ],
      },
    },
    others: { 304: 'Unchanged.', 401: 'A key is asked for.', 404: 'The plaza is switched off.' },
  },
  'GET /api/v1/settings/public': {
    tag: 'Site',
    summary: 'Public settings',
    description:
      'Fields come and go with versions: read those you need. What is not known is null.',
    isOpen: true,
    answer: 'The settings.',
    schema: 'settings',
    others: { 304: 'Unchanged.' },
  },
  'GET /api/v1/status': statusOperation,
  'GET /status': statusPageOperation,
  'GET /schemas/feed.json': schemaFile('Schema of the price feed'),
  'GET /schemas/plaza.json': schemaFile('Schema of the model plaza'),
  'GET /schemas/settings.json': schemaFile('Schema of the public settings'),
  'GET /schemas/status.json': schemaFile('Schema of the status'),
  'GET /schemas/tollgate.yaml.json': schemaFile("Schema of the operator's tollgate.yaml"),
  'GET /livez': {
    tag: 'Site',
    summary: 'Whether the process answers',
    description: 'For supervisors: what is behind the gateway, its database too, is not asked.',
    isOpen: true,
    answer: 'It does.',
    answerType: 'text/plain',
    example: 'alive\n',
  },
  'GET /readyz': {
    tag: 'Site',
    summary: 'Whether requests may be sent here',
    description:
      'For load balancers, as often as they like: the database is asked at most once a second.',
    isOpen: true,
    answer: 'They may.',
    answerType: 'text/plain',
    example: 'ready\n',
    others: {
      503: 'The gateway is about to stop, or its database does not answer, takes no writing or tells of no changes; with its spool full, that is told.',
    },
  },
  'GET /api/hello': {
    tag: 'Site',
    summary: 'Sign of life',
    isOpen: true,
    answer: 'The gateway is up. Nothing in it.',
  },
}
