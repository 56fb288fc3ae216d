import type { ApiErrorReason, Fault } from '../../admin/api-error.ts'
import { shownLanguage } from './language.ts'

/**
 * What to write instead, in Chinese, by the API's machine word for a fault. In English the API's own
 * sentence is shown, which names the value and its bounds.
 */
const faultTexts: Readonly<Record<Fault, string>> = {
  missing: '此项必填',
  not_known: '没有这一项，请另选',
  repeated: '与前面的重复',
  too_long: '内容太长',
  too_many: '数量太多',
  unfit_name: '名称需为 1 至 200 个字符，首尾不能有空格，不能换行',
  unfit_key: '密钥中不能有空格、换行或特殊字符',
  unfit_url: '请填写以 https:// 或 http:// 开头的网址，其中不含用户名、密码和 #',
  unfit_proxy: '请填写 HTTP 或 HTTPS 代理，例如 http://user:password@proxy.example.com:3128',
  unfit_ip_block: '请填写 IP 地址或 CIDR 网段，例如 203.0.113.7 或 10.0.0.0/8',
  unfit_country: '请填写国家/地区的两位字母代码，例如 CN、US 或 GB（ISO 3166-1）',
  no_country_header:
    '无法判断客户端所在国家/地区：请先将设置“国家/地区请求头”填为受信任代理所用的请求头，例如 CF-IPCountry',
  unfit_email: '请填写邮箱地址，例如 admin@example.com',
  unfit_password: '密码需为 10 至 256 个字符',
  unfit_whole_number: '请填写整数，且不要超出允许的范围',
  unfit_choice: '请从可选项中选择',
  unfit_duration: '请填写整数加单位，例如 500ms、10s、5m 或 1h',
  unfit_time: '请填写有效的日期和时间',
  unfit_amount: '请填写美元金额，最多 9 位小数，例如 100 或 2.5',
  unfit_price: '请填写每百万 token 的美元价格，最多 6 位小数，例如 0.25',
  unfit_multiplier: '请填写倍率，最多 6 位小数，例如 0.8',
  unfit_colour: '请填写 # 加六位十六进制数字，例如 #0b7285',
  unfit_domain: '请填写域名，不含 https:// 和路径，例如 gateway.example.com',
  unfit_line: '请用一行文字填写，最多 500 个字符',
  time_is_over: '请填写将来的时间',
  probe_too_often: '太频繁：至少间隔 5s',
  tiers_must_rise: '每一档的起点必须大于前一档',
  costs_nothing: '这样就不收费了：若确实免费，请选择“免费”',
  keys_stay_at_home: '已保存的密钥不会发往新的主机或代理：请移除它们，并重新填写用于新地址的密钥',
  group_gone: '无法恢复：该令牌所在的分组已被删除',
  set_by_file: '由 tollgate.yaml 设定，请在该文件中修改',
  own_account: '不能对自己的账户这样做，需要另一位管理员操作',
}

interface Told {
  readonly message: string
  readonly reason?: string | undefined
  /** Perhaps of a newer gateway. */
  readonly fault?: string | undefined
}

const isFault = (fault: string | undefined): fault is Fault =>
  fault !== undefined && Object.hasOwn(faultTexts, fault)

/** Says that something does not fit, and not what. */
const vague = 'invalid_value'

/** What a field says of a refusal in a language; the API's own sentence where there is no other. */
export function faultText(told: Told, language = shownLanguage()): string {
  const { message, reason = vague, fault } = told
  if (language === 'en') return message
  if (isFault(fault)) return faultTexts[fault]
  return (reason === vague ? undefined : reasonText(reason, language)) ?? message
}

const notUnderstood = [
  'The gateway did not understand the request',
  '网关无法理解此页面的请求',
] as const

/** What a refusal means, by its machine word: the message itself is always in English. */
const reasonTexts: Readonly<Record<ApiErrorReason, readonly [en: string, zh: string]>> = {
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
  setup_closed: ['This link is no longer valid', '此链接已失效'],
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
}

const isReason = (reason: string): reason is ApiErrorReason => Object.hasOwn(reasonTexts, reason)

/** In a few words, why something was refused; undefined: this console does not know the reason. */
export const reasonText = (reason: string, language = shownLanguage()): string | undefined =>
  isReason(reason) ? reasonTexts[reason][language === 'en' ? 0 : 1] : undefined
