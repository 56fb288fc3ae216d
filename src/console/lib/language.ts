import { createContext, createElement, type ReactNode, useContext, useMemo, useState } from 'react'

/** The languages of the console, as they call themselves. */
export const languages = { en: 'English', zh: '简体中文' } as const
export type Language = keyof typeof languages

/** The texts of one page or part: the same names in both languages. */
export interface Texts<Text> {
  readonly en: Text
  readonly zh: { readonly [Name in keyof Text]: Text[Name] extends string ? string : Text[Name] }
}

/**
 * One text in both languages. `{names}` in it are filled in, in the order of the English ones;
 * a function makes a text that depends on its values.
 */
type Pair = readonly [string, string] | readonly [Making, Making]
type Making = (...values: never[]) => string
interface Pairs {
  readonly [name: string]: Pair | Pairs
}

type Values<Text> = Text extends `${string}{${string}}${infer Rest}`
  ? [value: string | number, ...Values<Rest>]
  : []

/** What one language says: parameters are those of the English text. */
type Said<Given> = Given extends readonly [infer English, unknown]
  ? English extends string
    ? English extends `${string}{${string}}${string}`
      ? (...values: Values<English>) => string
      : string
    : English
  : { readonly [Name in keyof Given]: Said<Given[Name]> }

/** Words that several pages have; a page may give one of its own. */
const common = {
  account: ['Account', '账户'],
  accounts: ['Accounts', '账户'],
  actions: ['Actions', '操作'],
  adminOverview: ['Gateway', '网关总览'],
  after: ['Balance after', '变动后余额'],
  all: ['All', '全部'],
  allRequests: ['All requests', '全部请求'],
  attempts: ['Attempts', '上游尝试'],
  audit: ['Audit', '审计'],
  availability: ['Availability', '可用性'],
  back: ['To the overview', '返回概览'],
  balance: ['Balance', '余额'],
  cache_read: ['Cache read', '缓存读取'],
  cache_write: ['Cache write', '缓存写入'],
  cancel: ['Cancel', '取消'],
  channel: ['Channel', '渠道'],
  channels: ['Channels', '渠道'],
  concurrency: ['Requests at once', '并发请求数'],
  confirm: ['Confirm', '确认'],
  delete: ['Delete', '删除'],
  deleteAsk: ['Delete {name}?', '删除 {name}？'],
  disable: ['Disable', '停用'],
  disableAsk: ['Disable {name}?', '停用 {name}？'],
  disabled: ['Disabled', '已停用'],
  email: ['E-mail', '邮箱'],
  enable: ['Enable', '启用'],
  failed: ['Failed', '失败'],
  group: ['Group', '分组'],
  groups: ['Groups', '分组'],
  input: ['Input', '输入'],
  key: ['Key', '密钥'],
  kind: ['Kind', '类型'],
  lastUsed: ['Last used', '最近使用'],
  maintenance: ['Maintenance', '维护'],
  makeToken: ['Make a token', '创建令牌'],
  model: ['Model', '模型'],
  models: ['Models', '模型'],
  month: ['Spent this month', '本月消费'],
  more: ['Show more', '显示更多'],
  name: ['Name', '名称'],
  needed: ['Fill this in.', '请填写。'],
  never: ['never', '从未'],
  no: ['no', '否'],
  nodes: ['Nodes', '节点'],
  noLimit: ['No limit', '不限'],
  none: ['none', '无'],
  noneFoundHint: ['Change the filters, or show all.', '请调整筛选条件，或显示全部。'],
  noTokenTitle: ['You have no token yet', '还没有令牌'],
  output: ['Output', '输出'],
  overview: ['Overview', '概览'],
  password: ['Password', '密码'],
  perCall: ['{usd} per call', '每次 {usd}'],
  playground: ['Playground', '操练场'],
  plaza: ['Models', '模型广场'],
  prices: ['Prices', '价格'],
  profile: ['Profile and security', '个人与安全'],
  protocol: ['Protocol', '协议'],
  recent: ['Last hour', '最近一小时'],
  regions: ['Countries that requests may come from', '请求可来自的国家/地区'],
  regionsHint: [
    'By the header of a trusted proxy (setting “Country header”). Where the country is not known, “only these” refuses and “all but these” lets through.',
    '依据受信任代理的请求头判断（设置“国家/地区请求头”）。来源未知时，“仅限以下”会拒绝，“除以下之外”会放行。',
  ],
  regionsListHint: ['Two-letter codes with commas, such as CN, US.', '两位字母代码，如 CN, US。'],
  regionsOptions: {
    all: ['All countries', '所有国家/地区'],
    allow: ['Only these countries', '仅限以下国家/地区'],
    deny: ['All but these countries', '除以下之外的国家/地区'],
  },
  remove: ['Remove', '移除'],
  reserved: ['Reserved', '预留'],
  retry: ['Try again', '重试'],
  rpm: ['Requests a minute', '每分钟请求数'],
  search: ['Search', '搜索'],
  settings: ['Settings', '设置'],
  setUp: ['Set up a client', '配置客户端'],
  showAll: ['Show all', '显示全部'],
  signIn: ['Sign in', '登录'],
  state: ['State', '状态'],
  status: ['Status', '状态'],
  streams: ['{count} of them streams', '其中流式 {count} 个'],
  succeeded: ['Succeeded', '成功'],
  time: ['Time', '时间'],
  toFirstSteps: ['First answer in three steps', '三步得到第一个回答'],
  today: ['Spent today', '今日消费'],
  token: ['Token', '令牌'],
  tokens: ['Tokens', '令牌'],
  tpm: ['LLM tokens a minute', '每分钟 Token 数'],
  undo: ['Undo', '撤销'],
  utc: ['By UTC', '按 UTC 计'],
  yes: ['yes', '是'],
} as const

type Common = Said<typeof common>

/** Texts of which each is stated once, in English and in Chinese, beside the common ones. */
export function bilingual<const Given extends Pairs>(pairs: Given) {
  const all = { ...common, ...pairs }
  type Text = Said<Given> & Omit<Common, keyof Given>
  return { en: pick(all, 'en'), zh: pick(all, 'zh') } as Texts<Text>
}

const pick = (pairs: Pairs, language: Language): object =>
  Object.fromEntries(
    Object.entries(pairs).map(([name, one]) => [
      name,
      isPair(one) ? said(one, language) : pick(one, language),
    ]),
  )

const isPair = (one: Pair | Pairs): one is Pair => Array.isArray(one)

function said([en, zh]: Pair, language: Language) {
  const text = language === 'en' ? en : zh
  const names = typeof en === 'string' ? en.match(/\{\w+\}/g) : null
  if (names === null || typeof text !== 'string') return text
  return (...values: readonly (string | number)[]) =>
    text.replace(/\{\w+\}/g, (name) => {
      const value = values[names.indexOf(name)] ?? ''
      return typeof value === 'number' ? formatCount(value, language) : value
    })
}

/** The common words alone. */
export const commonText = bilingual({})

/** A text about things that are counted, with `{count}` in it; `one`: about a single one. */
export const counted =
  (one: string, many: string) =>
  (count: number): string =>
    count === 1 ? one : many.replace('{count}', formatCount(count))

/** The locale of numbers and times. */
export const localeOf = (language: Language) => (language === 'zh' ? 'zh-CN' : undefined)

/** A count with its thousands told apart. */
export const formatCount = (count: number, language = shown) =>
  new Intl.NumberFormat(localeOf(language)).format(count)

/** The text of a name that may be none of these. */
export const textOf = (
  texts: Readonly<Record<string, string>>,
  name: string,
): string | undefined => (Object.hasOwn(texts, name) ? texts[name] : undefined)

interface Choice {
  readonly language: Language
  choose(language: Language): void
}

const storageKey = 'tollgate-language'
const LanguageChoice = createContext<Choice>({ language: 'en', choose: () => {} })

/** What was chosen before, else what the browser asks for. */
function firstLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'en' || chosen === 'zh') return chosen
  const wanted = navigator.languages.find((tag) => /^(en|zh)\b/i.test(tag))
  return wanted?.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

let shown: Language = 'en'

/** The language that the page is in, for what no component shows. */
export const shownLanguage = (): Language => shown

/** Gives all below it the language, and stores a choice for the next visit. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  shown = language
  const choice = useMemo<Choice>(
    () => ({
      language,
      choose(chosen) {
        localStorage.setItem(storageKey, chosen)
        setLanguage(chosen)
      },
    }),
    [language],
  )
  return createElement(LanguageChoice.Provider, { value: choice }, children)
}

export const useLanguage = (): Choice => useContext(LanguageChoice)

/** The texts of `texts` in the language that is chosen. */
export function useText<Text>(texts: Texts<Text>): Text {
  // The type of the other language says that each name is there.
  return texts[useLanguage().language] as Text
}

/** Some names to choose from, with their texts. */
export const choicesOf = <const Name extends string>(
  names: readonly Name[],
  texts: Readonly<Record<Name, string>>,
) => names.map((value) => ({ value, label: texts[value] }))
