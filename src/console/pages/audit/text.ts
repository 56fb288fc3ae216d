import type { Language } from '../../lib/language.tsx'
import { bilingual } from '../../lib/texts.ts'

/** Words of the audit. */
export const texts = bilingual({
  title: ['Audit', '审计'],
  description: [
    'Who changed what by hand, newest first. Nothing here can be changed or removed.',
    '谁手动改了什么，最新的在前。这里的记录不可修改或删除。',
  ],
  time: ['Time', '时间'],
  actor: ['Who', '操作者'],
  action: ['What', '操作'],
  subject: ['Of what', '对象'],
  changes: ['Changed', '变更内容'],
  anyAction: ['Anything', '全部操作'],
  actorHint: ['An e-mail, or command line', '邮箱，或 command line（命令行）'],
  subjectHint: ['An e-mail, token 3, channel main …', '邮箱、token 3、channel main 等'],
  since: ['Since (UTC)', '起始日期（UTC）'],
  apply: ['Filter', '筛选'],
  clear: ['Clear', '清除'],
  none: ['none', '无'],
  hidden: ['changed (not told)', '已更改（内容不公开）'],
  empty: ['Nothing was changed by hand yet', '还没有手动更改'],
  emptyHint: [
    'Every change in the console, and each by the command line, leaves an entry here.',
    '在控制台或命令行中的每次更改都会记录在这里。',
  ],
  emptyFilter: ['Nothing fits these filters', '没有符合筛选条件的记录'],
})

/** What actions begin with, and what they do, as one says it. */
const words: Readonly<Record<string, readonly [en: string, zh: string]>> = {
  account: ['Account', '账户'],
  token: ['Token', '令牌'],
  channel: ['Channel', '渠道'],
  group: ['Group', '分组'],
  price: ['Price', '价格'],
  settings: ['Settings', '设置'],
  credit: ['credited', '充值'],
  debit: ['debited', '扣减'],
  set: ['changed', '修改'],
  status: ['switched', '切换状态'],
  add: ['made', '新建'],
  create: ['made', '新建'],
  remove: ['removed', '删除'],
  restore: ['brought back', '恢复'],
  recover: ['declared well', '标记为正常'],
  password: ['password set', '设置密码'],
}

/** The parts of the gateway whose changes can be filtered by. */
export const resources = ['account', 'token', 'channel', 'group', 'price', 'settings'] as const

/** `account.credit` in words; what has none stays as it is. */
export function describeAction(action: string, language: Language): string {
  const [resource = '', verb = ''] = action.split('.')
  const index = language === 'zh' ? 1 : 0
  const what = words[resource]?.[index]
  const done = words[verb]?.[index] ?? verb.replaceAll('_', ' ')
  return what === undefined ? action : `${what}${language === 'zh' ? '：' : ' '}${done}`
}

export const resourceName = (resource: string, language: Language): string =>
  words[resource]?.[language === 'zh' ? 1 : 0] ?? resource
