import type { Texts } from '../lib/texts.ts'

const en = {
  spending: 'Spending by day and model',
  tokens: 'LLM tokens by day',
  requests: 'Requests by day',
  requestCount: 'Requests',
  firstByte: 'Time to first token by model',
  firstByteNote:
    'Mean of a day, of the models that were asked most. A gap: nothing was answered, or it was not measured.',
  other: 'other models',
  noPrice: '(model without a price)',
  input: 'Input',
  cacheRead: 'Cache read',
  cacheWrite: 'Cache write',
  output: 'Output',
  succeeded: 'Succeeded',
  failed: 'Failed',
  outcomeUnknown: 'Outcome not recorded',
  range: 'Days shown',
  days: (count: number) => `${count} days`,
  notOver: 'Whole days of UTC. The last one, shaded, is not over.',
  byModel: 'By model',
  model: 'Model',
  spent: 'Spent',
}

/** Words of the charts of what was used. */
export const usageText: Texts<typeof en> = {
  en,
  zh: {
    spending: '每日各模型消费',
    tokens: '每日 LLM Token 用量',
    requests: '每日请求数',
    requestCount: '请求数',
    firstByte: '各模型首 Token 延迟',
    firstByteNote: '请求最多的模型的当日平均值。断开处表示没有应答或未测量。',
    other: '其他模型',
    noPrice: '（无价格的模型）',
    input: '输入',
    cacheRead: '缓存读取',
    cacheWrite: '缓存写入',
    output: '输出',
    succeeded: '成功',
    failed: '失败',
    outcomeUnknown: '结果未记录',
    range: '显示天数',
    days: (count) => `${count} 天`,
    notOver: '均为完整的 UTC 日；末尾带底色的一天尚未结束。',
    byModel: '按模型',
    model: '模型',
    spent: '消费',
  },
}
