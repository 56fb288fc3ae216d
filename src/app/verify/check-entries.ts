import type { LedgerKind } from '../../store/ports/records.ts'
import type { CheckedEntry } from '../../store/ports/verification.ts'
import { changesIn, type Difference } from './difference.ts'

/** Walks the ledger, account by account. */
export interface EntryWalk {
  next(entry: CheckedEntry): readonly Difference[]
  /** After the last entry. */
  end(): readonly Difference[]
}

const signs: { readonly [kind in LedgerKind]: 1 | -1 } = {
  opening: 1,
  credit: 1,
  charge: -1,
  debit: -1,
}

/**
 * Checks each entry by itself, the balance that it left, and each account's balance after its last
 * entry. An entry that is wrong, missing or too many is told once, not with all that follow: an
 * entry is right when its balance follows from the one before it, from the last one that was right,
 * or from the sum of all before.
 */
export function createEntryWalk(): EntryWalk {
  let last: CheckedEntry | undefined
  let sumNano = 0
  let rightNano = 0

  function end(): readonly Difference[] {
    if (last === undefined || last.balanceNano === null) return []
    const changes = changesIn([['balance_nano', last.balanceNano, sumNano]])
    const row = `account ${last.accountId} (${last.email})`
    const reason = 'the sum of its ledger entries'
    return changes.length > 0 ? [{ kind: 'balance', row, changes, reason }] : []
  }

  return {
    next(entry) {
      const found: Difference[] = []
      const isFirst = last?.accountId !== entry.accountId
      if (isFirst) {
        found.push(...end())
        sumNano = entry.beforeNano ?? 0
      }
      const { amountNano, balanceAfterNano } = entry
      const beforeNano = isFirst ? sumNano : (last?.balanceAfterNano ?? 0)
      if (isFirst) rightNano = sumNano
      sumNano += amountNano
      const right = [beforeNano + amountNano, rightNano + amountNano, sumNano]
      if (right.includes(balanceAfterNano)) rightNano = balanceAfterNano
      else found.push(wrongBalance(entry, beforeNano))
      found.push(...checkEntry(entry, isFirst))
      last = entry
      return found
    },
    end,
  }
}

function wrongBalance(entry: CheckedEntry, beforeNano: number): Difference {
  const { id, accountId, amountNano, balanceAfterNano } = entry
  const changes = changesIn([['balance_after_nano', balanceAfterNano, beforeNano + amountNano]])
  const reason = `${amountNano} after a balance of ${beforeNano} of account ${accountId}`
  return { kind: 'balance_after', row: `ledger entry ${id}`, changes, reason }
}

function checkEntry(entry: CheckedEntry, isFirst: boolean): readonly Difference[] {
  const { id, kind, amountNano, requestId, hasRequest, beforeNano } = entry
  const row = `ledger entry ${id}`
  const found: Difference[] = []
  const fault = (reason: string) => found.push({ kind: 'entry', row, changes: [], reason })
  if (!Number.isSafeInteger(amountNano) || amountNano * signs[kind] <= 0) {
    const sign = signs[kind] > 0 ? 'above' : 'below'
    fault(`amount_nano is ${amountNano}, but with kind "${kind}" it is a whole number ${sign} 0`)
  }
  if (kind === 'opening' && !(isFirst && beforeNano === 0))
    fault('is an opening balance, but not the first entry of its account')
  if (kind === 'charge' && requestId === null) fault('is a charge without a request')
  if (kind !== 'charge' && requestId !== null)
    fault(`is a ${kind}, but names the request ${requestId}`)
  if (requestId !== null && !hasRequest) {
    const reason = `charges ${-amountNano} nano-USD for request ${requestId}, which does not exist`
    found.push({ kind: 'charge_unfounded', row, changes: [], reason })
  }
  return found
}
