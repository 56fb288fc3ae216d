import type { Command } from 'commander'
import { usd } from '../billing/money.ts'
import { ledgerFields, viewOf } from '../billing/receipt/fields.ts'
import { humanTime, isoTime } from '../lib/format.ts'
import { type Column, formatTable } from '../lib/table.ts'
import type { LedgerEntry } from '../store/ports/records.ts'
import { emailArgument, findAccount } from './lookup.ts'
import { addReporting } from './resource-commands.ts'
import { type RowLimit, rowLimitOption } from './values.ts'

const columns: readonly Column<LedgerEntry>[] = [
  { title: 'TIME', text: ({ createdAt }) => humanTime(isoTime(createdAt)) },
  { title: 'ENTRY', text: ({ id }) => String(id), right: true },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'AMOUNT', text: ({ amountNano }) => usd(amountNano), right: true },
  { title: 'BALANCE', text: ({ balanceAfterNano }) => usd(balanceAfterNano), right: true },
  { title: 'FOR', text: ({ requestId, reason }) => requestId ?? reason ?? '' },
]

/** `tollgate account ledger`. */
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
