import { bilingual, counted } from '../lib/language.ts'

export const usageText = bilingual({
  spending: ['Spending', '消费'],
  tokens: ['LLM tokens', 'LLM Token 用量'],
  requests: ['Requests', '请求数'],
  outcomes: ['Requests by outcome', '请求结果'],
  requestCount: ['Requests', '请求数'],
  failedCount: ['{count} failed', '失败 {count} 次'],
  failedShare: ['{count} failed, {share}', '失败 {count} 次，{share}'],
  whyFailed: ['See them', '查看失败请求'],
  titleBy: {
    model: ['{title} by model', '{title}（按模型）'],
    token: ['{title} by token', '{title}（按令牌）'],
    account: ['{title} by account', '{title}（按账户）'],
    channel: ['{title} by channel', '{title}（按渠道）'],
    group: ['{title} by group', '{title}（按分组）'],
  },
  firstByte: ['Time to first token', '首 Token 延迟'],
  firstByteNote: [
    'Mean, of those that were asked most. A gap: nothing was answered, or it was not measured.',
    '请求最多者的平均值。断开处表示没有应答或未测量。',
  ],
  others: {
    model: [counted('1 other model', '{count} other models'), (count) => `其他 ${count} 个模型`],
    token: [counted('1 other token', '{count} other tokens'), (count) => `其他 ${count} 个令牌`],
    account: [
      counted('1 other account', '{count} other accounts'),
      (count) => `其他 ${count} 个账户`,
    ],
    channel: [
      counted('1 other channel', '{count} other channels'),
      (count) => `其他 ${count} 个渠道`,
    ],
    group: [counted('1 other group', '{count} other groups'), (count) => `其他 ${count} 个分组`],
  },
  without: {
    model: ['(no model, or none with a price)', '（无模型，或模型无价格）'],
    token: ['(no token)', '（无令牌）'],
    account: ['(no account)', '（无账户）'],
    channel: ['(reached no channel)', '（未到达渠道）'],
    group: ['(no group)', '（无分组）'],
  },
  openOthers: ['Show {others}', '显示{others}'],
  fewer: ['Only those that are drawn', '只显示图表中的'],
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
  share: ['Share', '占比'],
  inAll: ['Usage', '用量合计'],
})
