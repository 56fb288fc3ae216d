import { feedExample, plazaExample, receiptExample, statusExample } from './examples.ts'
import { chapter, type Operation, type Operations } from './operation.ts'

const totals = {
  ...{ requests: 12, input_tokens: 4000, output_tokens: 900 },
  ...{ cache_read_tokens: 0, cache_write_tokens: 0, cost: '0.0028' },
}

const account = chapter('Account', {
  'GET /v1/usage': {
    summary: 'Balance and use of the calling token',
    description: 'Works with a used-up balance, too. Money is a decimal text in USD.',
    answer: 'Balance, group, multiplier; requests, tokens and cost today (UTC) and in all.',
    example: {
      ...{ object: 'usage', currency: 'USD', token: 'laptop', balance: '97.3120' },
      ...{ group: 'default', rate_multiplier: '0.8', today: totals, total: totals },
    },
  },
  'GET /v1/receipts/{id}': {
    summary: 'Why a request cost what it did',
    description:
      'For the tokens of the account that made the request, once it has ended. The id is the ' +
      "x-request-id of its answer. Works with a used-up balance, too. With 'Accept: text/plain' " +
      'the same as text for people. Prices are micro-USD per 1M tokens or nano-USD per call, ' +
      'amounts are nano-USD (a billionth of a USD).',
    parameters: [
      { name: 'id', place: 'path', description: 'Id of a request.', example: 'req_0123' },
    ],
    answer: 'Reported usage, counts, price, tier and why, multiplier, formula, amount, attempts.',
    example: receiptExample,
    others: {
      404: 'This account has made no such request, or it is still under way, or it leaves no record.',
    },
  },
})

const feed: Omit<Operation, 'tag'> = {
  summary: 'Price feed',
  description:
    'Final prices of every model in every group, in USD. Rebuilt about every 2 minutes; ask every ' +
    '15 minutes or more, with If-None-Match. There are no CORS headers. GET and HEAD only.',
  isOpen: true,
  answer: 'The feed.',
  schema: 'feed',
  example: feedExample,
  others: { 304: 'Unchanged.', 405: 'Another method.', 503: 'There are no prices at present.' },
}

const prices = chapter('Prices', {
  'GET /pricing/provider-pricing.json': feed,
  'GET /api/provider/pricing': { ...feed, summary: 'Price feed, backup address: the same bytes' },
  'GET /api/v1/model-plaza': {
    summary: 'Model plaza',
    description:
      'Base prices in USD per single token (or per request), multipliers and list prices. Base ' +
      'price times rate_multiplier is the price of the feed. The operator may ask for a key here.',
    isOpen: true,
    answer: 'The plaza.',
    schema: 'plaza',
    example: plazaExample,
    others: { 304: 'Unchanged.', 401: 'A key is asked for.', 404: 'The plaza is switched off.' },
  },
})

const schemaFile = (summary: string): Omit<Operation, 'tag'> => ({
  summary,
  isOpen: true,
  answer: 'A JSON Schema (draft 2020-12).',
  answerType: 'application/json',
  others: { 304: 'Unchanged.' },
})

const site = chapter('Site', {
  'GET /api/v1/settings/public': {
    summary: 'Public settings',
    description:
      'Fields come and go with versions: read those you need. What is not known is null.',
    isOpen: true,
    answer: 'The settings.',
    schema: 'settings',
    others: { 304: 'Unchanged.' },
  },
  'GET /api/v1/status': {
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
    example: statusExample,
    others: { 304: 'Unchanged.', 404: 'There is no such group.', 503: 'There are no figures yet.' },
  },
  'GET /status': {
    summary: 'Status page',
    description:
      'The status as a page of HTML without scripts, in English or Simplified Chinese, by ' +
      "Accept-Language or ?lang=. On the status page's own host it is the front page, too. It has the " +
      'header Refresh, unless ?refresh=off is asked for.',
    isOpen: true,
    parameters: [
      { name: 'lang', place: 'query', description: 'en or zh.', example: 'zh' },
      { name: 'refresh', place: 'query', description: 'off: the page stays.', example: 'off' },
    ],
    answer: 'The page.',
    answerType: 'text/html',
    example: '<!doctype html>…',
    others: { 304: 'Unchanged.', 503: 'There are no figures yet.' },
  },
  'GET /schemas/feed.json': schemaFile('Schema of the price feed'),
  'GET /schemas/plaza.json': schemaFile('Schema of the model plaza'),
  'GET /schemas/settings.json': schemaFile('Schema of the public settings'),
  'GET /schemas/status.json': schemaFile('Schema of the status'),
  'GET /schemas/tollgate.yaml.json': schemaFile("Schema of the operator's tollgate.yaml"),
  'GET /livez': {
    summary: 'Whether the process answers',
    description: 'For supervisors: what is behind the gateway, its database too, is not asked.',
    isOpen: true,
    answer: 'It does.',
    answerType: 'text/plain',
    example: 'alive\n',
  },
  'GET /readyz': {
    summary: 'Whether requests may be sent here',
    description:
      'For load balancers, as often as they like: the database is asked at most once a second.',
    isOpen: true,
    answer: 'They may.',
    answerType: 'text/plain',
    example: 'ready\n',
    others: {
      503: 'The gateway is about to stop, or its database does not answer, takes no writes or reports no changes; or its spool is full.',
    },
  },
  'GET /api/hello': {
    summary: 'Sign of life',
    isOpen: true,
    answer: 'The gateway is up. Nothing in it.',
  },
})

/** Endpoints about the gateway and a key. */
export const siteOperations: Operations = { ...account, ...prices, ...site }
