import type { Operation } from './operation.ts'

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
export const statusOperation: Operation = {
  tag: 'Site',
  summary: 'Status',
  description:
    'How well requests were answered, by group and model. Those that failed by their own ' +
    "client's fault do not count; what nobody asked for has no figure. Made anew at most every " +
    '5 seconds.',
  needsKey: false,
  parameters: [
    {
      name: 'group',
      place: 'query',
      description: 'Only this group, with all its models instead of the 50 most asked for.',
      example: 'default',
    },
  ],
  answer: {
    description: 'The status.',
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
  },
  others: { 304: 'Unchanged.', 404: 'There is no such group.', 503: 'There are no figures yet.' },
}

/** The same for people. */
export const statusPageOperation: Operation = {
  tag: 'Site',
  summary: 'Status page',
  description:
    'The status as a page of HTML without scripts, in English or Simplified Chinese, by ' +
    "Accept-Language or ?lang=. On the status page's own host it is the front page, too. It has the " +
    'header Refresh, unless ?refresh=off is asked for.',
  needsKey: false,
  parameters: [
    { name: 'lang', place: 'query', description: 'en or zh.', example: 'zh' },
    {
      name: 'refresh',
      place: 'query',
      description: 'off: the page stays as it is.',
      example: 'off',
    },
  ],
  answer: { description: 'The page.', contentType: 'text/html', example: '<!doctype html>…' },
  others: { 304: 'Unchanged.', 503: 'There are no figures yet.' },
}
