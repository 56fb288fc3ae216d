const notUnderstood = [
  'The gateway did not understand the request',
  '网关无法理解此页面的请求',
] as const

/** What a refusal of the console's API means, in a few words of each language, by its machine word. */
export const refusalWords = {
  invalid_json: notUnderstood,
  invalid_value: ['An entry is not valid', '输入的内容有误'],
  not_signed_in: ['You are not signed in', '尚未登录'],
  wrong_credentials: ['E-mail or password is wrong', '邮箱或密码错误'],
  wrong_passkey: ['The passkey was not accepted', '通行密钥未通过验证'],
  begin_again: ['Start again', '请重新开始'],
  sign_in_again: ['Sign in again', '请重新登录'],
  wrong_password: ['The password is wrong', '密码错误'],
  wrong_code: ['The code is wrong', '验证码错误'],
  registration_closed: ['Registration is closed', '未开放注册'],
  setup_closed: ['This link is not valid', '此链接无效'],
  not_allowed: ['This is not allowed', '没有权限'],
  foreign_origin: ['The request came from another site', '请求来自其他网站'],
  not_found: ['Not found', '找不到该内容，可能已被删除'],
  conflict: ['Somebody else has changed this meanwhile', '其他人刚刚修改了它'],
  in_use: ['It is still in use', '仍在使用中'],
  name_taken: ['This name is taken', '名称或邮箱已被占用'],
  would_overdraw: ['The balance is too small', '余额不足'],
  body_too_large: ['The request is too large', '内容过大'],
  content_type: notUnderstood,
  too_many_requests: ['Too many requests: wait a little', '操作过于频繁，请稍候'],
  internal: ['The gateway failed', '网关内部错误'],
  unavailable: ['Not available at this moment', '暂时不可用，请稍后重试'],
} as const satisfies Readonly<Record<string, readonly [en: string, zh: string]>>
