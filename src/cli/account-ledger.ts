import type { Command } from 'commander'
import { usd } from '../billing/money.ts'
import { ledgerFields, viewOf } from '../billing/receipt/fields.ts'
import { humanTime, isoTime } from '../lib/format.ts'
import type { Column } from '../lib/table.ts'
import type { LedgerEntry } from '../store/ports/records.ts'
import { emailArgument, findAccount } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeList } from './output.ts'
import { parseRowLimit } from './values.ts'

interface LedgerOptions extends ConfigOption {
  readonly limit: number
  readonly json?: boolean
}

const columns: readonly Column<LedgerEntry>[] = [
  { title: 'TIME', text: ({ createdAt }) => humanTime(isoTime(createdAt)) },
  { title: 'ENTRY', text: ({ id }) => String(id), right: true },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'AMOUNT', text: ({ amountNano }) => usd(amountNano), right: true },
  { title: 'BALANCE', text: ({ balanceAfterNano }) => usd(balanceAfterNano), right: true },
  { title: 'FOR', text: ({ requestId, reason }) => requestId ?? reason ?? '' },
]

/** `tollgate account ledger`. */
export function addLedger(account: Command): void {
  const command = account
    .command('ledger')
    .description('what changed a balance and why, newest last; "export ledger" has all')
    .addArgument(emailArgument())
    .option('--limit <n>', 'at most this many, the newest', parseRowLimit, 50)
    .option('--json', 'as JSON')
    .action(async (email: string, options: LedgerOptions) =>
      withStore(options, async (instance) => {
        await findAccount(instance, email)
        const entries = await instance.store.admin.ledger(email, options.limit)
        if (options.json) return writeJson(entries.map((entry) => viewOf(ledgerFields, entry)))
        await writeList(entries, columns, { none: `Nothing has changed the balance of ${email}.` })
      }),
    )
  withExamples(withConfig(command), 'tollgate account ledger someone@example.com --limit 20')
}
