import { bilingual } from '../../lib/texts.ts'

/** Words of the overview. */
export const texts = bilingual({
  title: ['Overview', '概览'],
  balance: ['Balance', '余额'],
  reserved: [
    (usd: string) => `${usd} of it is set aside for requests under way.`,
    (usd) => `其中 ${usd} 已为进行中的请求预留。`,
  ],
  lowTitle: ['Your balance is low', '余额不足提醒'],
  low: [
    (balance: string, below: string) =>
      `${balance} is left, less than ${below}. Top it up, or ask whoever runs this gateway: when it is used up, requests are refused.`,
    (balance, below) =>
      `剩余 ${balance}，低于 ${below}。请充值或联系网关管理员；余额用尽后请求会被拒绝。`,
  ],
  usedUpTitle: ['Your balance is used up', '余额已用尽'],
  usedUp: [
    (balance: string) =>
      `The balance is ${balance}: requests are refused until it is topped up. Ask whoever runs this gateway.`,
    (balance) => `当前余额 ${balance}：充值之前，请求都会被拒绝。请联系网关管理员。`,
  ],
  toBalance: ['Balance and ledger', '余额与账单'],
  today: ['Spent today', '今日消费'],
  month: ['Spent this month', '本月消费'],
  range: [(days: number) => `Spent in ${days} days`, (days) => `近 ${days} 天消费`],
  utc: ['By UTC', '按 UTC 计'],
  requests: ['Requests', '请求数'],
  failed: [(count: string) => `${count} failed`, (count) => `失败 ${count} 次`],
  whyFailed: ['Look at them', '查看失败请求'],
  noTokenTitle: ['You have no token yet', '还没有令牌'],
  noToken: [
    'A token is the API key that your programs send. Make one: ready-made snippets for each client come with it.',
    '令牌就是程序调用时使用的 API 密钥。创建后即可获得各客户端的接入示例。',
  ],
  makeToken: ['Make a token', '创建令牌'],
  noRequestTitle: [
    (days: number) => `No request in ${days} days`,
    (days) => `近 ${days} 天没有请求`,
  ],
  noRequest: [
    'Take a snippet of one of your tokens, or ask a model right here in the playground.',
    '可以使用令牌页上的接入示例，或直接在操练场里试用模型。',
  ],
  toTokens: ['Tokens and snippets', '令牌与接入示例'],
  toPlayground: ['Open the playground', '打开操练场'],
})
