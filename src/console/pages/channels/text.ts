import type { Texts } from '../../lib/texts.ts'

const en = {
  title: 'Channels',
  description: 'Upstreams that requests are forwarded to: an address, its keys and its models.',
  add: 'Add channel',
  caption: 'Channels and how they are',
  name: 'Name',
  state: 'State',
  protocols: 'Speaks',
  models: 'Models',
  moreModels: (count: number) => `+${count}`,
  groups: 'Groups',
  none: 'none',
  order: 'Priority · weight',
  keys: 'Keys',
  recent: 'Last hour',
  recentText: (attempts: number, failed: number) =>
    failed === 0 ? `${attempts} attempts` : `${attempts} attempts, ${failed} failed`,
  emptyTitle: 'No channel yet',
  emptyHint: 'Add the upstream that you have a key for. Then a group makes its models callable.',
  toGroups: 'Make a group from these channels',
  noGroup: 'No group uses any channel yet, so nobody can call them.',
}

export const channelsText: Texts<typeof en> = {
  en,
  zh: {
    title: '渠道',
    description: '转发请求的上游：地址、密钥与模型。',
    add: '添加渠道',
    caption: '渠道及其状态',
    name: '名称',
    state: '状态',
    protocols: '协议',
    models: '模型',
    moreModels: (count) => `+${count}`,
    groups: '分组',
    none: '无',
    order: '优先级 · 权重',
    keys: '密钥',
    recent: '最近一小时',
    recentText: (attempts, failed) =>
      failed === 0 ? `${attempts} 次尝试` : `${attempts} 次尝试，${failed} 次失败`,
    emptyTitle: '还没有渠道',
    emptyHint: '先添加一个您持有密钥的上游，再用分组让它的模型可被调用。',
    toGroups: '用这些渠道创建分组',
    noGroup: '还没有分组使用任何渠道，因此无人能够调用。',
  },
}
