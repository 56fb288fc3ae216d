import type { Language } from './language.ts'

const english = {
  skip: 'To the content',
  models: 'Models',
  status: 'Status',
  docs: 'Docs',
  console: 'Console',
  pages: 'Pages',
  language: 'Language',
  contact: 'Contact',
  guide: 'User documentation',
  feed: 'Price feed',
  copy: 'Copy',
  copied: 'Copied',
}

const chinese: typeof english = {
  skip: '跳到正文',
  models: '模型',
  status: '状态',
  docs: '文档',
  console: '控制台',
  pages: '页面',
  language: '语言',
  contact: '联系方式',
  guide: '用户文档',
  feed: '公开价格',
  copy: '复制',
  copied: '已复制',
}

/** The words of the frame. */
export const frameWords: Readonly<Record<Language, typeof english>> = { en: english, zh: chinese }
