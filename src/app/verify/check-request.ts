import { charge } from '../../billing/charge.ts'
import { readExtras, recordedUsage, toolPrice } from '../../billing/extras.ts'
import { messageOf } from '../../lib/failure.ts'
import { isoTime } from '../../lib/format.ts'
import {
  emptyUsage,
  type UsageExtras as ToldExtras,
  type Usage,
} from '../../protocols/canonical/usage.ts'
import { decodeStoredUsage } from '../../protocols/index.ts'
import type { UsageExtras } from '../../store/ports/extras.ts'
import type { CheckedRequest } from '../../store/ports/verification.ts'
import { type Change, changesIn, type Difference, differing, fault, shown } from './findings.ts'
import { type CheckedPrice, cameLater, wasReplaced } from './prices.ts'

type Check = (
  request: CheckedRequest,
  price: CheckedPrice | null,
  row: string,
) => readonly Difference[]

/** Contradictions of a request with itself, its price, its usage report or its ledger entry. */
export function checkRequest(
  request: CheckedRequest,
  price: CheckedPrice | null,
): readonly Difference[] {
  const row = `request ${request.requestId}`
  const insane = insaneFields(request)
  if (insane.length > 0) {
    const what = insane.map(([field, count]) => `${field} is ${count}`).join('; ')
    const reason = `${what}: not a count that can be charged for`
    return [fault('counts', row, reason), ...checkEntry(request, row)]
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

const tokenCounts = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['reasoning_tokens', 'reasoningTokens'],
  ['cache_read_tokens', 'cacheReadTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['cache_write_1h_tokens', 'cacheWrite1hTokens'],
] as const
const counts = [
  ...tokenCounts,
  ['calls', 'calls'],
  ['multiplier_millionths', 'multiplierMillionths'],
  ['amount_nano', 'amountNano'],
] as const

/** Counts are safe integers of at least 0; reasoning is part of the output. */
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

/** A disconnected client owes at least its input, once an upstream has begun to answer. */
const checkLeft: Check = ({ leftUncounted }, price, row) => {
  if (!leftUncounted || price?.terms?.unit === 'free') return []
  const reason =
    'its client left when an upstream had begun to answer, and nothing was counted for it'
  return [fault('charge_missing', row, reason)]
}

/** Missing tokens are reported by the check of the file. */
function checkOwner(request: CheckedRequest, row: string): readonly Difference[] {
  const { tokenId, accountId, tokenAccountId } = request
  if (tokenAccountId === null || tokenAccountId === accountId) return []
  const changes = changesIn([['account_id', accountId, tokenAccountId]])
  return differing('owner', row, `the account of token ${tokenId}`, changes)
}

/** Entries without a request are found by the walk along the ledger. */
function checkEntry(request: CheckedRequest, row: string): readonly Difference[] {
  const { amountNano, accountId, entryId, entryKind, entryAccountId, entryAmountNano } = request
  if (entryId === null) {
    if (amountNano === 0) return []
    const reason = `the ledger has no entry that charges its ${amountNano} nano-USD`
    return [fault('charge_missing', row, reason)]
  }
  const entry = `ledger entry ${entryId}`
  if (amountNano === 0) {
    const reason = `charges ${-(entryAmountNano ?? 0)} nano-USD for ${row}, which cost nothing`
    return [fault('charge_unfounded', entry, reason)]
  }
  const amount = changesIn([
    ['kind', entryKind, 'charge'],
    ['amount_nano', entryAmountNano, -amountNano],
  ])
  const owner = changesIn([['account_id', entryAccountId, accountId]])
  return [
    ...differing('charge_amount', entry, `by ${row}`, amount),
    ...differing('charge_owner', entry, `by ${row}`, owner),
  ]
}

/** Endings that cost nothing, whatever the price. */
const freeEndings = new Set(['refused', 'interrupted'])

/** Records truncate longer names. */
const maxModelLength = 200

/** Whether the price was one of the model, and in force at that time. */
const checkPrice: Check = (request, price, row) => {
  if (request.priceId === null) return []
  const found = (reason: string) => [fault('price', row, reason)]
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

/** What a request should have cost; a text: why that is unknown. */
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
    return `price ${price.id}: ${messageOf(error)}`
  }
}

const checkAmount: Check = (request, price, row) => {
  const due = dueFor(request, price)
  if (typeof due === 'string') return [fault('price', row, due)]
  const { tierAbove, amountNano } = request
  const tier = changesIn([['tier_above', tierAbove, due.tierAbove]])
  const amount = changesIn([['amount_nano', amountNano, due.amountNano]])
  return [
    ...differing('tier', row, due.reason, tier),
    ...differing('amount', row, due.reason, amount),
  ]
}

/** The upstream's reported extras must be charged; other parts of an answer may add more. */
export function checkTold(
  told: ToldExtras | undefined,
  request: CheckedRequest,
  row: string,
): readonly Difference[] {
  if (told === undefined) return []
  const charged: UsageExtras = readExtras(request.extrasJson) ?? {}
  const changes = [
    ...missing('modalities', charged.modalities, told.modalities),
    ...missing('tools', charged.tools, told.tools),
    ...(told.tier !== undefined && told.tier !== charged.tier
      ? [{ field: 'extras.tier', stored: charged.tier ?? null, expected: told.tier }]
      : []),
  ]
  return differing('usage', row, 'by its usage_raw', changes)
}

type Counts = { readonly [name: string]: number | undefined } | undefined

const missing = (part: string, charged: Counts, told: Counts): readonly Change[] =>
  Object.entries(told ?? {}).flatMap(([name, expected = 0]) => {
    const stored = charged?.[name] ?? 0
    return stored >= expected ? [] : [{ field: `extras.${part}.${name}`, stored, expected }]
  })

/** Extras that can't be read, or that were used without a price. */
const checkExtras: Check = (request, price, row) => {
  const { extrasJson } = request
  if (extrasJson === null || extrasJson === undefined) return []
  const found = (reason: string) => [fault('usage', row, reason)]
  const extras = readExtras(extrasJson)
  if (extras === undefined || !isCounted(extras))
    return found('its extras are none that can be charged for')
  const terms = price?.terms
  if (!terms) return []
  return Object.entries(extras.tools ?? {})
    .filter(([tool, count]) => count > 0 && toolPrice(terms, extras.vendor, tool) === undefined)
    .flatMap(([tool]) => found(`it used the tool ${shown(tool)}, which had no price`))
}

/** Whether all counts and prices are safe integers of at least 0. */
function isCounted({
  modalities,
  tools,
  vendor,
  tier,
}: NonNullable<ReturnType<typeof readExtras>>) {
  const parts = [modalities, tools, vendor?.modalities, vendor?.tools, vendor?.serviceTiers]
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
  return (
    (tier === undefined || typeof tier === 'string') &&
    parts.every((part) => Object.values(part ?? {}).every(isCount))
  )
}

/** Parses the upstream's report again: counts must match it unless estimated or clamped. */
export function checkUsage(request: CheckedRequest, row: string): readonly Difference[] {
  const { usageRaw, estimated, clamped } = request
  if (estimated || clamped) return []
  if (usageRaw === null) {
    return compare(request, row, emptyUsage, 'there is no usage_raw, and it is not estimated')
  }
  const found = (reason: string) => [fault('usage', row, reason)]
  const report = parse(usageRaw)
  if (report === undefined) return found('its usage_raw is not JSON')
  const protocol = request.upstreamProtocol ?? request.clientProtocol
  const usage = decodeStoredUsage(protocol, report)
  if (usage === undefined) return found(`its usage_raw has no counts of the protocol ${protocol}`)
  return [
    ...compare(request, row, usage, 'by its usage_raw'),
    ...checkTold(usage.extras, request, row),
  ]
}

function compare(
  request: CheckedRequest,
  row: string,
  usage: Usage,
  reason: string,
): readonly Difference[] {
  const counted = tokenCounts.map(([field, name]) => [field, request[name], usage[name]] as const)
  return differing('usage', row, reason, changesIn(counted))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // reported as a difference
  }
}
