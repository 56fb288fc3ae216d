import { linePrice, linesAmount } from '../../billing/lines.ts'
import { formatDecimal, formatNano, multiplierDecimals } from '../../billing/money.ts'
import { clientRequest, clientRows } from '../../billing/receipt/client.ts'
import { explainCharge } from '../../billing/receipt/explain.ts'
import { clientRequestFields, requestFields, viewOf } from '../../billing/receipt/fields.ts'
import { clientReceiptView, receiptView } from '../../billing/receipt/view.ts'
import type { ListedRequest } from '../../store/ports/lists.ts'
import type { ReceiptRows } from '../../store/ports/records.ts'
import type { ChannelKeys } from '../channels/keys.ts'
import type { AnyReceipt, Bill, Receipt } from './schema.ts'

/** A request as its own account sees it. */
export const toItem = (row: ListedRequest) => ({
  ...viewOf(clientRequestFields, clientRequest(row)),
  amount: formatNano(row.amountNano),
})

/** A request as administrators see it. */
export const toAnyItem = (row: ListedRequest) => ({
  ...viewOf(requestFields, row),
  amount: formatNano(row.amountNano),
})

export const toReceipt = (rows: ReceiptRows): Receipt =>
  inUsd(rows, clientReceiptView(clientRows(rows)))

/** As administrators see it; `keys` are those of the channels that were asked. */
export function toAnyReceipt(
  rows: ReceiptRows,
  keys: ReadonlyMap<number, ChannelKeys>,
): AnyReceipt {
  const { attempts, ...view } = inUsd(rows, receiptView(rows))
  return {
    ...view,
    attempts: attempts.map(({ key_mark: mark, ...attempt }, place) => {
      const hints = keys.get(rows.attempts[place]?.channelId ?? 0)?.hints
      return { ...attempt, key_hint: mark === null ? null : (hints?.get(mark) ?? '') }
    }),
  }
}

const inUsd = <View extends { readonly differences: readonly string[] }>(
  rows: ReceiptRows,
  view: View,
) => ({
  ...{ ...view, token_id: rows.request.tokenId },
  ...{ amount: formatNano(rows.request.amountNano), bill: toBill(rows) },
  differences: [...view.differences],
})

/** The charge as a bill without unused lines; null: no price applied. */
function toBill(rows: ReceiptRows): Bill | null {
  const explanation = explainCharge(rows)
  if (explanation === null) return null
  const { unit, factors, amountNano } = explanation
  const used = explanation.lines.filter(({ count }) => count > 0)
  return {
    unit,
    lines: used.map((line) => ({
      name: line.name.replaceAll(' ', '_'),
      unit: line.unit,
      count: line.count,
      price: linePrice(line, factors),
      amount: linesAmount([line], factors),
    })),
    service_tiers: factors.map(({ name, millionths }) => ({
      name,
      factor: formatDecimal(millionths, multiplierDecimals),
    })),
    sum: linesAmount(used, factors),
    multiplier: formatDecimal(rows.request.multiplierMillionths, multiplierDecimals),
    amount: formatNano(amountNano),
  }
}
