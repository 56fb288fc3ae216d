import { shownLanguage, type Texts } from '../../lib/language.ts'

/** The causes to choose from in a filter, as people call them; a machine word only where there is none. */
export const causeChoices = (of: 'request' | 'attempt') =>
  Object.entries((of === 'attempt' ? attemptCauses : requestCauses)[shownLanguage()]).map(
    ([value, label]) => ({ value, label }),
  )

/** What a cause means, as a sentence; undefined for one that this version does not know. */
export function causeText(
  cause: string,
  of: 'request' | 'attempt' = 'request',
  language = shownLanguage(),
): string | undefined {
  const tables = of === 'attempt' ? [attemptCauses, requestCauses] : [requestCauses, attemptCauses]
  for (const table of tables) {
    const texts: Readonly<Record<string, string>> = table[language]
    if (Object.hasOwn(texts, cause)) return texts[cause]
  }
  return undefined
}

const englishRequestCauses = {
  invalid_json: 'The body was not valid JSON, or did not arrive whole.',
  missing_parameter: 'A required field was missing, such as “model” or “messages”.',
  invalid_value: 'A field had a wrong type, or a value out of range.',
  unsupported_parameter: 'A field asked for something that this model’s channels cannot do.',
  conflicting_parameters: 'Two fields contradicted each other.',
  max_cost_exceeded: 'It could have cost more than its token allows for one request.',
  unsupported_action: 'The path named an action that does not exist for models.',
  not_offered: 'The path is one of a vendor’s that this gateway does not offer.',
  unsupported_encoding: 'The body was compressed, or written, in a way that is not read here.',
  body_too_large: 'The request was larger than the gateway, or the upstream, takes.',
  upstream_refused: 'The upstream rejected the request itself; its message is below.',
  response_not_found: 'The stored answer that was asked for is not known to this key.',
  previous_response_not_found: 'The answer to be continued is not known to this account.',
  thread_not_found: 'The conversation to be continued is not known to this account.',
  response_in_progress: 'The answer was still being made in the background.',
  background_lost:
    'The upstream cannot tell what an answer in the background has used. The reserved amount was charged.',
  receipt_not_found: 'The receipt that was asked for does not exist for this account.',
  model_not_found: 'The token’s group does not have the model that was asked for.',
  model_not_allowed: 'The token may not use this model: it is restricted to others.',
  client_left: 'The client closed the connection before the answer was whole.',
  unauthenticated: 'The key was not accepted.',
  missing: 'No key was sent.',
  unknown: 'The key is not known here: mistyped, or of another platform.',
  deleted: 'The token, or its account, had been deleted.',
  disabled: 'The token was disabled.',
  expired: 'The token had expired.',
  ip_not_allowed: 'The request came from an address that is not on the token’s IP list.',
  budget: 'The token’s budget was used up, or did not cover this request.',
  insufficient_balance: 'The balance was used up.',
  balance: 'The balance was used up, or did not cover what this request may cost.',
  balance_used_up: 'The balance, or the token’s budget, ran out in the middle of the answer.',
  account_restricted: 'The account was disabled.',
  region_restricted:
    'The token’s group, or the account, does not answer requests from the country that this one came from.',
  group_disabled: 'The token’s group was switched off, or is not open to the account.',
  rate_limited: 'More was asked in a minute than the limit allows; the text below says whose.',
  concurrency_limited: 'More was asked at once than the limit allows; the text below says whose.',
  channels_busy: 'All channels for this model were at their limit.',
  overloaded: 'The gateway’s own memory, or its places, were in use by other requests.',
  upstream_error: 'The upstream failed, or refused the gateway. Nothing was wrong with the key.',
  upstream_invalid: 'The upstream sent an answer that could not be understood.',
  upstream_timeout: 'The upstream did not answer in time.',
  no_channel: 'No channel could answer for this model.',
  internal: 'The gateway itself failed.',
  shutdown: 'The gateway was being stopped while this request was under way.',
  interrupted: 'The gateway’s process ended while this request was under way; it cost nothing.',
}

/** What each cause on a request's record means. */
const requestCauses: Texts<typeof englishRequestCauses> = {
  en: englishRequestCauses,
  zh: {
    invalid_json: '请求体不是有效的 JSON，或未完整送达。',
    missing_parameter: '缺少必填字段，例如 model 或 messages。',
    invalid_value: '某个字段类型错误，或取值超出范围。',
    unsupported_parameter: '某个字段要求了该模型的渠道无法提供的功能。',
    conflicting_parameters: '有两个字段互相矛盾。',
    max_cost_exceeded: '该请求的费用可能超过其令牌单次请求的上限。',
    unsupported_action: '路径中的操作对模型不存在。',
    not_offered: '该路径是供应商的接口，本网关不提供。',
    unsupported_encoding: '请求体使用了此处不支持的压缩方式或编码。',
    body_too_large: '请求超过了网关或上游允许的大小。',
    upstream_refused: '上游认为请求本身有问题，原文见下。',
    response_not_found: '此密钥下没有所请求的已存储响应。',
    previous_response_not_found: '此账户没有要继续的响应。',
    thread_not_found: '此账户没有要继续的对话。',
    response_in_progress: '响应仍在后台生成。',
    background_lost: '上游无法提供后台响应的用量，已按预留金额计费。',
    receipt_not_found: '此账户没有所请求的收据。',
    model_not_found: '令牌所在的分组没有所请求的模型。',
    model_not_allowed: '令牌限制了可用模型，不包含此模型。',
    client_left: '客户端在响应完成前断开了连接。',
    unauthenticated: '密钥未被接受。',
    missing: '没有发送密钥。',
    unknown: '密钥不存在：可能输错，或属于其他平台。',
    deleted: '令牌或其账户已被删除。',
    disabled: '令牌已被停用。',
    expired: '令牌已过期。',
    ip_not_allowed: '请求来自令牌 IP 白名单以外的地址。',
    budget: '令牌预算已用完，或不足以支付本次请求。',
    insufficient_balance: '余额已用完。',
    balance: '余额已用完，或不足以支付本次请求可能的费用。',
    balance_used_up: '余额或令牌预算在响应过程中用完。',
    account_restricted: '账户已被停用。',
    region_restricted: '令牌所属分组或该账户不接受来自该国家/地区的请求。',
    group_disabled: '令牌所在的分组已停用，或未对该账户开放。',
    rate_limited: '一分钟内的用量超过限制；下方文字说明是谁的限制。',
    concurrency_limited: '同时进行的请求超过限制；下方文字说明是谁的限制。',
    channels_busy: '该模型的所有渠道都已达到上限。',
    overloaded: '网关自身的内存或并发名额已被其他请求占用。',
    upstream_error: '上游出错或拒绝了网关，与您的密钥无关。',
    upstream_invalid: '上游返回了无法理解的响应。',
    upstream_timeout: '上游未能及时响应。',
    no_channel: '没有可用的渠道响应此模型。',
    internal: '网关自身出错。',
    shutdown: '请求进行中网关正在停止。',
    interrupted: '请求进行中网关进程终止；本次不收费。',
  },
}

const englishAttemptCauses = {
  address_refused:
    'The channel has a private address, which it may not call without allow_private.',
  timeout_connect: 'No connection was made in time.',
  connect_failed: 'No connection was made: it was refused, or the host has no address.',
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
const attemptCauses: Texts<typeof englishAttemptCauses> = {
  en: englishAttemptCauses,
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
