import {
  formatDecimal,
  formatNano,
  multiplierDecimals,
  nanoDecimals,
  priceDecimals,
} from '../../billing/money.ts'
import { type ChargeLine, explainCharge } from '../../billing/receipt/explain.ts'
import { clientRequestFields, requestFields, viewOf } from '../../billing/receipt/fields.ts'
import { clientReceiptView, receiptView } from '../../billing/receipt/view.ts'
import type { ListedRequest } from '../../store/ports/lists.ts'
import type { ReceiptRows } from '../../store/ports/records.ts'
import type { AnyReceipt, Bill, Receipt } from './schema.ts'

/** A request in the list of its own account. */
export const toItem = (row: ListedRequest) => ({
  ...viewOf(clientRequestFields, row),
  amount: formatNano(row.amountNano),
})

/** A request in an administrator's list. */
export const toAnyItem = (row: ListedRequest) => ({
  ...viewOf(requestFields, row),
  amount: formatNano(row.amountNano),
})

/** The receipt for the request's own account. */
export const toReceipt = (rows: ReceiptRows): Receipt => {
  const view = clientReceiptView(rows)
  return { ...view, ...inUsd(rows), differences: [...view.differences] }
}

/** The receipt for an administrator. */
export const toAnyReceipt = (rows: ReceiptRows): AnyReceipt => {
  const view = receiptView(rows)
  return { ...view, ...inUsd(rows), differences: [...view.differences] }
}

const inUsd = (rows: ReceiptRows) => ({
  amount: formatNano(rows.request.amountNano),
  bill: toBill(rows),
})

/** Micro-USD per 1M tokens × tokens are 10⁻¹² USD. */
const tokenSumDecimals = 12

/** The charge as a bill; null when no price applied. What was not used has no line. */
function toBill(rows: ReceiptRows): Bill | null {
  const explanation = explainCharge(rows)
  if (explanation === null) return null
  const { unit, amountNano } = explanation
  const [prices, sums] =
    unit === 'tokens' ? [priceDecimals, tokenSumDecimals] : [nanoDecimals, nanoDecimals]
  const used = explanation.lines.filter(({ count }) => count > 0)
  const costOf = ({ count, price }: ChargeLine) => BigInt(count) * BigInt(price)
  return {
    unit,
    lines: used.map((line) => ({
      name: line.name.replaceAll(' ', '_'),
      count: line.count,
      price: formatDecimal(line.price, prices),
      amount: formatDecimal(costOf(line), sums),
    })),
    sum: formatDecimal(
      used.reduce((sum, line) => sum + costOf(line), 0n),
      sums,
    ),
    multiplier: formatDecimal(rows.request.multiplierMillionths, multiplierDecimals),
    amount: formatNano(amountNano),
  }
}
