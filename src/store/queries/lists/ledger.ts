import type { LedgerEntry } from '../../ports/records.ts'
import { selectLedger } from '../records.ts'
import { all, type Steps } from '../steps.ts'

/** The ledger entries with these ids. */
export const readEntries = (
  ids: readonly number[],
  order: 'asc' | 'desc',
): Steps<readonly LedgerEntry[]> =>
  all<LedgerEntry>(selectLedger().where('ledger.id', 'in', ids).orderBy('ledger.id', order))
