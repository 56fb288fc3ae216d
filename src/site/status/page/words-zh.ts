import { grouped } from '../../../lib/format.ts'
import { stateWords } from '../../../look/states.ts'
import type { Words } from './words-en.ts'

/** The page in Simplified Chinese. */
export const chinese: Words = {
  status: '服务状态',
  states: stateWords.zh,
  bars: { all: '无失败', some: '少量失败' },
  headline({ degraded, down, no_data }, groups) {
    if (groups === 0) return '没有分组'
    if (no_data === groups) return '最近一小时没有测到任何请求'
    const of = `${grouped(groups)} 个分组中，`
    if (down + degraded > 0) {
      const ill = [
        ...(down > 0 ? [`${grouped(down)} 个不可用`] : []),
        ...(degraded > 0 ? [`${grouped(degraded)} 个部分异常`] : []),
      ]
      return of + ill.join('，')
    }
    if (no_data === 0) return '所有分组运行正常'
    return `有请求的分组均运行正常；${grouped(no_data)} 个分组最近一小时没有请求`
  },
  listed: (heading, names) => `${heading}：${names.join('、')}`,
  updated: '更新于',
  groups: '分组',
  noGroups: '运营者还没有创建分组，暂时没有可统计的内容。',
  hours: '24 小时',
  days: '90 天',
  oldest: { hours: '24 小时前', days: '90 天前' },
  latest: { hours: '本小时', days: '今天' },
  lastHour: '最近一小时',
  sevenDays: '7 天',
  firstToken: '首 Token 延迟',
  began: (half, most) => `<small>半数不超过</small> ${half}，<small>95% 不超过</small> ${most}`,
  speed: '输出速度',
  perSecond: (tokens) => `${tokens} Token/秒`,
  noData: '无数据',
  never90: '90 天内没有测到请求。',
  failures: (failed, requests) => `${grouped(requests)} 个请求中 ${grouped(failed)} 个失败`,
  succeeded: (percent) => `成功率 ${percent}`,
  requests: (requests) => `${grouped(requests)} 个请求`,
  chart: {
    hours: '最近 24 小时',
    days: '最近 90 天',
    summary: ({ good, some, degraded, down, empty }) =>
      `无失败 ${good}，少量失败 ${some}，部分异常 ${degraded}，不可用 ${down}，无数据 ${empty}`,
  },
  models: (total) => `${grouped(total)} 个模型`,
  model: '模型',
  now: '当前',
  shortHours: '24 小时',
  shortDays: '90 天',
  moreModels: (left) => `另有 ${grouped(left)} 个模型未在此列出：`,
  furtherGroups: '其他分组',
  furtherAbout: '为控制页面大小，此处省略了这些分组的逐时、逐日数据和模型：',
  moreGroups: (left) => `另有 ${grouped(left)} 个分组未在此列出：`,
  asJson: '全部数据（JSON）',
  incidents: '故障记录',
  noIncidents: (since) => `自 ${since} 以来没有测到故障。`,
  incidentsSince: (since) => `自 ${since} 起，最近的在前。`,
  moreIncidents: (left) => `另有 ${grouped(left)} 次更早的故障未列出。`,
  degradedSpan: '部分异常',
  downSpan: '不可用',
  openNow: {
    operational: '已恢复',
    degraded: '仍部分异常',
    down: '仍不可用',
    no_data: '此后没有请求',
  },
  since: (time) => `${time} 起`,
  hoursLong: (hours) => `${grouped(hours)} 小时`,
  measured: '如何统计',
  explained: [
    '网关在自身的请求结束时进行统计，本页没有任何人工填写的内容。因客户端自身原因失败的请求不计入。百分比为成功请求所占比例，向下取整：100% 表示没有一次失败。没有测到请求时显示“无数据”，这并不等于正常。',
    '分组的状态取最近 5 分钟（至少有 5 个请求时），否则取最近一小时：低于 95% 为部分异常，低于 50% 为不可用。每个柱形按同样的标准表示一个完整的小时或一天（UTC）；最后一个尚未结束。',
    '故障由这些统计得出：分组连续若干小时处于部分异常或不可用状态，即为一次故障，可追溯的范围为逐时数据的保存期（35 天）。没有请求的小时会使其结束。若仅最近几分钟异常，则先单独列出，直到该小时的统计给出结论。',
    '首 Token 延迟和输出速度取最近 24 小时内的流式请求。',
  ],
  refresh: '本页刷新：',
  everyMinute: '每分钟',
  never: '不刷新',
  day: (date) => `${date.getUTCFullYear()}年${date.getUTCMonth() + 1}月${date.getUTCDate()}日`,
}
