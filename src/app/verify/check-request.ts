import type { CheckedRequest } from '../../store/ports/verification.ts'
import { checkAmount, checkPrice } from './check-charge.ts'
import { checkExtras } from './check-extras.ts'
import { checkUsage } from './check-usage.ts'
import { changesIn, type Difference } from './difference.ts'
import type { CheckedPrice } from './prices.ts'

/** Where a request contradicts itself, its price, its usage report or its ledger entry. */
export function checkRequest(
  request: CheckedRequest,
  price: CheckedPrice | null,
): readonly Difference[] {
  const row = `request ${request.requestId}`
  const insane = insaneFields(request)
  if (insane.length > 0) {
    const what = insane.map(([field, count]) => `${field} is ${count}`).join('; ')
    const reason = `${what}: not a count that can be charged for`
    return [{ kind: 'counts', row, changes: [], reason }, ...checkEntry(request, row)]
  }
  const extras = checkExtras(request, price, row)
  if (extras.length > 0) return [...extras, ...checkEntry(request, row)]
  return [
    ...checkUsage(request, row),
    ...checkPrice(request, price, row),
    ...checkAmount(request, price, row),
    ...checkOwner(request, row),
    ...checkLeft(request, price, row),
    ...checkEntry(request, row),
  ]
}

const counts = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['reasoning_tokens', 'reasoningTokens'],
  ['cache_read_tokens', 'cacheReadTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['cache_write_1h_tokens', 'cacheWrite1hTokens'],
  ['calls', 'calls'],
  ['multiplier_millionths', 'multiplierMillionths'],
  ['amount_nano', 'amountNano'],
] as const

/** All are whole numbers from 0 that are counted exactly; reasoning is a part of the output. */
function insaneFields(request: CheckedRequest): readonly (readonly [string, number])[] {
  const insane: (readonly [string, number])[] = []
  for (const [field, name] of counts) {
    const count = request[name]
    if (!Number.isSafeInteger(count) || count < 0) insane.push([field, count])
  }
  const { reasoningTokens, outputTokens } = request
  if (insane.length === 0 && reasoningTokens > outputTokens)
    insane.push(['reasoning_tokens, part of output_tokens,', reasoningTokens])
  return insane
}

/** Who leaves owes at least its input, once an upstream has begun to answer it. */
function checkLeft(
  { leftUncounted }: CheckedRequest,
  price: CheckedPrice | null,
  row: string,
): readonly Difference[] {
  if (!leftUncounted || price?.terms?.unit === 'free') return []
  const reason =
    'its client left when an upstream had begun to answer, and nothing was counted for it'
  return [{ kind: 'charge_missing', row, changes: [], reason }]
}

/** A token that does not exist is told by the check of the file. */
function checkOwner(request: CheckedRequest, row: string): readonly Difference[] {
  const { tokenId, accountId, tokenAccountId } = request
  if (tokenAccountId === null || tokenAccountId === accountId) return []
  const changes = changesIn([['account_id', accountId, tokenAccountId]])
  return [{ kind: 'owner', row, changes, reason: `the account of token ${tokenId}` }]
}

/** An entry without a request is found from the other side, by the walk along the ledger. */
function checkEntry(request: CheckedRequest, row: string): readonly Difference[] {
  const { amountNano, accountId, entryId, entryKind, entryAccountId, entryAmountNano } = request
  if (entryId === null) {
    if (amountNano === 0) return []
    const reason = `the ledger has no entry that charges its ${amountNano} nano-USD`
    return [{ kind: 'charge_missing', row, changes: [], reason }]
  }
  const entry = `ledger entry ${entryId}`
  if (amountNano === 0) {
    const reason = `charges ${-(entryAmountNano ?? 0)} nano-USD for ${row}, which cost nothing`
    return [{ kind: 'charge_unfounded', row: entry, changes: [], reason }]
  }
  const amount = changesIn([
    ['kind', entryKind, 'charge'],
    ['amount_nano', entryAmountNano, -amountNano],
  ])
  const owner = changesIn([['account_id', entryAccountId, accountId]])
  const found: Difference[] = []
  const reason = `by ${row}`
  if (amount.length > 0) found.push({ kind: 'charge_amount', row: entry, changes: amount, reason })
  if (owner.length > 0) found.push({ kind: 'charge_owner', row: entry, changes: owner, reason })
  return found
}
