import { bilingual, counted } from '../../lib/language.ts'

export const channelsText = bilingual({
  bySteps: ['First answer in three steps', '三步得到第一个回答'],
  description: ['Where requests go: address, keys, models.', '转发请求的上游：地址、密钥与模型。'],
  add: ['Add channel', '添加渠道'],
  caption: ['Channels and how they are', '渠道及其状态'],
  order: ['Priority · weight', '优先级 · 权重'],
  keys: ['Keys', '密钥'],
  recentText: [
    (attempts: number, failed: number) =>
      failed === 0 ? `${attempts}` : `${attempts}, ${failed} failed`,
    (attempts, failed) => (failed === 0 ? `${attempts}` : `${attempts}，失败 ${failed}`),
  ],
  recentAttempts: ['Attempts, last hour', '近一小时尝试'],
  empty: ['No channel yet', '还没有渠道'],
  emptyHint: ['Add an upstream, then put it into a group.', '先添加上游，再用分组提供其模型。'],
  toGroups: ['Make a group from these channels', '用这些渠道创建分组'],
  noneFound: ['No channel matches', '没有符合条件的渠道'],
  searchHint: ['Name, model, …', '名称、模型等'],
  host: ['Vendor’s address', '厂商地址'],
  enabled: ['On', '启用'],
  turnOn: ['{name} is switched on', '启用 {name}'],
  isOn: ['{name} is active.', '已启用 {name}。'],
  isOff: ['{name} is disabled: nothing is sent to it.', '已停用 {name}，不再向它发送请求。'],
  test: ['Test', '测试'],
  testOf: ['Test {name}', '测试 {name}'],
  testWorks: ['Works, {ms}', '正常，{ms}'],
  testNow: ['tested {time}', '测试于 {time}'],
  enabledMany: [
    counted('The channel is active.', '{count} channels are active.'),
    counted('已启用渠道。', '已启用 {count} 个渠道。'),
  ],
  disabledMany: [
    counted('The channel is disabled.', '{count} channels are disabled.'),
    counted('已停用渠道。', '已停用 {count} 个渠道。'),
  ],
  deletedMany: [
    counted('The channel is deleted.', '{count} channels are deleted.'),
    counted('已删除渠道。', '已删除 {count} 个渠道。'),
  ],
  testedMany: [
    counted('The channel works.', '{count} channels work.'),
    counted('渠道测试正常。', '{count} 个渠道测试正常。'),
  ],
  disableMany: [
    counted('Disable this channel?', 'Disable {count} channels?'),
    counted('停用此渠道？', '停用 {count} 个渠道？'),
  ],
  disableManyText: [
    '{names}. From now on nothing is sent there. Models without another channel cannot be called.',
    '{names}。从现在起不再发送请求，没有其他渠道的模型将无法调用。',
  ],
  deleteMany: [
    counted('Delete this channel?', 'Delete {count} channels?'),
    counted('删除此渠道？', '删除 {count} 个渠道？'),
  ],
  deleteManyText: [
    '{names}. Keys are deleted, and groups no longer have the channel: models without another one cannot be called. This cannot be undone; request records are kept.',
    '{names}。其密钥将被删除，并从所在分组移除，没有其他渠道的模型将无法调用。此操作无法撤销，请求记录会保留。',
  ],
  noGroup: ['No group uses a channel: nobody can call it.', '还没有分组使用渠道，无人能够调用。'],
})
