import { bilingual } from '../../lib/language.ts'

type Counts = Readonly<Record<'good' | 'some' | 'degraded' | 'down' | 'empty', number>>

export const texts = bilingual({
  description: [
    'How well requests were answered, by group and model, as the gateway itself has counted. Failures that the client caused do not count.',
    '按分组和模型统计的请求应答情况，由网关自身计数。因客户端自身原因失败的请求不计入。',
  ],
  publicPage: ['The public status page', '公开状态页'],
  at: ['As of', '数据时间'],
  operational: ['Operational', '正常'],
  degraded: ['Degraded', '部分异常'],
  down: ['Down', '不可用'],
  no_data: ['No data', '无数据'],
  some: ['A few failures', '少量失败'],
  all: ['No failure', '无失败'],
  hour: ['1\u00a0hour', '1\u00a0小时'],
  day: ['24\u00a0hours', '24\u00a0小时'],
  week: ['7\u00a0days', '7\u00a0天'],
  quarter: ['90\u00a0days', '90\u00a0天'],
  requests: ['{count} requests', '{count} 个请求'],
  firstByte: ['First byte (24 hours)', '首字节（24 小时）'],
  most: ['95 % within {time}', '95% 不超过 {time}'],
  speed: ['Output', '输出速度'],
  tokensPerSecond: ['Tokens/s', 'Token/秒'],
  perSecond: ['{tokens} tokens/s', '{tokens} Token/秒'],
  hours: ['The last 24 hours, by hour (UTC)', '最近 24 小时，每小时（UTC）'],
  days: ['The last 90 days (UTC)', '最近 90 天（UTC）'],
  bar: ['{failed} of {requests} requests failed', '{requests} 个请求中 {failed} 个失败'],
  summary: [
    (counts: Counts) =>
      `no failure ${counts.good}, a few failures ${counts.some}, degraded ${counts.degraded}, down ${counts.down}, no data ${counts.empty}`,
    (counts: Counts) =>
      `无失败 ${counts.good}，少量失败 ${counts.some}，部分异常 ${counts.degraded}，不可用 ${counts.down}，无数据 ${counts.empty}`,
  ],
  models: ['Models: {count}', '模型：{count}'],
  state: ['Now', '当前'],
  p50: ['First byte p50', '首字节 p50'],
  p95: ['First byte p95', '首字节 p95'],
  allModels: ['Show all {count} models', '显示全部 {count} 个模型'],
  others: ['Groups without requests in 90 days', '近 90 天没有请求的分组'],
  comma: [', ', '、'],
  noGroups: ['There is no group that is switched on', '没有已启用的分组'],
  noGroupsHint: ['What clients ask for is counted by group.', '请求按分组统计。'],
  toGroups: ['Groups', '前往分组'],
})
