import { bilingual, counted } from '../../lib/language.ts'

export const tokensText = bilingual({
  description: ['API keys. The group decides models and prices.', 'API 密钥，分组决定模型与价格。'],
  create: ['New token', '新建令牌'],
  make: ['Make token', '创建令牌'],
  made: ['The token is ready', '令牌已创建'],
  keyHint: ['Copy the key now; later it takes your password.', '请立即复制，之后查看需要密码。'],
  noBalance: [
    'Your balance is {balance}: requests are refused until the operator of this gateway tops it up.',
    '当前余额 {balance}：网关管理员充值之前，请求都会被拒绝。',
  ],
  done: ['Done', '完成'],
  toToken: ['Open the token', '打开令牌'],
  searchHint: ['Name, or part of the key', '名称或密钥片段'],
  today: ['Today', '今日'],
  month: ['This month', '本月'],
  inAll: ['All time', '累计'],
  of: ['of', '/'],
  actionsOf: ['Actions for {name}', '“{name}”的操作'],
  active: ['Active', '启用'],
  disabled: ['Disabled', '已停用'],
  expired: ['Expired', '已过期'],
  spentUp: ['Budget spent', '额度用尽'],
  open: ['Details and set-up', '详情与配置'],
  disable: ['Disable', '停用'],
  remove: ['Delete', '删除'],
  enabled: ['“{name}” works again.', '“{name}”已启用。'],
  disabledNow: ['“{name}” is disabled: its key is refused.', '“{name}”已停用，其密钥将被拒绝。'],
  removed: ['“{name}” is deleted: its key is refused.', '“{name}”已删除，其密钥将被拒绝。'],
  restored: ['“{name}” is back.', '“{name}”已恢复。'],
  enabledMany: [
    counted('The token works again.', '{count} tokens work again.'),
    counted('已启用令牌。', '已启用 {count} 个令牌。'),
  ],
  disabledMany: [
    counted('The token is disabled.', '{count} tokens are disabled.'),
    counted('已停用令牌。', '已停用 {count} 个令牌。'),
  ],
  deletedMany: [
    counted('The token is deleted.', '{count} tokens are deleted.'),
    counted('已删除令牌。', '已删除 {count} 个令牌。'),
  ],
  disableMany: [
    counted('Disable this token?', 'Disable {count} tokens?'),
    counted('停用此令牌？', '停用 {count} 个令牌？'),
  ],
  disableManyText: [
    (count: number, names: string) =>
      count === 1
        ? `${names}. Programs that use its key are refused until you enable it again.`
        : `${names}. Programs that use their keys are refused until you enable them again.`,
    (count, names) =>
      `${names}。使用${count === 1 ? '此' : '这些'}密钥的程序将被拒绝，直至重新启用。`,
  ],
  deleteMany: [
    counted('Delete this token?', 'Delete {count} tokens?'),
    counted('删除此令牌？', '删除 {count} 个令牌？'),
  ],
  deleteManyText: [
    (count: number, names: string) =>
      `${names}. Programs that use ${count === 1 ? 'its key' : 'their keys'} are refused at once. It can be undone for some seconds; request records are kept.`,
    (count, names) =>
      `${names}。使用${count === 1 ? '此' : '这些'}密钥的程序将立即被拒绝。几秒内可以撤销，请求记录会保留。`,
  ],
  emptyHint: [
    'A token is the API key that your programs send.',
    '令牌就是程序调用时使用的 API 密钥。',
  ],
  noneFound: ['No token matches', '没有符合条件的令牌'],
})

export const tokenFormText = bilingual({
  nameKept: ['Its requests are listed by it.', '请求记录按此名称显示。'],
  nameHint: ['Empty: token-1, token-2 and so on.', '留空则自动命名为 token-1、token-2……'],
  groupHint: ['Decides its models and the multiplier.', '决定可调用的模型与倍率。'],
  groupOption: [
    (name: string, multiplier: string, models: number) =>
      `${name} · ×${multiplier} · ${models === 1 ? '1 model' : `${models} models`}`,
    (name, multiplier, models) => `${name} · ×${multiplier} · ${models} 个模型`,
  ],
  models: ['Models', '可用模型'],
  modelsHint: ['Only these; none: all of the group.', '仅限所选模型；不选则为分组内全部模型。'],
  modelsAll: ['All of the group', '分组内全部模型'],
  restrictions: ['Budget, limits and restrictions', '额度、限流与访问限制'],
  total: ['Total budget, USD', '总额度（USD）'],
  day: ['Per day, USD', '每日额度（USD）'],
  month: ['Per month, USD', '每月额度（USD）'],
  max_cost_per_request: ['Per request at most, USD', '单次请求上限（USD）'],
  expires_at: ['Expires', '过期时间'],
  expires_atHint: ['In your own time zone; left empty: never.', '按您所在时区；留空则永不过期。'],
  ip_allow: ['Allowed addresses', 'IP 白名单'],
  ip_allowHint: ['IP addresses or CIDR blocks; none: any.', 'IP 地址或 CIDR 网段；留空则不限。'],
  strict: ['Refuse what a protocol translation would drop', '协议转换会丢失内容时拒绝请求'],
  needGroup: ['Choose a group.', '请选择分组。'],
})

export const tokenText = bilingual({
  title: ['Token {name}', '令牌 {name}'],
  created: ['Created', '创建于'],
  expires: ['Expires', '过期时间'],
  never: ['never', '永不'],
  reveal: ['Show key', '显示密钥'],
  revealTitle: ['Show the key', '显示密钥'],
  passwordHint: [
    'So that nobody else at this screen sees the key.',
    '以免他人在此屏幕上看到密钥。',
  ],
  show: ['Show', '显示'],
  hide: ['Hide key', '隐藏密钥'],
  setUpHint: ['Show the key above to have it in these.', '先在上方显示密钥，示例中即会包含它。'],
  client: ['Client', '客户端'],
  chat: ['OpenAI SDK, chat completions', 'OpenAI SDK（Chat Completions）'],
  responses: ['OpenAI SDK, responses', 'OpenAI SDK（Responses）'],
  messages: ['Anthropic SDK', 'Anthropic SDK'],
  gemini: ['Google Gen AI SDK', 'Google Gen AI SDK'],
  'claude-code': ['Claude Code', 'Claude Code'],
  codex: ['Codex', 'Codex'],
  'gemini-cli': ['Gemini CLI', 'Gemini CLI'],
  address: ['Address', '接入地址'],
  main: ['Main', '主地址'],
  overseas: ['Outside mainland China', '中国大陆以外'],
  base: ['Base address of this client', '该客户端的 Base URL'],
  copyBase: ['Copy the address', '复制地址'],
  noModel: ['It can call nothing: its group has no model now.', '所属分组暂无可用模型。'],
  edit: ['Edit', '修改'],
  toRequests: ['Its requests', '请求记录'],
  toPlayground: ['Try it', '去操练场试用'],
  more: ['Disable or delete', '停用或删除'],
  moreHint: [
    'A disabled token is refused until it is enabled. Deleting can be undone for some seconds.',
    '令牌停用后将被拒绝，直至重新启用；删除后几秒内可以撤销。',
  ],
})
