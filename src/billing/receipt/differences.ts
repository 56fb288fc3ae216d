import type { ReceiptRows } from '../../store/ports/records.ts'
import { usd } from '../money.ts'
import { type Explanation, explainCharge } from './explain.ts'
import { tierName } from './tier.ts'

/**
 * Where a record contradicts itself, in sentences; empty for a sound one. The charge is worked out
 * anew from price, counts and multiplier, so a change of any of them by hand shows here.
 */
export function findDifferences(
  rows: ReceiptRows,
  explanation: Explanation | null = explainCharge(rows),
): readonly string[] {
  return [...checkCharge(rows, explanation), ...checkLedger(rows)]
}

function checkCharge({ request, price }: ReceiptRows, explanation: Explanation | null): string[] {
  const { amountNano, priceId, tierAbove } = request
  const onRecord = `the amount on record is ${usd(amountNano)}`
  if (explanation === null) {
    if (priceId !== null && price === null) {
      return [`Price ${priceId} is not on record any more, and ${onRecord}.`]
    }
    return amountNano === 0 ? [] : [`No price applied, but ${onRecord}.`]
  }
  const found = []
  const expected = explanation.tier?.above ?? null
  if (tierAbove !== expected) {
    found.push(
      `The tier on record is "${tierName(tierAbove)}", but by its context it is "${tierName(expected)}".`,
    )
  }
  if (BigInt(amountNano) !== explanation.amountNano) {
    found.push(`The formula makes ${usd(explanation.amountNano)}, but ${onRecord}.`)
  }
  return found
}

function checkLedger({ request, ledgerId, ledgerAmountNano }: ReceiptRows): string[] {
  const { amountNano } = request
  if (ledgerId === null) {
    return amountNano === 0
      ? []
      : [`The amount on record is ${usd(amountNano)}, but the ledger has no entry for it.`]
  }
  const takenNano = -(ledgerAmountNano ?? 0)
  return takenNano === amountNano
    ? []
    : [
        `Ledger entry ${ledgerId} took ${usd(takenNano)}, but the amount on record is ${usd(amountNano)}.`,
      ]
}
