import { bilingual } from '../../lib/texts.ts'

export const channelsText = bilingual({
  title: ['Channels', '渠道'],
  description: [
    'Upstreams that requests are forwarded to: an address, its keys and its models.',
    '转发请求的上游：地址、密钥与模型。',
  ],
  add: ['Add channel', '添加渠道'],
  caption: ['Channels and how they are', '渠道及其状态'],
  name: ['Name', '名称'],
  state: ['State', '状态'],
  protocols: ['Speaks', '协议'],
  models: ['Models', '模型'],
  moreModels: [(count: number) => `+${count}`, (count) => `+${count}`],
  groups: ['Groups', '分组'],
  none: ['none', '无'],
  order: ['Priority · weight', '优先级 · 权重'],
  keys: ['Keys', '密钥'],
  recent: ['Last hour', '最近一小时'],
  recentText: [
    (attempts: number, failed: number) =>
      failed === 0 ? `${attempts} attempts` : `${attempts} attempts, ${failed} failed`,
    (attempts, failed) =>
      failed === 0 ? `${attempts} 次尝试` : `${attempts} 次尝试，${failed} 次失败`,
  ],
  emptyTitle: ['No channel yet', '还没有渠道'],
  emptyHint: [
    'Add the upstream that you have a key for. Then a group makes its models callable.',
    '先添加一个您持有密钥的上游，再用分组让它的模型可被调用。',
  ],
  toGroups: ['Make a group from these channels', '用这些渠道创建分组'],
  noGroup: [
    'No group uses any channel yet, so nobody can call them.',
    '还没有分组使用任何渠道，因此无人能够调用。',
  ],
})
