import { bilingual } from '../../lib/texts.ts'

export const tokenFormText = bilingual({
  name: ['Name', '名称'],
  nameHint: [
    'Left empty, it is token-1, token-2 and so on.',
    '留空则自动命名为 token-1、token-2……',
  ],
  group: ['Group', '分组'],
  groupHint: [
    'Decides which models it can call, and at which multiplier.',
    '决定可调用的模型与倍率。',
  ],
  groupOption: [
    (name: string, multiplier: string, models: number) =>
      `${name} · ×${multiplier} · ${models === 1 ? '1 model' : `${models} models`}`,
    (name, multiplier, models) => `${name} · ×${multiplier} · ${models} 个模型`,
  ],
  models: ['Models', '可用模型'],
  modelsHint: [
    'Only these; none chosen: all of the group.',
    '仅限所选模型；不选则为分组内全部模型。',
  ],
  modelsAll: ['All of the group', '分组内全部模型'],
  limits: ['Budget, limits and restrictions', '额度、限流与访问限制'],
  budgetTotal: ['Budget, USD', '总额度（USD）'],
  budgetDay: ['Per day, USD', '每日额度（USD）'],
  budgetMonth: ['Per month, USD', '每月额度（USD）'],
  budgetHint: ['Days and months are those of UTC.', '日、月按 UTC 计算。'],
  noLimit: ['No limit', '不限'],
  rpm: ['Requests a minute', '每分钟请求数'],
  tpm: ['LLM tokens a minute', '每分钟 Token 数'],
  concurrency: ['Requests at once', '并发请求数'],
  expires: ['Expires', '过期时间'],
  expiresHint: ['In your own time zone; left empty: never.', '按您所在时区；留空则永不过期。'],
  ipAllow: ['Allowed addresses', 'IP 白名单'],
  ipAllowHint: [
    'IP addresses and CIDR blocks, each with Enter; none: any.',
    'IP 地址或 CIDR 网段，按回车逐个添加；留空则不限制。',
  ],
  strict: [
    'Refuse what translation between protocols would leave out',
    '协议转换会丢失内容时拒绝请求',
  ],
  needGroup: ['Choose a group.', '请选择分组。'],
})
