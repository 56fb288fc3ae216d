import { bilingual, type Language } from '../../lib/language.ts'

export const settingsText = bilingual({
  title: ['Settings', '设置'],
  description: ['Changes apply at once, without a restart.', '保存后立即生效，无需重启。'],
  site: ['Site', '站点'],
  siteHint: ['What public pages say about this gateway.', '公开页面展示的信息。'],
  accountsHint: ['Who may register, and what a low balance is.', '谁可以注册，何时算余额不足。'],
  requests: ['Requests', '请求'],
  requestsHint: [
    'How often channels are tried, how long requests wait, what clients may see.',
    '渠道尝试多少次、请求等待多久，以及客户端能看到什么。',
  ],
  responses: ['Responses API', 'Responses 接口'],
  responsesHint: ['What is kept for clients that go on later.', '为稍后继续的客户端保留什么。'],
  publicPages: ['Price feed, models, status page', '公开价格、模型广场与状态页'],
  publicPagesHint: ['What everybody may see.', '所有人都能看到的内容。'],
  reset: ['Back to default', '恢复默认'],
  byDefault: ['Default: {value}', '默认：{value}'],
  example: ['such as {value}', '例如 {value}'],
  fixed: ['Change it in tollgate.yaml, line {line}.', '请在 tollgate.yaml 第 {line} 行修改。'],
  changed: [
    (count: number) => (count === 1 ? '1 setting is changed.' : `${count} settings are changed.`),
    (count) => `已修改 ${count} 项设置。`,
  ],
})

/** The parts of the page, in their order. */
export const sections = ['site', 'accounts', 'requests', 'responses', 'publicPages'] as const
export type SectionName = (typeof sections)[number]

const sectionOfWord: readonly (readonly [RegExp, SectionName])[] = [
  [/plaza|feed/, 'publicPages'],
  [/^site\./, 'site'],
  [/responses|unknown_answers/, 'responses'],
  [/registration|balance/, 'accounts'],
]

/** Settings as they stand on the page; what is new comes last. */
export const inOrder = <One extends { readonly name: string }>(all: readonly One[]) => {
  const places = Object.keys(names)
  const placeOf = ({ name }: One) => {
    const place = places.indexOf(name)
    return place === -1 ? places.length : place
  }
  return all.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Where a setting stands; what is new stands with the requests. */
export const sectionOf = (name: string): SectionName =>
  sectionOfWord.find(([word]) => word.test(name))?.[1] ?? 'requests'

const names: Readonly<Record<string, Pair>> = {
  'site.name': ['Name', '名称'],
  'site.subtitle': ['Subtitle', '副标题'],
  'site.contact': ['Contact', '联系方式'],
  'site.doc_url': ['Documentation', '文档地址'],
  'site.logo_url': ['Logo', '徽标地址'],
  'site.accent': ['Accent colour', '主题色'],
  'settings.registration_enabled': ['Open registration', '开放注册'],
  'settings.balance_low_threshold': ['Low balance (USD)', '余额提醒阈值（美元）'],
  'settings.usual_output': ['Usual output (tokens)', '预估输出（Token）'],
  'settings.max_attempts': ['Attempts at most', '最多尝试次数'],
  'settings.retry_time': ['Retry time', '重试时限'],
  'settings.queue_time': ['Queue time', '排队时间'],
  'settings.channel_cooling': ['Channel cooldown', '渠道冷却'],
  'settings.feed_currency': ['Price feed: currency word', '公开价格的货币字样'],
  'settings.feed_interval': ['Price feed: interval', '公开价格更新间隔'],
  'settings.models_list': ['List of models', '模型列表'],
  'settings.keep_responses': ['Translated responses are kept for', '转换后响应的保留时间'],
  'settings.keep_responses_size': [
    'Translated responses: how much is kept',
    '转换后响应的保存容量',
  ],
  'settings.responses_websocket': ['Responses over WebSockets', '通过 WebSocket 提供 responses'],
  'settings.unknown_answers': ['Unknown response ids', '未知的响应 ID'],
  'settings.country_header': ['Country header', '国家/地区请求头'],
  'settings.gemini_query_key': ['Gemini: key in the query', 'Gemini：允许查询参数传密钥'],
  'settings.model_plaza_enabled': ['Model plaza', '模型广场'],
  'site.plaza_description': ['Model plaza: description', '模型广场说明'],
  'settings.model_plaza_require_auth': ['Model plaza: asks for a key', '模型广场需要密钥'],
  'settings.plaza_groups': ['Model plaza and status page: groups', '模型广场与状态页：分组'],
  'settings.feed_groups': ['Price feed: groups', '公开价格：分组'],
}

const hintsInChinese: Readonly<Record<string, string>> = {
  'site.name': '公开页面显示的网关名称。',
  'site.subtitle': '名称下方的一行文字。',
  'site.contact': '用户如何联系您，例如邮箱地址。',
  'site.doc_url': '面向用户的文档地址。',
  'site.logo_url': '徽标图片的地址。',
  'site.accent': '公开页面和控制台中链接与按钮的颜色，例如 #0b7285；不易辨认时会自动调深或调浅。',
  'site.plaza_description': '模型广场页面的说明文字。',
  'settings.registration_enabled': '是否允许任何人自行注册账户。',
  'settings.balance_low_threshold': '余额低于此值时视为余额不足。',
  'settings.usual_output': '请求未限制输出长度时，预留费用所按的输出 Token 数。',
  'settings.max_attempts': '一个请求在所有渠道和密钥上合计最多尝试的次数。',
  'settings.retry_time': '首次尝试之后，在多长时间内仍会改试其他渠道。',
  'settings.queue_time': '达到限额时请求最多等待多久；0s 表示立即拒绝。',
  'settings.channel_cooling': '关闭后，失败的渠道会立即再次被使用。',
  'settings.feed_currency': '仅改变公开价格中的货币字样，数值始终为美元。',
  'settings.feed_interval': '多久重新生成一次公开价格。',
  'settings.models_list': 'GET /v1/models 列出哪些模型。',
  'settings.keep_responses':
    '转换协议后的响应会加密保存，客户端可凭 ID 继续或读取；0s 表示不保存。',
  'settings.keep_responses_size': '所有账户合计；超出时先删除占用最多的账户中最旧的响应。',
  'settings.responses_websocket': '关闭后，客户端会被告知改用 POST（426）。',
  'settings.unknown_answers': '请求引用本网关未曾给出的响应 ID 时如何处理。',
  'settings.country_header':
    '受信任的代理（tollgate.yaml 的 server.trusted_proxies）用哪个请求头告知客户端所在国家/地区，例如 CF-IPCountry。限制国家/地区的分组和账户需要它。',
  'settings.gemini_query_key': '/v1beta 是否接受查询参数中的令牌（?key=）。',
  'settings.model_plaza_enabled': '是否公开模型广场。',
  'settings.model_plaza_require_auth': '访问模型广场是否需要 API 密钥。',
  'settings.plaza_groups': '公开显示哪些分组。',
  'settings.feed_groups': '公开价格中包含哪些分组。',
}

/** Examples that are sentences; others read the same in each language. */
const examplesInChinese: Readonly<Record<string, string>> = {
  'site.subtitle': '模型按官方价格提供',
  'site.plaza_description': '价格以美元计，未计入分组倍率。',
}

type Pair = readonly [en: string, zh: string]

const groupChoices = {
  open: ['Those open to every account', '仅对所有账户开放的分组'],
  all: ['All groups', '全部分组'],
} as const

/** The words of a setting that has some to choose from. */
const choices: Readonly<Record<string, Readonly<Record<string, Pair>>>> = {
  'settings.models_list': {
    all: ['All models', '全部模型'],
    token: ['Those that the asking token may use', '仅该令牌可用的模型'],
  },
  'settings.unknown_answers': {
    refuse_shared: ['Refused where several accounts may use the channel', '多个账户共用渠道时拒绝'],
    refuse: ['Refused', '拒绝'],
    pass: ['Passed on', '转发'],
  },
  'settings.plaza_groups': groupChoices,
  'settings.feed_groups': groupChoices,
}

/** What a setting is called, what it is for, and what a value of it is called. */
export function wordsOf(name: string, language: Language) {
  const place = language === 'zh' ? 1 : 0
  return {
    label: names[name]?.[place] ?? name,
    /** In English the API's own description is the hint. */
    hint: language === 'zh' ? hintsInChinese[name] : undefined,
    /** In English the example of the configuration file is the example. */
    example: language === 'zh' ? examplesInChinese[name] : undefined,
    choice: (value: string) => choices[name]?.[value]?.[place] ?? value,
  }
}
