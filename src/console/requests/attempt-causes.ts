import type { Texts } from '../lib/texts.ts'

const en = {
  address_refused:
    'The channel has a private address, which it may not call without allow_private.',
  timeout_connect: 'No connection came about in time.',
  connect_failed: 'No connection came about: it was refused, or the host has no address.',
  tls_failed: 'The TLS handshake failed, or the certificate is not valid.',
  connection_lost: 'The connection broke off before an answer was there.',
  timeout_first_byte: 'The upstream did not begin to answer in time.',
  timeout_idle: 'The upstream fell silent in the middle of its answer.',
  timeout_total: 'The upstream did not finish its answer in time.',
  upstream_auth: 'The upstream refused the channel’s key, or what it may do.',
  upstream_blocked: 'Something before the upstream refused the call.',
  upstream_quota: 'The channel’s account at the upstream has no money or quota left.',
  upstream_rate_limited: 'The upstream asked to slow down.',
  upstream_overloaded: 'The upstream said that it is overloaded.',
  upstream_failed: 'The upstream reported a failure of its own.',
  upstream_invalid: 'The upstream sent what is no answer of its protocol.',
  model_unavailable: 'The upstream said that it has no such model, or not for this key.',
  request_too_large: 'The request was larger than the upstream takes.',
  refusal_unreadable: 'The upstream refused the request, and not in the words of its API.',
  gateway_exhausted: 'The gateway’s machine had no file, memory or port left.',
  client_fault: 'The upstream refused the request as it is.',
  abandoned: 'The answer was given up: nobody needed it any more, or nobody could pay for it.',
}

/** What each class of failed attempts means; what is not here is in `requestCauses`. */
export const attemptCauses: Texts<typeof en> = {
  en,
  zh: {
    address_refused: '渠道使用内网地址，未设置 allow_private 时不可调用。',
    timeout_connect: '未能及时建立连接。',
    connect_failed: '无法建立连接：被拒绝，或主机名无法解析。',
    tls_failed: 'TLS 握手失败，或证书无效。',
    connection_lost: '连接在得到响应之前中断。',
    timeout_first_byte: '上游未能及时开始响应。',
    timeout_idle: '上游在响应中途停止发送。',
    timeout_total: '上游未能及时完成响应。',
    upstream_auth: '上游拒绝了渠道的密钥或其权限。',
    upstream_blocked: '上游之前的某个环节拒绝了调用。',
    upstream_quota: '渠道在上游的账户余额或配额已用完。',
    upstream_rate_limited: '上游要求降低速率。',
    upstream_overloaded: '上游表示自己过载。',
    upstream_failed: '上游报告了自身故障。',
    upstream_invalid: '上游返回的内容不符合其协议。',
    model_unavailable: '上游没有该模型，或此密钥无权使用。',
    request_too_large: '请求超过上游允许的大小。',
    refusal_unreadable: '上游拒绝了请求，且不是以其 API 的格式。',
    gateway_exhausted: '网关所在机器的文件、内存或端口已耗尽。',
    client_fault: '上游拒绝了此请求。',
    abandoned: '响应被放弃：已无人需要，或无力支付。',
  },
}
