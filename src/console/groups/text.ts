import { bilingual } from '../lib/texts.ts'

/** Words of the pages about groups. */
export const groupText = bilingual({
  title: ['Groups', '分组'],
  description: [
    'What tokens may call, and at which multiple of the base price. A token belongs to one group.',
    '令牌可以调用哪些模型，以及按基础价格的几倍计费。每个令牌属于一个分组。',
  ],
  add: ['Add group', '添加分组'],
  caption: ['Groups and what they offer', '分组及其提供的模型'],
  name: ['Name', '名称'],
  status: ['Status', '状态'],
  active: ['Active', '启用'],
  disabled: ['Disabled', '已停用'],
  rate_multiplier: ['Multiplier', '倍率'],
  channels: ['Channels', '渠道'],
  offers: ['Models on offer', '可用模型'],
  offersText: [
    (offers: string, unpriced: number) =>
      unpriced === 0 ? offers : `${offers} · ${unpriced} without a price`,
    (offers, unpriced) => (unpriced === 0 ? offers : `${offers} · ${unpriced} 个未定价`),
  ],
  tokens: ['Tokens', '令牌'],
  none: ['none', '无'],
  emptyTitle: ['No group yet', '还没有分组'],
  emptyHint: [
    'A group makes the models of channels callable. Choose its channels and a multiplier.',
    '分组让渠道的模型可以被调用。请选择渠道并设置倍率。',
  ],
  noChannels: ['There is no channel yet. A group needs one.', '还没有渠道，分组至少需要一个。'],
  addChannel: ['Add a channel first', '先添加渠道'],
  newTitle: ['New group', '新建分组'],
  newDescription: [
    'Tokens of this group may call what its channels offer and that has a price.',
    '该分组的令牌可以调用其渠道提供且已定价的模型。',
  ],
  inFile: [
    'tollgate.yaml names this group: a change here holds until the file is applied again (at each start and reload). Change it there, too.',
    'tollgate.yaml 中写有此分组：在这里的修改只保持到该文件下次被应用（每次启动和重新加载时）。请同时修改文件。',
  ],
  nameHint: ['People see it. Renaming keeps its tokens.', '用户可见。改名不影响其令牌。'],
  about: ['Description', '描述'],
  aboutHint: ['What the model plaza says about the group.', '模型广场中对该分组的介绍。'],
  platform: ['Platform', '平台'],
  platformHint: [
    'A word that the plaza shows, such as openai.',
    '模型广场显示的平台名，例如 openai。',
  ],
  rate_multiplierHint: [
    'Every price is multiplied by this, such as 0.8.',
    '所有价格都乘以此倍率，例如 0.8。',
  ],
  channelsHint: [
    'Requests may go to these; the priority of each channel decides the order.',
    '请求可以发往这些渠道，先后由各渠道的优先级决定。',
  ],
  models: ['Only these models', '仅限以下模型'],
  modelsHint: [
    'One a line. Empty: all that its channels offer and that have a price.',
    '每行一个。留空则为其渠道提供且已定价的全部模型。',
  ],
  is_open: ['Open to every account', '对所有账户开放'],
  accounts: ['Only these accounts', '仅限以下账户'],
  accountsHint: [
    'E-mails, one a line. Others do not see the group, can not choose it, and their tokens in it are refused.',
    '电子邮箱，每行一个。其他账户看不到也无法选择此分组，其在此分组中的令牌会被拒绝。',
  ],
  everyone: ['Everybody', '所有账户'],
  has_all_tools: [
    'Tools that vendors run themselves are allowed, where they have a price',
    '允许厂商自行运行且已定价的工具',
  ],
  tools: ['Only these tools', '仅限以下工具'],
  toolsHint: [
    'One a line, such as web_search, code_execution, file_search, image_generation, mcp. Empty: none. Others are taken out of requests, or refused where a request forces them.',
    '每行一个，例如 web_search、code_execution、file_search、image_generation、mcp。留空则全部不允许。其他工具会从请求中移除；若请求强制使用则被拒绝。',
  ],
  allTools: ['All that have a price', '全部已定价的工具'],
  everywhere: ['Everywhere', '所有国家/地区'],
  long_context_pricing: ['Higher prices for long contexts apply', '长上下文按更高的分级价格计费'],
  on_disconnect: ['When a client leaves in the middle', '客户端中途断开时'],
  bill_observed: [
    'Stop where all can be seen that the vendor bills; read hidden work (reasoning, images) to its end',
    '若供应商计费的内容全部可见，则停止并按已收到的部分计费；含不可见工作（推理、图像）的响应会读完',
  ],
  drain: ['Read every answer to its end, and bill all of it', '所有响应都读完，并按全部计费'],
  limits: ['Limits of all its tokens together', '全部令牌合计的限额'],
  create: ['Add group', '添加分组'],
  created: [(name: string) => `Group ${name} is added.`, (name) => `已添加分组 ${name}。`],
  offered: ['Can be called', '可以调用'],
  unpriced: ['Without a price, so nobody can call them', '未定价，因此无人能够调用'],
  setPrices: ['Set prices', '设置价格'],
  nothing: ['nothing yet', '暂无'],
  andMore: [(count: string) => `and ${count} more`, (count) => `以及另外 ${count} 个`],
  effect: [
    (count: string, tokens: string) =>
      `Other prices: ${count} models. Tokens of this group: ${tokens}.`,
    (count, tokens) => `将改变 ${count} 个模型的价格，涉及 ${tokens} 个令牌：`,
  ],
  noEffect: ['This changes no price.', '不会改变任何价格。'],
  inOut: [
    (input: string, output: string) => `${input} in · ${output} out per 1M`,
    (input, output) => `每百万 Token：输入 ${input} · 输出 ${output}`,
  ],
  perCall: [(usd: string) => `${usd} per call`, (usd) => `每次 ${usd}`],
  freeAll: ['With 0 every request in this group is free.', '倍率为 0 时，该分组的所有请求都免费。'],
  enable: ['Enable', '启用'],
  disable: ['Disable', '停用'],
  disableAsk: [(name: string) => `Disable ${name}?`, (name) => `停用 ${name}？`],
  disableText: [
    (tokens: string) => `Requests of all its tokens (${tokens}) are refused from now on.`,
    (tokens) => `从现在起，其 ${tokens} 个令牌的请求将被拒绝。`,
  ],
  enabledDone: ['Active again.', '已启用。'],
  disabledDone: ['Disabled.', '已停用。'],
  delete: ['Delete', '删除'],
  deleteAsk: [(name: string) => `Delete ${name}?`, (name) => `删除 ${name}？`],
  deleteText: [
    'It is gone for good. Records of requests are kept.',
    '删除后无法恢复，请求记录会保留。',
  ],
  moveText: [
    (tokens: string) =>
      `Tokens that belong to it: ${tokens}. They go to another group, at its prices.`,
    (tokens) => `有 ${tokens} 个令牌属于它，它们将移到另一个分组，并按其价格计费：`,
  ],
  moveTo: ['Group that they go to', '移到分组'],
  noOther: [
    'There is no other group that its tokens could go to. Make one first.',
    '没有其他分组可以接收它的令牌，请先创建一个。',
  ],
  deleted: [(name: string) => `Group ${name} is deleted.`, (name) => `已删除分组 ${name}。`],
  moved: [
    (name: string, tokens: number) => `Group ${name} is deleted. Tokens moved: ${tokens}.`,
    (name, tokens) => `已删除分组 ${name}，并移动了 ${tokens} 个令牌。`,
  ],
  needed: ['Fill this in.', '请填写。'],
  notMultiplier: [
    'A plain number with at most 6 decimals, such as 0.8.',
    '请填写普通数字，最多 6 位小数，例如 0.8。',
  ],
})
