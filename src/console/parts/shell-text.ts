import { bilingual } from '../lib/language.ts'

export const shellText = bilingual({
  menu: ['Menu', '菜单'],
  collapse: ['Collapse the menu', '收起菜单'],
  expand: ['Expand the menu', '展开菜单'],
  skip: ['Skip to content', '跳到正文'],
  find: ['Go to …', '跳转到…'],
  requests: ['Requests', '请求记录'],
  status: ['Status page', '状态页'],
  docs: ['Documentation', '文档'],
  signOut: ['Sign out', '退出登录'],

  /** Groups of the menu. */
  use: ['Use', '使用'],
  explore: ['Explore', '探索'],
  administer: ['Administer', '管理'],
  watch: ['Watch', '监控'],
  system: ['System', '系统'],

  lost: ['The page could not be opened', '无法打开页面'],
  lostHint: [
    'The connection to the gateway is lost. What you see is from before.',
    '与网关的连接已中断。当前显示的是之前的内容。',
  ],
})
