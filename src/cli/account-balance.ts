import { Argument, type Command, Option } from 'commander'
import type { Instance } from '../app/instance.ts'
import { usd } from '../billing/money.ts'
import { ledgerFields, viewOf } from '../billing/receipt/fields.ts'
import { humanTime, isoTime } from '../lib/format.ts'
import { type Column, formatTable } from '../lib/table.ts'
import { type Adjusted, type Adjustment, WouldOverdraw } from '../store/ports/admin.ts'
import type { LedgerEntry } from '../store/ports/records.ts'
import { confirm } from './ask.ts'
import { commandLine, emailArgument, findAccount } from './lookup.ts'
import { type AnyOptions, addReporting, type Described } from './resource-commands.ts'
import { parseAmount, parseWords, type RowLimit, rowLimitOption } from './values.ts'

interface AdjustOptions extends AnyOptions {
  readonly reason: string
  readonly key?: string
  readonly yes?: boolean
}

export const addCredit = (account: Command): void =>
  addAdjustment(account, 'credit', {
    help: 'add to a balance: a payment, a gift',
    examples: [
      'tollgate account credit someone@example.com 20 --reason "invoice 7" --key invoice-7',
    ],
  })

export const addDebit = (account: Command): void =>
  addAdjustment(account, 'debit', {
    help: 'take from a balance: a refund, a correction',
    options: [
      ['-y, --yes', 'do not ask, also when it goes below what the credit limit allows'],
    ] as const,
    examples: ['tollgate account debit someone@example.com 2.5 --reason "paid back"'],
  })

const addAdjustment = (
  account: Command,
  kind: Adjustment['kind'],
  { options = [], ...described }: Described,
): void =>
  addReporting(account, kind, {
    ...described,
    args: [
      emailArgument(),
      new Argument('<usd>', 'how much: more than 0, at most 9 decimals').argParser(parseAmount),
    ],
    options: [
      ...options,
      new Option('--reason <text>', 'why; it stands in the ledger')
        .argParser(parseWords)
        .makeOptionMandatory(),
      new Option(
        '--key <key>',
        'of your choice: asked again with it, nothing is done twice',
      ).argParser(parseWords),
    ],
    async run(instance, options: AdjustOptions, email: string, amountNano: number) {
      await findAccount(instance, email)
      const { reason, key = null } = options
      const change = { account: email, kind, amountNano, reason, idempotencyKey: key }
      const adjustment = { ...change, actor: commandLine }
      return { adjustment, adjusted: await adjust(instance, adjustment, options) }
    },
    json: ({ adjustment, adjusted }) => adjustmentReport(adjustment, adjusted),
    lines: ({ adjustment, adjusted }) => [describe(adjustment, adjusted)],
  })

/** The store itself refuses to overdraw: no check can be outdated. */
async function adjust(
  instance: Instance,
  adjustment: Adjustment,
  { yes = false }: AdjustOptions,
): Promise<Adjusted> {
  const { admin } = instance.store
  try {
    return await admin.adjust({ ...adjustment, mayOverdraw: yes })
  } catch (error) {
    if (!(error instanceof WouldOverdraw)) throw error
    const { balanceNano, creditLimitNano } = await findAccount(instance, adjustment.account)
    const left = usd(balanceNano - adjustment.amountNano)
    await confirm(
      `The balance of ${adjustment.account} is ${usd(balanceNano)} and would be ${left}, with a ` +
        `credit limit of ${usd(creditLimitNano)}. Debit it nevertheless?`,
      { yes },
    )
    return admin.adjust({ ...adjustment, mayOverdraw: true })
  }
}

const signedNano = ({ kind, amountNano }: Adjustment) =>
  kind === 'credit' ? amountNano : -amountNano

function adjustmentReport(adjustment: Adjustment, adjusted: Adjusted) {
  return {
    account: adjustment.account,
    kind: adjustment.kind,
    amount_nano: signedNano(adjustment),
    idempotency_key: adjustment.idempotencyKey,
    ledger_id: adjusted.ledgerId,
    balance_after_nano: adjusted.balanceNano,
    repeated: adjusted.isRepeat,
  }
}

function describe(adjustment: Adjustment, { ledgerId, balanceNano, isRepeat }: Adjusted): string {
  const { account, kind, amountNano, idempotencyKey } = adjustment
  const amount = usd(amountNano)
  const done =
    kind === 'credit' ? `Credited ${amount} to ${account}` : `Debited ${amount} from ${account}`
  if (!isRepeat) return `${done}: ledger entry ${ledgerId}. The balance is ${usd(balanceNano)}.`
  return (
    `Done before, and not again: the key "${idempotencyKey}" stands at ledger entry ${ledgerId}, ` +
    `after which the balance was ${usd(balanceNano)}.`
  )
}

const columns: readonly Column<LedgerEntry>[] = [
  { title: 'TIME', text: ({ createdAt }) => humanTime(isoTime(createdAt)) },
  { title: 'ENTRY', text: ({ id }) => String(id), right: true },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'AMOUNT', text: ({ amountNano }) => usd(amountNano), right: true },
  { title: 'BALANCE', text: ({ balanceAfterNano }) => usd(balanceAfterNano), right: true },
  { title: 'FOR', text: ({ requestId, reason }) => requestId ?? reason ?? '' },
]

export const addLedger = (account: Command): void =>
  addReporting(account, 'ledger', {
    help: 'what changed a balance and why, newest last; "export ledger" has all',
    args: [emailArgument()],
    options: [rowLimitOption()],
    examples: ['tollgate account ledger someone@example.com --limit 20'],
    async run(instance, { limit }: RowLimit, email: string) {
      await findAccount(instance, email)
      return instance.store.admin.ledger(email, limit)
    },
    json: (entries) => entries.map((entry) => viewOf(ledgerFields, entry)),
    lines: (entries, _options, [email]) =>
      entries.length > 0
        ? formatTable(columns, entries)
        : [`Nothing has changed the balance of ${email}.`],
  })
