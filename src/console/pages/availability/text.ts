import type { Texts } from '../../lib/language.tsx'

const en = {
  title: 'Availability',
  description:
    'How well requests were answered, by group and model, as the gateway itself has counted. Failures by a client’s own fault do not count.',
  publicPage: 'The public status page',
  at: 'As of',
  operational: 'Operational',
  degraded: 'Degraded',
  down: 'Down',
  no_data: 'No data',
  some: 'A few failures',
  all: 'No failure',
  hour: '1 hour',
  day: '24 hours',
  week: '7 days',
  quarter: '90 days',
  requests: (count: string) => `${count} requests`,
  firstByte: 'First byte (24 hours)',
  half: (time: string) => `half within ${time}`,
  most: (time: string) => `95 % within ${time}`,
  speed: 'Output',
  perSecond: (tokens: string) => `${tokens} tokens/s`,
  hours: 'The last 24 hours, by hour (UTC)',
  days: 'The last 90 days (UTC)',
  bar: (failed: string, requests: string) => `${failed} of ${requests} requests failed`,
  summary: (counts: {
    good: number
    some: number
    degraded: number
    down: number
    empty: number
  }) =>
    `no failure ${counts.good}, a few failures ${counts.some}, degraded ${counts.degraded}, down ${counts.down}, no data ${counts.empty}`,
  models: (count: string) => `Models: ${count}`,
  model: 'Model',
  state: 'Now',
  p50: 'First byte p50',
  p95: 'First byte p95',
  allModels: (count: string) => `Show all ${count} models`,
  noModels: 'No model of this group was asked for in 90 days.',
  noGroups: 'There is no group that is switched on',
  noGroupsHint: 'What clients ask for is counted by group.',
  toGroups: 'Groups',
}

/** Words of the page of availability. */
export const texts: Texts<typeof en> = {
  en,
  zh: {
    title: '可用性',
    description:
      '按分组和模型统计的请求应答情况，由网关自身计数。因客户端自身原因失败的请求不计入。',
    publicPage: '公开状态页',
    at: '数据时间',
    operational: '正常',
    degraded: '部分异常',
    down: '不可用',
    no_data: '无数据',
    some: '少量失败',
    all: '无失败',
    hour: '1 小时',
    day: '24 小时',
    week: '7 天',
    quarter: '90 天',
    requests: (count) => `${count} 个请求`,
    firstByte: '首字节（24 小时）',
    half: (time) => `半数不超过 ${time}`,
    most: (time) => `95% 不超过 ${time}`,
    speed: '输出速度',
    perSecond: (tokens) => `${tokens} Token/秒`,
    hours: '最近 24 小时，每小时（UTC）',
    days: '最近 90 天（UTC）',
    bar: (failed, requests) => `${requests} 个请求中 ${failed} 个失败`,
    summary: (counts) =>
      `无失败 ${counts.good}，少量失败 ${counts.some}，部分异常 ${counts.degraded}，不可用 ${counts.down}，无数据 ${counts.empty}`,
    models: (count) => `模型：${count}`,
    model: '模型',
    state: '当前',
    p50: '首字节 p50',
    p95: '首字节 p95',
    allModels: (count) => `显示全部 ${count} 个模型`,
    noModels: '近 90 天没有请求过该分组的模型。',
    noGroups: '没有已启用的分组',
    noGroupsHint: '请求按分组统计。',
    toGroups: '前往分组',
  },
}
