import type { Texts } from '../../lib/language.tsx'

const en = {
  title: 'Overview',
  balance: 'Balance',
  reserved: (usd: string) => `${usd} of it is set aside for requests under way.`,
  lowTitle: 'Your balance is low',
  low: (balance: string, below: string) =>
    `${balance} is left, less than ${below}. Top it up, or ask whoever runs this gateway: when it is used up, requests are refused.`,
  usedUpTitle: 'Your balance is used up',
  usedUp: (balance: string) =>
    `The balance is ${balance}: requests are refused until it is topped up. Ask whoever runs this gateway.`,
  toBalance: 'Balance and ledger',
  today: 'Spent today',
  month: 'Spent this month',
  range: (days: number) => `Spent in ${days} days`,
  utc: 'By UTC',
  requests: 'Requests',
  failed: (count: string) => `${count} failed`,
  whyFailed: 'Look at them',
  noTokenTitle: 'You have no token yet',
  noToken:
    'A token is the API key that your programs send. Make one: ready-made snippets for each client come with it.',
  makeToken: 'Make a token',
  noRequestTitle: (days: number) => `No request in ${days} days`,
  noRequest: 'Take a snippet of one of your tokens, or ask a model right here in the playground.',
  toTokens: 'Tokens and snippets',
  toPlayground: 'Open the playground',
}

/** Words of the overview. */
export const texts: Texts<typeof en> = {
  en,
  zh: {
    title: '概览',
    balance: '余额',
    reserved: (usd) => `其中 ${usd} 已为进行中的请求预留。`,
    lowTitle: '余额不足提醒',
    low: (balance, below) =>
      `剩余 ${balance}，低于 ${below}。请充值或联系网关管理员；余额用尽后请求会被拒绝。`,
    usedUpTitle: '余额已用尽',
    usedUp: (balance) => `当前余额 ${balance}：充值之前，请求都会被拒绝。请联系网关管理员。`,
    toBalance: '余额与账单',
    today: '今日消费',
    month: '本月消费',
    range: (days) => `近 ${days} 天消费`,
    utc: '按 UTC 计',
    requests: '请求数',
    failed: (count) => `失败 ${count} 次`,
    whyFailed: '查看失败请求',
    noTokenTitle: '还没有令牌',
    noToken: '令牌就是程序调用时使用的 API 密钥。创建后即可获得各客户端的接入示例。',
    makeToken: '创建令牌',
    noRequestTitle: (days) => `近 ${days} 天没有请求`,
    noRequest: '可以使用令牌页上的接入示例，或直接在操练场里试用模型。',
    toTokens: '令牌与接入示例',
    toPlayground: '打开操练场',
  },
}
