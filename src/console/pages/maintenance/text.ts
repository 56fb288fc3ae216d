import type { DifferenceKind, VerifyDifference } from '../../../admin/maintenance/schema.ts'
import { bilingual, type Language } from '../../lib/language.ts'

export const maintenanceText = bilingual({
  description: ['Verify records, back up, export the file.', '核对账目、备份数据库、导出配置。'],
  verify: ['Verify the records', '核对账目'],
  verifyHint: [
    'Recomputes every charge from its receipt and every balance from the ledger, in a process of its own: the gateway goes on undisturbed.',
    '按回执重新计算每一笔扣费，按账本重新计算每个余额。在独立进程中运行，不影响网关。',
  ],
  start: ['Verify now', '立即核对'],
  guide: ['How to restore one', '如何恢复'],
  cancel: ['Stop', '停止'],
  keep: ['Keep it', '保留'],
  running: ['Under way', '进行中'],
  parts: {
    'the file': ['Checking the file', '检查数据库文件'],
    requests: ['Requests', '请求'],
    'ledger entries': ['Ledger entries', '账本记录'],
    'daily sums': ['Daily sums', '每日汇总'],
    attempts: ['Attempts', '上游尝试'],
    balances: ['Balances', '余额'],
    copy: ['Copying', '复制中'],
    structure: ['Checking that the copy is whole', '检查副本是否完整'],
    contents: ['Counting', '统计中'],
  },
  of: ['{done} of {total}', '{done} / {total}'],
  valid: ['Everything agrees', '账目一致'],
  validText: [
    '{requests} requests, {entries} ledger entries and {accounts} accounts were checked. The requests were charged {charged}. Every charge follows from its receipt, every balance from the ledger.',
    '已核对 {requests} 个请求、{entries} 条账本记录和 {accounts} 个账户，请求共扣费 {charged}。每笔扣费均与回执相符，每个余额均与账本相符。',
  ],
  invalid: ['Differences: {count}', '发现 {count} 处差异'],
  damaged: ['The database file is damaged', '数据库文件已损坏'],
  damagedText: [
    'Nothing beyond the file was checked, for nothing in it can be relied on. Stop the gateway, keep a copy of the file, and restore a backup.',
    '文件内容已不可信，未继续核对。请停止网关，保留该文件的副本，并从备份恢复。',
  ],
  firstOf: ['The first {shown}:', '前 {shown} 处：'],
  failed: ['It failed', '执行失败'],
  cancelled: ['Stopped before it was done.', '已中途停止。'],
  by: ['Started by', '发起人'],
  at: ['Ended', '结束时间'],
  backups: ['Backups', '备份'],
  backupHint: [
    'A copy of the database, whole and checked, in a folder beside it. The gateway goes on meanwhile.',
    '将数据库完整复制并校验，保存在其旁边的目录中。备份期间网关照常运行。',
  ],
  secretHint: [
    'Keep the secret as well (the file .secret beside the database, or TOLLGATE_SECRET): without it the keys in a backup cannot be opened. The console does not hand it out.',
    '请同时保管密钥文件（数据库旁的 .secret 文件或 TOLLGATE_SECRET）：没有它就无法解开备份中的密钥。控制台不会提供该文件。',
  ],
  make: ['Back up now', '立即备份'],
  made: ['{name} is made and checked.', '{name} 已生成并通过校验。'],
  folder: ['Folder', '目录'],
  caption: ['Backups', '备份列表'],
  file: ['File', '文件'],
  size: ['Size', '大小'],
  time: ['Made', '生成时间'],
  download: ['Download', '下载'],
  remove: ['Delete', '删除'],
  removeAsk: ['{name} is deleted for good.', '{name} 将被永久删除。'],
  removed: ['{name} is deleted.', '已删除 {name}。'],
  empty: [
    'No backups yet. Back up before updates; keep a copy elsewhere.',
    '还没有备份。升级前请备份，并异机保存。',
  ],
  password: ['Your password', '您的密码'],
  passwordHint: ['A backup holds everything: confirm who you are.', '备份含全部数据，请验证身份。'],
  config: ['Configuration as a file', '导出配置'],
  configHint: [
    'The present channels, groups, prices, accounts, tokens and settings as a tollgate.yaml. Secrets are left out: each is a reference to an environment variable.',
    '将当前的渠道、分组、价格、账户、令牌和设置导出为 tollgate.yaml。其中不含密钥，均以环境变量引用代替。',
  ],
  configDownload: ['Download tollgate.yaml', '下载 tollgate.yaml'],
})

/** What each check has found, in Chinese: the API speaks English itself. */
const kindTexts: Readonly<Record<DifferenceKind, string>> = {
  damage: '数据库文件已损坏',
  forbidden: '某个值违反了数据库自身的规则',
  dangling: '引用了不存在的记录',
  counts: '计数无效，无法据此扣费',
  usage: '用量与上游的用量报告不符',
  price: '请求所用的价格不存在、不适用或无法读取',
  tier: '计费档位与用量不符',
  amount: '扣费金额与用量、倍率和价格不符',
  owner: '请求的账户与令牌的账户不符',
  charge_missing: '请求的扣费不在账本中',
  charge_amount: '账本中的扣费金额与请求不符',
  charge_owner: '扣费记在了另一个账户上',
  charge_unfounded: '账本中的扣费没有对应的请求',
  entry: '账本记录自身有误',
  balance_after: '账本记录后的余额与之前的余额和金额不符',
  balance: '账户余额与账本不符',
  reserved: '预留金额与未结束的预留之和不符',
  spending: '令牌的预算用量与每日汇总或预留不符',
  reservation: '请求已结束，但预留仍未释放',
  background: '后台响应未计费且不再等待计费，或已逾期',
  day: '每日汇总与请求不符',
  total: '图表汇总与每日汇总不符',
  attempts: '上游尝试记录不完整或没有对应的请求',
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
  return [kindTexts[kind], ...(parts.length > 0 ? [parts.join('；')] : [])].join('：')
}
