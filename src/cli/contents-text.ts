import { counted, grouped } from '../lib/format.ts'
import type { Contents } from '../store/ports/copies.ts'

/** What a database holds, in one line. */
export function describeContents({ accounts, tokens, requests, ledgerEntries }: Contents): string {
  const entries = `ledger ${ledgerEntries === 1 ? 'entry' : 'entries'}`
  return [
    counted(accounts, 'account'),
    counted(tokens, 'token'),
    counted(requests, 'request'),
    `${grouped(ledgerEntries)} ${entries}`,
  ].join(', ')
}
