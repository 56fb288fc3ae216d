import { grouped } from '../../lib/format.ts'
import type { PriceTerms, TokenRates } from '../../store/ports/catalog.ts'
import type { Ending } from '../../store/ports/records.ts'
import { chargedTier, contextTokens, paidLines } from '../charge.ts'
import { recordedUsage } from '../extras.ts'
import { type ChargeLine, sumLines, type TierFactor, tierFactors, toolLines } from '../lines.ts'
import { formatDecimal, multiplierDecimals, usd } from '../money.ts'
import type { ClientRequest, ClientRows } from './client.ts'

export interface Explanation {
  readonly unit: 'tokens' | 'call' | 'free'
  /** All kinds of text tokens, also those with count 0; empty for a free model. */
  readonly lines: readonly ChargeLine[]
  /** Service tiers; they multiply tokens and calls, not tools. */
  readonly factors: readonly TierFactor[]
  readonly tier: TierChoice | null
  /** `(120 × 250000 + 40 × 2000000) × 0.8 / 1000 = 88000 nano-USD`. */
  readonly formula: string
  readonly amountNano: bigint
}

const free: Explanation = {
  unit: 'free',
  lines: [],
  factors: [],
  tier: null,
  formula: 'free = 0 nano-USD',
  amountNano: 0n,
}

/** Explains a charge from the stored record; null when no price applied. */
export function explainCharge({ request, price }: ClientRows): Explanation | null {
  const terms = price?.terms
  if (terms === undefined || terms.unit === 'none') return null
  if (terms.unit === 'free') return free
  const { usage, vendor } = recordedUsage(request)
  const { extras = {} } = usage
  const factors = tierFactors(terms, extras, vendor)
  const tier = terms.unit === 'tokens' ? explainTier(terms, request) : null
  const paid = paidLines({ usage, calls: request.calls, vendor }, terms, tier?.rates)
  const lines = [...paid, ...toolLines(terms, extras, vendor)]
  return { unit: terms.unit, tier, ...worked(request, lines, factors) }
}

function worked(
  request: ClientRequest,
  lines: readonly ChargeLine[],
  factors: readonly TierFactor[],
): Pick<Explanation, 'lines' | 'factors' | 'formula' | 'amountNano'> {
  const { value } = sumLines(lines, factors)
  const exact = value * BigInt(request.multiplierMillionths)
  // 10⁻¹⁸ USD, with six more places per factor.
  const { amountNano, text } = roundHalfUp(exact, 9 + 6 * factors.length)
  const formula = `${formulaOf(request, lines, factors)} = ${text}`
  return { lines, factors, formula, amountNano }
}

/** `(120 × 250000 + 40 × 2000000) × 0.8 / 1000`, with extras `((…) × 6 / 1000 + 3 × 10000000) × 0.8`. */
function formulaOf(
  request: ClientRequest,
  lines: readonly ChargeLine[],
  factors: readonly TierFactor[],
): string {
  const sum = (chosen: readonly ChargeLine[]) =>
    chosen
      .filter(({ count, unit }) => count > 0 || unit === 'call')
      .map(({ count, price }) => `${count} × ${price}`)
      .join(' + ')
  const isTokens = lines.some(({ unit }) => unit === 'tokens')
  const tools = sum(lines.filter(({ unit }) => unit === 'use'))
  const paid = sum(lines.filter(({ unit }) => unit !== 'use')) || '0'
  const tiers = factors.map(({ millionths }) => ` × ${formatDecimal(millionths, 6)}`).join('')
  const multiplier = multiplierOf(request)
  const base = `${isTokens ? `(${paid})` : paid}${tiers}`
  const perThousand = isTokens ? ' / 1000' : ''
  return tools === ''
    ? `${base} × ${multiplier}${perThousand}`
    : `(${base}${perThousand} + ${tools}) × ${multiplier}`
}

/** The group's multiplier for display: `0.8`. */
export const multiplierOf = ({ multiplierMillionths }: ClientRequest): string =>
  formatDecimal(multiplierMillionths, multiplierDecimals)

/** The amount in nano-USD, and the exact value where rounding changed it. */
function roundHalfUp(exact: bigint, decimals: number) {
  const unit = 10n ** BigInt(decimals)
  const amountNano = (exact + unit / 2n) / unit
  const amount = `${amountNano} nano-USD`
  const isWhole = exact % unit === 0n
  const text = isWhole ? amount : `${formatDecimal(exact, decimals)}, rounded half up to ${amount}`
  return { amountNano, text }
}

interface TierChoice {
  readonly rates: TokenRates
  /** The tier's `above`; null for the base tier. */
  readonly above: number | null
  /** `base tier: 1,200 tokens of context, the next tier begins above 200,000`. */
  readonly reason: string
}

/** Chooses the tier again by the rule, ignoring the recorded one. */
export function explainTier(
  terms: Extract<PriceTerms, { unit: 'tokens' }>,
  request: ClientRequest,
): TierChoice {
  const { tiers, base } = terms
  if (tiers.length === 0) {
    return { rates: base, above: null, reason: 'base tier: this price has no other' }
  }
  const { longContextPricing } = request
  if (!longContextPricing) {
    const reason = 'base tier: the group charges no long-context prices'
    return { rates: base, above: null, reason }
  }
  const tier = chargedTier(terms, { usage: request, longContextPricing })
  const context = contextTokens(request)
  const next = tiers.find(({ above }) => context <= above)
  const limit = next ? `, the next tier begins above ${grouped(next.above)}` : ''
  const above = tier?.above ?? null
  const reason = `${tierName(above)}: ${grouped(context)} tokens of context${limit}`
  return { rates: tier ?? base, above, reason }
}

const tierName = (above: number | null): string =>
  above === null ? 'base tier' : `tier above ${grouped(above)}`

/** The meaning of each ending, where no cause explains it. */
export const endingWords: Readonly<Record<Ending, string>> = {
  complete: '',
  incomplete: 'the model stopped early, at a limit or by a filter',
  failed: 'the request failed',
  cut: 'the answer was cut off',
  client_left: 'the client disconnected before the end',
  shutdown: 'the gateway was stopped before the end',
  interrupted: 'the gateway was ended while this request was under way',
  refused: 'the request was refused',
  background: 'the answer is made in the background',
}

/** Why the upstream's usage report is missing. */
const unreported: Readonly<Record<Ending, string>> = {
  complete: 'The upstream ended its answer without reporting',
  incomplete: 'The upstream ended its answer without reporting',
  failed: 'The upstream failed without reporting',
  cut: 'The answer was cut off before the upstream reported',
  client_left: 'The client disconnected before the upstream reported',
  shutdown: 'The gateway was stopped before the upstream reported',
  interrupted: 'The gateway was ended before the upstream reported',
  refused: 'The request was refused before the upstream reported',
  background: 'The answer is made in the background: the upstream has not reported its',
}

/** Why the gateway estimated usage; null where the upstream's report was charged. */
export function estimatedReason(request: ClientRequest): string | null {
  const { estimated, cause, ending, usageRaw } = request
  if (!estimated) return null
  if (cause === 'background_lost') {
    return 'The upstream no longer reports the answer’s usage, so its reservation is charged.'
  }
  return usageRaw === null
    ? `${unreported[ending]} usage, so the gateway counted the prompt and the delivered output.`
    : `${unreported[ending]} its final usage, so the gateway counted the delivered output.`
}

/** Why a report was reduced; null where it was not. */
export function clampedReason(request: ClientRequest): string | null {
  if (!request.clamped) return null
  const who = request.usageRaw === null ? 'The gateway counted' : 'The upstream reported'
  const context = grouped(contextTokens(request))
  return (
    `${who} more than the model's context window can hold. Charged is what fits: ` +
    `${context} tokens of context and ${grouped(request.outputTokens)} of output.`
  )
}

/** Contradictions within a record, in sentences; empty for a sound record. */
export function findDifferences(
  rows: ClientRows,
  explanation: Explanation | null = explainCharge(rows),
): readonly string[] {
  return [...checkCharge(rows, explanation), ...checkLedger(rows)]
}

function checkCharge({ request, price }: ClientRows, explanation: Explanation | null): string[] {
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

function checkLedger({ request, ledgerId, ledgerAmountNano }: ClientRows): string[] {
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
