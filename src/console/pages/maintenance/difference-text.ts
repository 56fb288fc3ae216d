import type { DifferenceKind, VerifyDifference } from '../../../admin/maintenance/schema.ts'
import type { Language } from '../../lib/texts.ts'

/** The languages that the API does not speak itself. */
type Translated = Exclude<Language, 'en'>

/** What each check has found. */
const kindTexts: Readonly<Record<DifferenceKind, Readonly<Record<Translated, string>>>> = {
  damage: { zh: '数据库文件已损坏' },
  forbidden: { zh: '某个值违反了数据库自身的规则' },
  dangling: { zh: '引用了不存在的记录' },
  counts: { zh: '计数无效，无法据此扣费' },
  usage: { zh: '用量与上游的用量报告不符' },
  price: { zh: '请求所用的价格不存在、不适用或无法读取' },
  tier: { zh: '计费档位与用量不符' },
  amount: { zh: '扣费金额与用量、倍率和价格不符' },
  owner: { zh: '请求的账户与令牌的账户不符' },
  charge_missing: { zh: '请求的扣费不在账本中' },
  charge_amount: { zh: '账本中的扣费金额与请求不符' },
  charge_owner: { zh: '扣费记在了另一个账户上' },
  charge_unfounded: { zh: '账本中的扣费没有对应的请求' },
  entry: { zh: '账本记录自身有误' },
  balance_after: { zh: '账本记录后的余额与之前的余额和金额不符' },
  balance: { zh: '账户余额与账本不符' },
  reserved: { zh: '预留金额与未结束的预留之和不符' },
  spending: { zh: '令牌的预算用量与每日汇总或预留不符' },
  reservation: { zh: '请求已结束，但预留仍未释放' },
  background: { zh: '后台响应未计费且不再等待计费，或已逾期' },
  day: { zh: '每日汇总与请求不符' },
  total: { zh: '图表汇总与每日汇总不符' },
  attempts: { zh: '上游尝试记录不完整或没有对应的请求' },
}

const isKnown = (kind: string): kind is DifferenceKind => Object.hasOwn(kindTexts, kind)

/**
 * A difference in words; in another language than English without its row and its reason, which the
 * gateway's own sentence tells. Undefined: there are no words for it but that sentence.
 */
export function differenceText(
  { kind, changes }: VerifyDifference,
  language: Language,
): string | undefined {
  if (language === 'en' || !isKnown(kind)) return undefined
  const parts = changes.map(
    ({ field, stored, expected }) => `${field} 为 ${stored}，应为 ${expected}`,
  )
  return [kindTexts[kind][language], ...(parts.length > 0 ? [parts.join('；')] : [])].join('：')
}
