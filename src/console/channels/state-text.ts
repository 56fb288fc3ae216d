import { bilingual } from '../lib/texts.ts'

/** How a channel is: one word for lists, and sentences. */
export const stateText = bilingual({
  works: ['Works', '正常'],
  failing: ['Only fails', '全部失败'],
  unused: ['In no group', '未加入分组'],
  partly: ['Works in part', '部分可用'],
  cooling: ['Cooling', '冷却中'],
  draining: ['Draining', '排空中'],
  disabled: ['Disabled', '已停用'],
  failingLong: [
    'Requests go to it, but each attempt of the last hour failed.',
    '请求仍会发往该渠道，但最近一小时的尝试全部失败。',
  ],
  worksLong: [
    'Requests go to it, and nothing is known against it.',
    '请求正常发往该渠道，没有已知问题。',
  ],
  unusedLong: [
    'It is ready, but no group uses it: nobody can call it yet.',
    '渠道已就绪，但没有分组使用它，暂时无人能调用。',
  ],
  drainingLong: [
    'What has begun there goes on there; nothing new is sent to it.',
    '已开始的会话在此继续，不再接收新的请求。',
  ],
  disabledLong: ['Nothing is sent to it.', '不会向它发送任何请求。'],
  partlyLong: ['Some of its models are left alone for a while.', '部分模型暂停使用。'],
  coolingLong: [
    (until: string) => `Left alone until ${until}, then one request tries it.`,
    (until) => `暂停使用至 ${until}，之后先用一个请求试探。`,
  ],
  keys: [
    (cooling: number, all: number) => `${cooling} of ${all} keys cool.`,
    (cooling, all) => `${all} 个密钥中有 ${cooling} 个在冷却。`,
  ],
  key: [(hint: string) => `key ${hint}`, (hint) => `密钥 ${hint}`],
  goneKey: ['a key that it no longer has', '已移除的密钥'],
  model: [(name: string) => `model ${name}`, (name) => `模型 ${name}`],
  all: ['everything', '整个渠道'],
  part: [
    (what: string, until: string) => `Left alone until ${until}: ${what}`,
    (what, until) => `暂停使用至 ${until}：${what}`,
  ],
  times: [(count: number) => `${count} times in a row`, (count) => `已连续 ${count} 次`],
})
