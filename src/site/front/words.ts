import { counted, grouped } from '../../lib/format.ts'
import type { Language } from '../../look/language.ts'

const english = {
  title: (name: string, subtitle: string | null) =>
    subtitle === null ? `${name}: language models by one API` : `${name}: ${subtitle}`,
  about: (models: number, protocols: number) =>
    `${counted(models, 'language model')} behind one address, in ${protocols} protocols, each with its price.`,
  noSubtitle: 'Many language models behind one address, each with its price.',
  models: (count: number): string => (count === 1 ? 'model' : 'models'),
  groups: (count: number): string => (count === 1 ? 'group' : 'groups'),
  protocols: 'protocols',
  signUp: 'Create an account',
  console: 'Open the console',
  prices: 'Models and prices',
  addresses: 'Base address',
  main: 'Everywhere',
  mainBeside: 'Mainland China',
  overseas: 'Outside mainland China',
  speaks: 'Speaks',
  withVersion: 'OpenAI’s clients add /v1 to it.',
  mostUsed: 'Models and prices',
  all: (count: number) => `All ${counted(count, 'model')}`,
  caption: (isByUse: boolean) =>
    `${isByUse ? 'The most used first. ' : ''}USD per 1M tokens, the lowest of all groups.`,
  now: 'Availability now',
  nowAbout: 'As measured by the gateway itself.',
  toStatus: 'Status page',
  day: (ratio: string) => `${ratio} in 24 h`,
  noDay: 'no requests in 24 h',
  groupModels: (count: number) => counted(count, 'model'),
  moreGroups: (count: number) => `${counted(count, 'more group')} on the status page`,
  begin: 'How to begin',
  steps: (isOpen: boolean) => [
    isOpen
      ? 'Create an account in the console, and ask the operator to top it up.'
      : 'Sign in to the console. Accounts are opened by the operator.',
    'Create a token there. It begins with sk-.',
    'Give your client the address and the token:',
  ],
  clients: 'Client',
  emptyTitle: 'No models yet',
  emptyVisitor: 'Nothing can be asked here so far. Come back soon.',
  emptyAdmin:
    'For the administrator: sign in to the console, connect a vendor with its key, and choose the models to offer. They appear here with their prices.',
  questions: 'Questions?',
}

export type FrontWords = typeof english

const chinese: FrontWords = {
  title: (name, subtitle) =>
    subtitle === null ? `${name}：统一的大模型 API` : `${name}：${subtitle}`,
  about: (models, protocols) =>
    `一个地址即可使用 ${grouped(models)} 个大模型，支持 ${protocols} 种协议，价格公开透明。`,
  noSubtitle: '一个地址即可使用多种大模型，价格公开透明。',
  models: () => '个模型',
  groups: () => '个分组',
  protocols: '种协议',
  signUp: '注册账户',
  console: '打开控制台',
  prices: '模型与价格',
  addresses: '基础地址',
  main: '全球',
  mainBeside: '中国大陆',
  overseas: '中国大陆以外',
  speaks: '支持的协议',
  withVersion: 'OpenAI 的客户端需在其后加上 /v1。',
  mostUsed: '模型与价格',
  all: (count) => `全部 ${grouped(count)} 个模型`,
  caption: (isByUse) => `${isByUse ? '按使用量排序。' : ''}美元 / 百万 Token，取各分组中的最低价。`,
  now: '当前可用性',
  nowAbout: '由网关自身统计。',
  toStatus: '状态页',
  day: (ratio) => `24 小时 ${ratio}`,
  noDay: '24 小时内无请求',
  groupModels: (count) => `${grouped(count)} 个模型`,
  moreGroups: (count) => `另有 ${grouped(count)} 个分组，见状态页`,
  begin: '如何开始',
  steps: (isOpen) => [
    isOpen ? '在控制台注册账户，并请运营者充值。' : '登录控制台。账户由运营者开通。',
    '在控制台创建令牌，以 sk- 开头。',
    '在客户端中填写地址和令牌：',
  ],
  clients: '客户端',
  emptyTitle: '还没有模型',
  emptyVisitor: '目前还不能使用，请稍后再来。',
  emptyAdmin:
    '管理员：请登录控制台，填写上游厂商的密钥并选择要提供的模型，它们会连同价格显示在这里。',
  questions: '有问题？',
}

export const frontWords: Readonly<Record<Language, FrontWords>> = { en: english, zh: chinese }
