import { bilingual } from '../lib/texts.ts'

/** Words of the charts of what was used. */
export const usageText = bilingual({
  spending: ['Spending by day and model', '每日各模型消费'],
  tokens: ['LLM tokens by day', '每日 LLM Token 用量'],
  requests: ['Requests by day', '每日请求数'],
  requestCount: ['Requests', '请求数'],
  firstByte: ['Time to first token by model', '各模型首 Token 延迟'],
  firstByteNote: [
    'Mean of a day, of the models that were asked most. A gap: nothing was answered, or it was not measured.',
    '请求最多的模型的当日平均值。断开处表示没有应答或未测量。',
  ],
  other: ['other models', '其他模型'],
  noPrice: ['(model without a price)', '（无价格的模型）'],
  input: ['Input', '输入'],
  cacheRead: ['Cache read', '缓存读取'],
  cacheWrite: ['Cache write', '缓存写入'],
  output: ['Output', '输出'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
  outcomeUnknown: ['Outcome not recorded', '结果未记录'],
  range: ['Days shown', '显示天数'],
  days: [(count: number) => `${count} days`, (count) => `${count} 天`],
  notOver: [
    'Whole days of UTC. The last one, shaded, is not over.',
    '均为完整的 UTC 日；末尾带底色的一天尚未结束。',
  ],
  byModel: ['By model', '按模型'],
  model: ['Model', '模型'],
  spent: ['Spent', '消费'],
})
