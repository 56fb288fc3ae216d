import { bilingual } from '../lib/language.ts'

export const shellText = bilingual({
  menu: ['Menu', '菜单'],
  closeMenu: ['Close menu', '关闭菜单'],
  skip: ['Skip to content', '跳到正文'],
  admin: ['Administration', '管理'],
  requests: ['Requests', '请求记录'],
  status: ['Status page', '状态页'],
  docs: ['API documentation', 'API 文档'],
  signOut: ['Sign out', '退出登录'],
  language: ['Language', '语言'],
  scheme: ['Appearance', '外观'],
  light: ['Light', '浅色'],
  dark: ['Dark', '深色'],
  auto: ['As the system', '跟随系统'],
})
