import { bilingual, type Language } from '../../lib/language.ts'

export const settingsText = bilingual({
  title: ['Settings', '设置'],
  description: [
    'Of the whole gateway. What is saved here holds at once, without a restart.',
    '整个网关的设置，保存后立即生效，无需重启。',
  ],
  site: ['Site', '站点'],
  siteHint: ['What public pages say about this gateway.', '公开页面展示的信息。'],
  settings: ['Behaviour', '行为'],
  settingsHint: ['Switches and figures.', '开关与数值。'],
  reset: ['Back to default', '恢复默认'],
  byDefault: ['Default: {value}', '默认：{value}'],
  unset: ['not set', '未设置'],
  yes: ['yes', '是'],
  no: ['no', '否'],
  fixed: [
    'tollgate.yaml sets this (line {line}): change it there.',
    '由 tollgate.yaml 设置（第 {line} 行），请在文件中修改。',
  ],
  changed: [
    (count: number) => (count === 1 ? '1 setting is changed.' : `${count} settings are changed.`),
    (count) => `已修改 ${count} 项设置。`,
  ],
})

/** Names for people; in English the file's own comments say what each is for. */
export const settingNames: Readonly<
  Record<
    string,
    {
      readonly en: string
      readonly enHint?: string
      readonly zh: string
      readonly zhHint: string
      readonly choices?: Readonly<Record<string, Readonly<Record<Language, string>>>>
    }
  >
> = {
  'site.name': { en: 'Name', zh: '名称', zhHint: '公开页面显示的网关名称。' },
  'site.subtitle': { en: 'Subtitle', zh: '副标题', zhHint: '名称下方的一行文字。' },
  'site.contact': { en: 'Contact', zh: '联系方式', zhHint: '用户如何联系您，例如邮箱地址。' },
  'site.doc_url': { en: 'Documentation', zh: '文档地址', zhHint: '面向用户的文档地址。' },
  'site.logo_url': { en: 'Logo', zh: '徽标地址', zhHint: '徽标图片的地址。' },
  'site.plaza_description': {
    en: 'Model plaza: description',
    zh: '模型广场说明',
    zhHint: '模型广场页面的说明文字。',
  },
  'settings.registration_enabled': {
    en: 'Open registration',
    zh: '开放注册',
    zhHint: '是否允许任何人自行注册账户。',
  },
  'settings.balance_low_threshold': {
    en: 'Low balance (USD)',
    zh: '余额提醒阈值（美元）',
    zhHint: '余额低于此值时视为余额不足。',
  },
  'settings.usual_output': {
    en: 'Usual output (tokens)',
    zh: '预估输出（Token）',
    zhHint: '请求未限制输出长度时，预留费用所按的输出 Token 数。',
  },
  'settings.max_attempts': {
    en: 'Attempts',
    zh: '最多尝试次数',
    zhHint: '一个请求在所有渠道和密钥上合计最多尝试的次数。',
  },
  'settings.retry_time': {
    en: 'Retry time',
    zh: '重试时限',
    zhHint: '首次尝试之后，在多长时间内仍会改试其他渠道。',
  },
  'settings.queue_time': {
    en: 'Queue time',
    zh: '排队时间',
    zhHint: '达到限额时请求最多等待多久；0s 表示立即拒绝。',
  },
  'settings.channel_cooling': {
    en: 'Channel cooling',
    enHint: 'Off: channels that fail are asked again at once, as if nothing was.',
    zh: '渠道冷却',
    zhHint: '关闭后，失败的渠道会立即再次被使用。',
  },
  'settings.feed_currency': {
    en: 'Price feed: currency word',
    zh: '公开价格的货币字样',
    zhHint: '仅改变公开价格中的货币字样，数值始终为美元。',
  },
  'settings.feed_interval': {
    en: 'Price feed: interval',
    zh: '公开价格更新间隔',
    zhHint: '多久重新生成一次公开价格。',
  },
  'settings.models_list': {
    en: 'List of models',
    zh: '模型列表',
    enHint: 'Which models GET /v1/models lists.',
    zhHint: 'GET /v1/models 列出哪些模型。',
    choices: {
      all: { en: 'All models', zh: '全部模型' },
      token: { en: 'Those that the asking token may use', zh: '仅该令牌可用的模型' },
    },
  },
  'settings.keep_responses': {
    en: 'Translated responses are kept for',
    zh: '转换后响应的保留时间',
    zhHint: '转换协议后的响应会加密保存，客户端可凭 ID 继续或读取；0s 表示不保存。',
  },
  'settings.keep_responses_size': {
    en: 'Translated responses: how much is kept',
    zh: '转换后响应的保存容量',
    zhHint: '所有账户合计；超出时先删除占用最多的账户中最旧的响应。',
  },
  'settings.responses_websocket': {
    en: 'Responses over WebSockets',
    enHint: 'Off: clients are told to use POST.',
    zh: '通过 WebSocket 提供 responses',
    zhHint: '关闭后，客户端会被告知改用 POST（426）。',
  },
  'settings.unknown_answers': {
    en: 'Answers that nobody has got here',
    zh: '未知的响应 ID',
    enHint: 'What becomes of requests that continue such an answer by its id.',
    zhHint: '请求引用本网关未曾给出的响应 ID 时如何处理。',
    choices: {
      refuse_shared: {
        en: 'Refused where several accounts may use the channel',
        zh: '多个账户共用渠道时拒绝',
      },
      refuse: { en: 'Refused', zh: '拒绝' },
      pass: { en: 'Passed on', zh: '转发' },
    },
  },
  'settings.country_header': {
    en: 'Country header',
    enHint:
      'The header in which trusted proxies (server.trusted_proxies of tollgate.yaml) tell a client’s country, such as CF-IPCountry. Groups and accounts that serve some countries only need it.',
    zh: '国家/地区请求头',
    zhHint:
      '受信任的代理（tollgate.yaml 的 server.trusted_proxies）用哪个请求头告知客户端所在国家/地区，例如 CF-IPCountry。限制国家/地区的分组和账户需要它。',
  },
  'settings.gemini_query_key': {
    en: 'Gemini: key in the query',
    zh: 'Gemini：允许查询参数传密钥',
    zhHint: '/v1beta 是否接受查询参数中的令牌（?key=）。',
  },
  'settings.model_plaza_enabled': {
    en: 'Model plaza',
    zh: '模型广场',
    zhHint: '是否公开模型广场。',
  },
  'settings.model_plaza_require_auth': {
    en: 'Model plaza: asks for a key',
    zh: '模型广场需要密钥',
    zhHint: '访问模型广场是否需要 API 密钥。',
  },
  'settings.plaza_groups': {
    en: 'Model plaza and status page: groups',
    zh: '模型广场与状态页：分组',
    enHint: 'Which groups everybody sees there.',
    zhHint: '公开显示哪些分组。',
    choices: {
      open: { en: 'Those open to every account', zh: '仅对所有账户开放的分组' },
      all: { en: 'All groups', zh: '全部分组' },
    },
  },
  'settings.feed_groups': {
    en: 'Price feed: groups',
    zh: '公开价格：分组',
    enHint: 'Which groups the price feed has.',
    zhHint: '公开价格中包含哪些分组。',
    choices: {
      open: { en: 'Those open to every account', zh: '仅对所有账户开放的分组' },
      all: { en: 'All groups', zh: '全部分组' },
    },
  },
}
