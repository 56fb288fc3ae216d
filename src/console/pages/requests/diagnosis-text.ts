import type { FaultWord, NoteWord, StepName, WayWord } from '../../../admin/diagnosis/schema.ts'
import type { Texts } from '../../lib/language.ts'

interface DiagnosisTexts {
  readonly steps: Readonly<Record<StepName | 'report', string>>
  readonly notes: Readonly<Record<NoteWord, string>>
  readonly ways: Readonly<Record<WayWord, string>>
  readonly faults: Readonly<Record<FaultWord, string>>
}

const en: DiagnosisTexts = {
  steps: {
    status: 'State of the group',
    endpoint: 'Endpoint',
    model: 'Model and group',
    token: 'Token and balance',
    record: 'Record of the request',
    groups: 'Other groups',
    report: 'Report it',
  },
  notes: {
    status_then:
      'Of {requests} requests to the group {group} between {since_at} and {until_at}, {failed} failed through no fault of their clients.',
    status_none_then: 'Around that time nothing was measured in the group {group}.',
    status_now: 'Of its {requests} requests in the last hour, {failed} failed.',
    status_none_now: 'In the last hour there were no requests to the group {group}.',
    status_not_the_cause: 'This failure has another cause: the group did not cause it.',
    endpoint_used: 'The request came by {endpoint}, the endpoint of the {protocol} protocol.',
    endpoint_no_record:
      'Its path was right: a wrong one (a missing /v1, or /v1/v1) is answered with “404 page not found” and leaves no record.',
    endpoint_translated:
      'Its channel speaks another protocol: the gateway translated {protocol} to {upstream}.',
    model_not_named: 'The request did not say which model it wants, or could not be read that far.',
    model_in_group: 'The group {group} has the model {model}.',
    model_there_by_now: 'By now the group {group} has the model {model}: try again.',
    model_no_channel: 'The group {group} has the model {model}, but all its channels are off.',
    model_not_in_group: 'The group {group} has no model {model}.',
    model_not_in_group_then: 'When the request came, the group {group} had no model {model}.',
    model_gone_since:
      'Since the request the model {model} has been taken from the group {group}: it was there then.',
    model_no_channel_then:
      'When the request came, all channels of the group {group} for the model {model} were off.',
    price_changed_since:
      'The price of {model} in the group {group} has changed since: this request was judged and charged by the former one.',
    model_nearest: 'Names like it in {group}: {names}.',
    model_in_own_groups: 'Groups of your other tokens have {model}: {groups}.',
    model_in_other_groups: 'Other groups have {model}: {groups}.',
    model_nowhere: 'No group that is open to you has a model {model}.',
    group_gone: 'The group {group} does not exist any more.',
    group_closed: 'The group {group} is not open to this account any more.',
    token_fine: 'The token {token} is in order: enabled, not expired, in the group {group}.',
    token_fine_by_now: 'By now the token {token} is in order: try again.',
    token_gone: 'The token {token} has been deleted.',
    token_disabled: 'The token {token} is disabled.',
    token_expired: 'The token {token} expired on {expires_at}.',
    token_changed_since:
      'The token {token} was changed after this request: by the audit it is judged as it was then.',
    token_then_unknown:
      'The token {token} was changed so often after this request that what it was then was not looked up: what is said of it is its state now.',
    token_disabled_then: 'When the request came, the token {token} was disabled.',
    token_expired_then: 'When the request came, the token {token} had expired, on {expires_at}.',
    token_group_off_then:
      'When the request came, the group {group} of the token {token} was switched off.',
    token_group_closed_then:
      'When the request came, the group {group} of the token {token} was not open to this account.',
    token_models_then:
      'When the request came, the token {token} could only use {models}, not {model}.',
    token_addresses_then:
      'When the request came, the token {token} could only be used from {addresses}.',
    budget_total_then:
      'When the request came, {spent_usd} of the token’s budget of {limit_usd} were spent.',
    budget_day_then:
      'When the request came, {spent_usd} of the token’s budget of {limit_usd} a day were spent.',
    budget_month_then:
      'When the request came, {spent_usd} of the token’s budget of {limit_usd} a month were spent.',
    account_disabled_then: 'When the request came, the account was disabled.',
    balance_used_up_then:
      'When the request came, the balance of {balance_usd} did not cover what it could cost.',
    needed_then: 'The request could cost {needed_usd} at least.',
    token_group_changed: 'The token was in the group {former} then; now it is in {group}.',
    token_group_off: 'The group {group} of the token {token} is switched off.',
    token_group_closed: 'The group {group} of the token {token} is not open to this account.',
    token_models: 'The token {token} may only use {models}, not {model}.',
    token_addresses: 'The token {token} may only be used from {addresses}.',
    budget_total: 'Of the token’s budget of {limit_usd}, {spent_usd} are spent.',
    budget_day: 'Of the token’s budget of {limit_usd} a day, {spent_usd} are spent today.',
    budget_month: 'Of the token’s budget of {limit_usd} a month, {spent_usd} are spent.',
    account_disabled: 'The account is disabled, or has been removed.',
    balance_now: 'The balance is {balance_usd} now.',
    balance_used_up: 'The balance of {balance_usd} is used up, or does not cover such a request.',
    balance_then: 'Before the request it was {balance_usd}.',
    record_succeeded: 'This request succeeded with the status {status}.',
    record_failed: 'The record says: status {status}, {cause}.',
    record_fault: 'At fault: {fault}.',
    channel_key_refused: 'The upstream refused the key of the channel {channel}.',
    channel_key_refused_one: 'The upstream refused the key {key} of the channel {channel}.',
    channel_key_refused_former:
      'The upstream refused a key of the channel {channel} that the channel has no more.',
    channel_key_used_up:
      'The account of the key of the channel {channel} had no money or quota left at the upstream.',
    channel_key_used_up_one:
      'The account of the key {key} of the channel {channel} had no money or quota left at the upstream.',
    channel_key_used_up_former:
      'The account of a key that the channel {channel} has no more had no money or quota left at the upstream.',
    cooling_then:
      'When the request came, some of what could answer was left alone for a while, for it had failed before.',
    cooling_then_channel:
      'When the request came, the channel {channel} cooled down, since {since_at}: {cause}.',
    cooling_then_model:
      'When the request came, the model {model} of the channel {channel} cooled down, since {since_at}: {cause}.',
    cooling_then_key:
      'When the request came, the key {key} of the channel {channel} cooled down, since {since_at}: {cause}.',
    attempts_none: 'No channel was asked.',
    attempt_failed: 'Attempt {number} failed after {duration_ms}: {cause}.',
    attempt_answered: 'Attempt {number} was answered with {status} after {duration_ms}.',
    attempt_failed_at: 'Attempt {number} at channel {channel} failed after {duration_ms}: {cause}.',
    attempt_answered_at:
      'Attempt {number} at channel {channel} was answered with {status} after {duration_ms}.',
    attempt_failed_with:
      'Attempt {number} at channel {channel} with the key {key} failed after {duration_ms}: {cause}.',
    attempt_answered_with:
      'Attempt {number} at channel {channel} with the key {key} was answered with {status} after {duration_ms}.',
    group_worked:
      'In the last 24 hours {group} had {requests} requests for {model}; {failed} of them failed.',
    groups_untried: 'Nobody asked these groups for {model} in the last 24 hours: {groups}.',
    groups_none: 'No other group that is open to you has {model}.',
  },
  ways: {
    wait: 'Wait until the status page shows the group as operational, then try again.',
    try_other_group: 'Use a token of another group.',
    use_model: 'Write the model as {name}.',
    see_models: 'Look up the model’s exact name in the list of models.',
    change_group: 'Use a token of the group {group}.',
    new_token: 'Create a new token and use its key.',
    enable_token: 'Enable the token.',
    extend_token: 'Give the token a later expiry.',
    allow_model: 'Add {model} to the token’s models.',
    allow_address: 'Add the client’s address to the token’s IP list.',
    raise_budget: 'Raise the token’s budget, or wait for the next day or month.',
    check_key: 'Check the keys of the channel {channel}, and test it.',
    check_one_key:
      'Replace the key {key} of the channel {channel}, or top up its account; then test the channel.',
    add_balance: 'Top up the balance.',
    ask_operator: 'Ask the operator of this gateway.',
    retry: 'Send the request once more.',
    fix_request: 'Correct the request as its error says; begin with a minimal body.',
    slow_down: 'Send fewer requests at once, and wait as long as Retry-After says.',
    report: 'Report it with the text below.',
  },
  faults: {
    client: 'the request, or its client',
    token: 'the token',
    account: 'the account',
    group: 'the group’s set-up',
    upstream: 'the upstream',
    gateway: 'the gateway',
  },
}

/** The sentences of a diagnosis; names in braces are filled in. */
export const diagnosisTexts: Texts<DiagnosisTexts> = {
  en,
  zh: {
    steps: {
      status: '分组状态',
      endpoint: '接口地址',
      model: '模型与分组',
      token: '令牌与余额',
      record: '请求记录',
      groups: '其他分组',
      report: '反馈问题',
    },
    notes: {
      status_then:
        '{since_at} 至 {until_at} 期间，分组 {group} 共有 {requests} 个请求，其中 {failed} 个因非客户端原因失败。',
      status_none_then: '当时分组 {group} 没有测量数据。',
      status_now: '最近一小时共有 {requests} 个请求，其中 {failed} 个失败。',
      status_none_now: '最近一小时分组 {group} 没有请求。',
      status_not_the_cause: '本次失败另有原因，与分组状态无关。',
      endpoint_used: '请求使用了 {endpoint}，即 {protocol} 协议的接口。',
      endpoint_no_record:
        '路径正确：错误的路径（缺少 /v1 或写成 /v1/v1）会返回“404 page not found”，且不留记录。',
      endpoint_translated: '渠道使用另一种协议：网关已将 {protocol} 转换为 {upstream}。',
      model_not_named: '请求没有写明模型，或未能读到该字段。',
      model_in_group: '分组 {group} 有模型 {model}。',
      model_there_by_now: '分组 {group} 现在已有模型 {model}，请重试。',
      model_no_channel: '分组 {group} 有模型 {model}，但其渠道均已停用。',
      model_not_in_group: '分组 {group} 没有模型 {model}。',
      model_not_in_group_then: '请求到达时，分组 {group} 没有模型 {model}。',
      model_gone_since: '请求之后，模型 {model} 已从分组 {group} 移除，当时仍在。',
      model_no_channel_then: '请求到达时，分组 {group} 中模型 {model} 的渠道均已停用。',
      price_changed_since:
        '分组 {group} 中 {model} 的价格此后有变动：此请求按当时的价格判断和计费。',
      model_nearest: '{group} 中相近的名称：{names}。',
      model_in_own_groups: '您其他令牌的分组有 {model}：{groups}。',
      model_in_other_groups: '其他分组有 {model}：{groups}。',
      model_nowhere: '您可用的分组中都没有模型 {model}。',
      group_gone: '分组 {group} 已不存在。',
      group_closed: '分组 {group} 已不再对该账户开放。',
      token_fine: '令牌 {token} 正常：已启用、未过期，属于分组 {group}。',
      token_fine_by_now: '令牌 {token} 现在正常，请重试。',
      token_gone: '令牌 {token} 已被删除。',
      token_disabled: '令牌 {token} 已被停用。',
      token_expired: '令牌 {token} 已于 {expires_at} 过期。',
      token_changed_since:
        '令牌 {token} 在此请求之后被修改过：此处按审计记录还原当时的状态来判断。',
      token_then_unknown:
        '令牌 {token} 在此请求之后修改次数过多，未还原当时的状态：以下为其当前状态。',
      token_disabled_then: '请求到达时，令牌 {token} 处于停用状态。',
      token_expired_then: '请求到达时，令牌 {token} 已过期（{expires_at}）。',
      token_group_off_then: '请求到达时，令牌 {token} 所在的分组 {group} 已停用。',
      token_group_closed_then: '请求到达时，令牌 {token} 所在的分组 {group} 未对该账户开放。',
      token_models_then: '请求到达时，令牌 {token} 只能使用 {models}，不能使用 {model}。',
      token_addresses_then: '请求到达时，令牌 {token} 只能从 {addresses} 使用。',
      budget_total_then: '请求到达时，令牌预算 {limit_usd} 已用 {spent_usd}。',
      budget_day_then: '请求到达时，令牌每日预算 {limit_usd} 当日已用 {spent_usd}。',
      budget_month_then: '请求到达时，令牌每月预算 {limit_usd} 当月已用 {spent_usd}。',
      account_disabled_then: '请求到达时，账户处于停用状态。',
      balance_used_up_then: '请求到达时，余额 {balance_usd} 不足以支付其可能的费用。',
      needed_then: '该请求至少可能花费 {needed_usd}。',
      token_group_changed: '当时令牌属于分组 {former}，现在属于 {group}。',
      token_group_off: '令牌 {token} 所在的分组 {group} 已停用。',
      token_group_closed: '令牌 {token} 所在的分组 {group} 未对该账户开放。',
      token_models: '令牌 {token} 只能使用 {models}，不能使用 {model}。',
      token_addresses: '令牌 {token} 只能从 {addresses} 使用。',
      budget_total: '令牌预算 {limit_usd}，已用 {spent_usd}。',
      budget_day: '令牌每日预算 {limit_usd}，今日已用 {spent_usd}。',
      budget_month: '令牌每月预算 {limit_usd}，本月已用 {spent_usd}。',
      account_disabled: '账户已被停用或移除。',
      balance_now: '当前余额为 {balance_usd}。',
      balance_used_up: '余额 {balance_usd} 已用完，或不足以支付此类请求。',
      balance_then: '请求之前余额为 {balance_usd}。',
      record_succeeded: '此请求成功，状态码 {status}。',
      record_failed: '记录显示：状态码 {status}，{cause}。',
      record_fault: '责任方：{fault}。',
      channel_key_refused: '上游拒绝了渠道 {channel} 的密钥。',
      channel_key_refused_one: '上游拒绝了渠道 {channel} 的密钥 {key}。',
      channel_key_refused_former: '上游拒绝了渠道 {channel} 的一个密钥，该渠道现已没有此密钥。',
      channel_key_used_up: '渠道 {channel} 的密钥当时在上游的余额或配额已用完。',
      channel_key_used_up_one: '渠道 {channel} 的密钥 {key} 当时在上游的余额或配额已用完。',
      channel_key_used_up_former:
        '渠道 {channel} 的一个密钥当时在上游的余额或配额已用完，该渠道现已没有此密钥。',
      cooling_then: '请求到达时，部分可用的上游因先前失败而暂时未被使用。',
      cooling_then_channel: '请求到达时，渠道 {channel} 自 {since_at} 起处于冷却中：{cause}。',
      cooling_then_model:
        '请求到达时，渠道 {channel} 的模型 {model} 自 {since_at} 起处于冷却中：{cause}。',
      cooling_then_key:
        '请求到达时，渠道 {channel} 的密钥 {key} 自 {since_at} 起处于冷却中：{cause}。',
      attempts_none: '没有调用任何渠道。',
      attempt_failed: '第 {number} 次尝试在 {duration_ms} 后失败：{cause}。',
      attempt_answered: '第 {number} 次尝试在 {duration_ms} 后返回 {status}。',
      attempt_failed_at: '第 {number} 次尝试（渠道 {channel}）在 {duration_ms} 后失败：{cause}。',
      attempt_answered_at: '第 {number} 次尝试（渠道 {channel}）在 {duration_ms} 后返回 {status}。',
      attempt_failed_with:
        '第 {number} 次尝试（渠道 {channel}，密钥 {key}）在 {duration_ms} 后失败：{cause}。',
      attempt_answered_with:
        '第 {number} 次尝试（渠道 {channel}，密钥 {key}）在 {duration_ms} 后返回 {status}。',
      group_worked: '最近 24 小时 {group} 有 {requests} 个 {model} 请求，其中 {failed} 个失败。',
      groups_untried: '最近 24 小时无人在这些分组请求 {model}：{groups}。',
      groups_none: '您可用的其他分组都没有 {model}。',
    },
    ways: {
      wait: '等到状态页显示该分组恢复正常后重试。',
      try_other_group: '改用其他分组的令牌。',
      use_model: '将模型名写为 {name}。',
      see_models: '在模型广场查看准确的模型名。',
      change_group: '使用分组 {group} 的令牌。',
      new_token: '新建令牌并使用其密钥。',
      enable_token: '启用该令牌。',
      extend_token: '延长令牌的有效期。',
      allow_model: '将 {model} 加入令牌的可用模型。',
      allow_address: '将客户端地址加入令牌的 IP 白名单。',
      raise_budget: '提高令牌预算，或等到次日或次月。',
      check_key: '检查渠道 {channel} 的密钥，并进行测试。',
      check_one_key: '更换渠道 {channel} 的密钥 {key}，或为其账户充值，然后测试该渠道。',
      add_balance: '为余额充值。',
      ask_operator: '联系本网关的运营者。',
      retry: '重新发送一次请求。',
      fix_request: '按错误提示修正请求；可先从最小请求体开始。',
      slow_down: '减少并发，并按 Retry-After 等待。',
      report: '使用下方文字反馈问题。',
    },
    faults: {
      client: '请求或其客户端',
      token: '令牌',
      account: '账户',
      group: '分组的设置',
      upstream: '上游',
      gateway: '网关',
    },
  },
}

/** Something that goes with a note: `since_at`, `spent_usd` … */
export type Param = string | number | readonly string[]
export type Params = Readonly<Record<string, Param>>

/** A piece of a sentence; `name` is set where it is what was filled in. */
interface Piece {
  readonly text: string
  readonly name?: string
}

/**
 * Fills a sentence's `{names}`. What is filled in stays a piece of its own: it is strangers' text, and
 * is never looked into again. A name that nothing goes with stays as it is.
 */
export function fill(
  sentence: string,
  params: Params,
  show: (name: string, value: Param) => string,
): readonly Piece[] {
  return sentence
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1]
      if (name === undefined || !Object.hasOwn(params, name)) return { text: part }
      return { text: show(name, params[name] ?? ''), name }
    })
}
