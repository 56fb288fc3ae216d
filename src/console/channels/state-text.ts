import type { Texts } from '../lib/texts.ts'

const en = {
  works: 'Works',
  unused: 'In no group',
  partly: 'Works in part',
  cooling: 'Cooling',
  draining: 'Draining',
  disabled: 'Disabled',
  worksLong: 'Requests go to it, and nothing is known against it.',
  unusedLong: 'It is ready, but no group uses it: nobody can call it yet.',
  drainingLong: 'What has begun there goes on there; nothing new is sent to it.',
  disabledLong: 'Nothing is sent to it.',
  coolingLong: (until: string) => `Left alone until ${until}, then one request tries it.`,
  keys: (cooling: number, all: number) => `${cooling} of ${all} keys cool.`,
  key: (hint: string) => `key ${hint}`,
  goneKey: 'a key that it no longer has',
  model: (name: string) => `model ${name}`,
  all: 'everything',
  part: (what: string, until: string) => `Left alone until ${until}: ${what}`,
  times: (count: number) => `${count} times in a row`,
}

/** How a channel is: one word for lists, and sentences. */
export const stateText: Texts<typeof en> = {
  en,
  zh: {
    works: '正常',
    unused: '未加入分组',
    partly: '部分可用',
    cooling: '冷却中',
    draining: '排空中',
    disabled: '已停用',
    worksLong: '请求正常发往该渠道，没有已知问题。',
    unusedLong: '渠道已就绪，但没有分组使用它，暂时无人能调用。',
    drainingLong: '已开始的会话在此继续，不再接收新的请求。',
    disabledLong: '不会向它发送任何请求。',
    coolingLong: (until) => `暂停使用至 ${until}，之后先用一个请求试探。`,
    keys: (cooling, all) => `${all} 个密钥中有 ${cooling} 个在冷却。`,
    key: (hint) => `密钥 ${hint}`,
    goneKey: '已移除的密钥',
    model: (name) => `模型 ${name}`,
    all: '整个渠道',
    part: (what, until) => `暂停使用至 ${until}：${what}`,
    times: (count) => `已连续 ${count} 次`,
  },
}
