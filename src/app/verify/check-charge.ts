import { charge } from '../../billing/charge.ts'
import { recordedUsage } from '../../billing/extras.ts'
import { isoTime } from '../../lib/format.ts'
import type { CheckedRequest } from '../../store/ports/verification.ts'
import { changesIn, type Difference } from './difference.ts'
import { cameLater, wasReplaced } from './price-times.ts'
import type { CheckedPrice } from './prices.ts'

/** Endings that cost nothing, whatever the price. */
const freeEndings = new Set(['refused', 'interrupted'])

/** Records keep so much of a model's name. */
const maxModelLength = 200

/** Whether a request was charged by a price of its model, and one that held at that time. */
export function checkPrice(
  request: CheckedRequest,
  price: CheckedPrice | null,
  row: string,
): readonly Difference[] {
  if (request.priceId === null) return []
  const found = (reason: string) => [{ kind: 'price' as const, row, changes: [], reason }]
  if (price === null) return found(`price ${request.priceId} does not exist`)
  const { model } = request
  if (price.model.slice(0, maxModelLength) !== model) {
    const names = [price.model, model].map((name) => JSON.stringify(name))
    return found(`price ${price.id} is one of ${names[0]}, but the request was for ${names[1]}`)
  }
  if (cameLater(request, price)) {
    const from = isoTime(price.validFrom)
    return found(`price ${price.id} holds from ${from} on, after this request had ended`)
  }
  if (wasReplaced(request, price)) {
    const at = isoTime(price.replacedAt ?? 0)
    return found(`price ${price.id} was replaced at ${at}, before this request came`)
  }
  return []
}

interface Due {
  readonly amountNano: number
  readonly tierAbove: number | null
  readonly reason: string
}

/** What a request should have cost; a text: why that can't be told. */
function dueFor(request: CheckedRequest, price: CheckedPrice | null): Due | string {
  const nothing = { amountNano: 0, tierAbove: null }
  if (request.priceId === null) return { ...nothing, reason: 'it has no price' }
  if (freeEndings.has(request.ending))
    return { ...nothing, reason: `what was ${request.ending} costs nothing` }
  if (price === null) return { ...nothing, reason: 'its price does not exist' }
  if (price.terms === null) return `the terms of price ${price.id} can't be read`
  try {
    const { calls, multiplierMillionths, longContextPricing } = request
    const { terms } = price
    const made = { terms, calls, multiplierMillionths, longContextPricing }
    const due = charge({ ...made, ...recordedUsage(request) })
    return { ...due, reason: `by its counts, its multiplier and price ${price.id}` }
  } catch (error) {
    return `price ${price.id}: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Works the charge out anew. */
export function checkAmount(
  request: CheckedRequest,
  price: CheckedPrice | null,
  row: string,
): readonly Difference[] {
  const due = dueFor(request, price)
  if (typeof due === 'string') return [{ kind: 'price', row, changes: [], reason: due }]
  const { tierAbove, amountNano } = request
  if (tierAbove === due.tierAbove && amountNano === due.amountNano) return []
  const { reason } = due
  const tier = changesIn([['tier_above', tierAbove, due.tierAbove]])
  const amount = changesIn([['amount_nano', amountNano, due.amountNano]])
  return [
    ...(tier.length > 0 ? [{ kind: 'tier' as const, row, changes: tier, reason }] : []),
    ...(amount.length > 0 ? [{ kind: 'amount' as const, row, changes: amount, reason }] : []),
  ]
}
