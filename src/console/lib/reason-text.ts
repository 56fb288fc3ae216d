import type { ApiErrorReason } from '../../admin/api-error.ts'
import type { Language } from './texts.ts'

/** What a refusal means, by its machine word: the message itself is always in English. */
const reasonTexts: Readonly<Record<ApiErrorReason, Readonly<Record<Language, string>>>> = {
  invalid_json: { en: 'The gateway did not understand this page', zh: '网关无法理解此页面的请求' },
  invalid_value: { en: 'Something entered does not fit', zh: '输入的内容有误' },
  not_signed_in: { en: 'You are not signed in', zh: '尚未登录' },
  wrong_credentials: { en: 'E-mail or password is wrong', zh: '邮箱或密码错误' },
  wrong_passkey: { en: 'The passkey was not accepted', zh: '通行密钥未通过验证' },
  begin_again: { en: 'Begin again', zh: '请重新开始' },
  sign_in_again: { en: 'Sign in again', zh: '请重新登录' },
  wrong_password: { en: 'The password is wrong', zh: '密码错误' },
  wrong_code: { en: 'The code is wrong', zh: '验证码错误' },
  registration_closed: { en: 'Registration is closed', zh: '未开放注册' },
  setup_closed: { en: 'This link is not good any more', zh: '此链接已失效' },
  not_allowed: { en: 'This is not allowed', zh: '没有权限' },
  foreign_origin: { en: 'This came from another site', zh: '请求来自其他网站' },
  not_found: { en: 'This is not there', zh: '找不到该内容，可能已被删除' },
  conflict: { en: 'Somebody else has changed this meanwhile', zh: '其他人刚刚修改了它' },
  in_use: { en: 'It is still in use', zh: '仍在使用中' },
  name_taken: { en: 'This name is taken', zh: '名称或邮箱已被占用' },
  would_overdraw: { en: 'The balance is too small', zh: '余额不足' },
  body_too_large: { en: 'This is too large', zh: '内容过大' },
  content_type: { en: 'The gateway did not understand this page', zh: '网关无法理解此页面的请求' },
  too_many_requests: { en: 'Too many requests: wait a little', zh: '操作过于频繁，请稍候' },
  internal: { en: 'The gateway failed', zh: '网关内部错误' },
  unavailable: { en: 'Not available at this moment', zh: '暂时不可用，请稍后重试' },
}

const isKnown = (reason: string): reason is ApiErrorReason => Object.hasOwn(reasonTexts, reason)

/** In a few words, why something was refused; undefined: this console does not know the reason. */
export const reasonText = (reason: string, language: Language): string | undefined =>
  isKnown(reason) ? reasonTexts[reason][language] : undefined
