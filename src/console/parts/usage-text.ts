import { bilingual } from '../lib/language.ts'

export const usageText = bilingual({
  spending: ['Spending', '消费'],
  tokens: ['LLM tokens', 'LLM Token 用量'],
  requests: ['Requests', '请求数'],
  outcomes: ['Requests by outcome', '请求结果'],
  requestCount: ['Requests', '请求数'],
  failedCount: ['{count} failed', '失败 {count} 次'],
  whyFailed: ['Look at them', '查看失败请求'],
  firstByte: ['Time to first token', '首 Token 延迟'],
  firstByteNote: [
    'Mean, of those that were asked most. A gap: nothing was answered, or it was not measured.',
    '请求最多者的平均值。断开处表示没有应答或未测量。',
  ],
  others: {
    model: [(count: number) => `${count} other models`, (count) => `其他 ${count} 个模型`],
    token: [(count: number) => `${count} other tokens`, (count) => `其他 ${count} 个令牌`],
    account: [(count: number) => `${count} other accounts`, (count) => `其他 ${count} 个账户`],
    channel: [(count: number) => `${count} other channels`, (count) => `其他 ${count} 个渠道`],
    group: [(count: number) => `${count} other groups`, (count) => `其他 ${count} 个分组`],
  },
  without: {
    model: ['(model without a price)', '（无价格的模型）'],
    token: ['(no token)', '（无令牌）'],
    account: ['(no account)', '（无账户）'],
    channel: ['(reached no channel)', '（未到达渠道）'],
    group: ['(no group)', '（无分组）'],
  },
  openOthers: ['Show {others}', '显示{others}'],
  withoutLargest: ['Without the {count} that cost most.', '未包含消费最多的 {count} 项。'],
  backToAll: ['Show these, too', '显示全部'],
  outcomeUnknown: ['Outcome not recorded', '结果未记录'],
  range: ['Time shown', '显示时段'],
  days: ['{count} days', '{count} 天'],
  hours: ['24 hours', '24 小时'],
  hoursNote: [
    'Hours of your own time. The last, shaded, is not over.',
    '按您所在时区；末尾带底色的尚未结束。',
  ],
  daysNote: ['Whole UTC days. The last, shaded, is not over.', '按 UTC 日；末尾带底色的尚未结束。'],
  cutShort: [
    'Adding up took too long. Shown is what came since:',
    '汇总用时过长，仅显示此时间之后的数据：',
  ],
  splitBy: ['Split by', '拆分方式'],
  nothing: ['Nothing was asked in this time.', '此时段没有请求。'],
  spent: ['Spent', '消费'],
})
