import { bilingual } from '../../lib/texts.ts'

export const balanceText = bilingual({
  title: ['Balance', '余额'],
  description: ['What is left, and every change of it.', '当前余额及其每一笔变动。'],
  balance: ['Balance', '余额'],
  reserved: ['Set aside', '预留'],
  reservedHint: [
    'For requests under way; what they do not cost is free again.',
    '为进行中的请求预留，未用完的部分会退回。',
  ],
  creditLimit: ['Credit limit', '信用额度'],
  creditHint: ['So far below zero the balance may go.', '余额最多可透支的金额。'],
  prepaid: [
    'None: requests are refused when the balance is used up.',
    '无：余额用尽后请求将被拒绝。',
  ],
  lowTitle: ['The balance is low', '余额不足提醒'],
  low: [
    (below: string) =>
      `It is below ${below}. Top it up by way of whoever runs this gateway, before requests are refused.`,
    (below) => `余额已低于 ${below}。请尽快联系网关管理员充值，以免请求被拒绝。`,
  ],
  ledger: ['Ledger', '账单明细'],
  when: ['Time', '时间'],
  kind: ['Kind', '类型'],
  amount: ['Amount', '金额'],
  after: ['Balance after', '变动后余额'],
  about: ['For', '说明'],
  request: ['Receipt', '收据'],
  all: ['All', '全部'],
  opening: ['Opening balance', '初始余额'],
  charge: ['Charge', '扣费'],
  credit: ['Credit', '充值'],
  debit: ['Debit', '扣减'],
  since: ['From', '开始日期'],
  until: ['To', '结束日期'],
  exportCsv: ['Export CSV', '导出 CSV'],
  exportJsonl: ['Export JSON lines', '导出 JSON Lines'],
  exportHint: [
    'Amounts in the files are whole nano-USD (a billionth of a dollar).',
    '文件中的金额单位为纳美元（十亿分之一美元）的整数。',
  ],
  none: ['No entries yet', '还没有记录'],
  noneHint: [
    'Each charged request and each top-up is an entry here.',
    '每次请求扣费、每次充值都会记录在此。',
  ],
  noneFound: ['No entry fits', '没有符合条件的记录'],
  noneFoundHint: ['Change the filters, or show all.', '请调整筛选条件，或显示全部。'],
  showAll: ['Show all', '显示全部'],
})
