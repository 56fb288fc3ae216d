import { type Charge, charge } from '../../billing/charge.ts'
import { chargedExtras } from '../../billing/extras.ts'
import { vendorExtras } from '../../catalog/vendor-extras.ts'
import { toJsonText } from '../../protocols/canonical/json-text.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import { emptyUsage, type Usage } from '../../protocols/canonical/usage.ts'
import type { Ending, Settlement } from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import { withAskedExtras } from '../admit/gate.ts'
import type { Concluded } from '../exchange.ts'
import type { RequestCause } from '../failures/failures.ts'
import { type CountTokens, clampUsage, estimateTokens } from './estimate.ts'

/** How an exchange ended. */
export interface End {
  readonly ending: Ending
  /** HTTP status that the client got, or would have got. */
  readonly status: number
  /** Machine word of what went wrong; null when nothing did. */
  readonly cause: RequestCause | null
  readonly causeText: string | null
  /** What was made unseen is not known: all that was reserved is charged, at least. */
  readonly isLost?: boolean
  /** No more is charged than was reserved: it was ended by a count that is a guess. */
  readonly isCapped?: boolean
  /** Its upstream was stopped, as the client has all that it wants of the answer. */
  readonly isStopped?: boolean
}

/** What an ended exchange used, and whether that is the upstream's word or our count. */
export interface UsedTokens {
  readonly usage: Usage
  readonly estimated: boolean
  /** The upstream reported more than its model can hold. */
  readonly clamped: boolean
  /** Calls to charge by a price per call. */
  readonly calls: number
}

export const nothingUsed: UsedTokens = {
  usage: emptyUsage,
  estimated: false,
  clamped: false,
  calls: 0,
}

/**
 * What to charge for: the upstream's report, else a count of what was delivered, marked as
 * estimated. `isBegun`: the upstream has read the input.
 */
export function usedTokens(
  exchange: Concluded,
  seen: Observation,
  count: CountTokens,
  isBegun = exchange.interruption === 'client_left',
): UsedTokens | Promise<UsedTokens> {
  const used = reportedOrCounted(exchange, seen, count, isBegun)
  return used instanceof Promise
    ? used.then((counted) => withExtras(exchange, seen, counted))
    : withExtras(exchange, seen, used)
}

/** With what the request asked for beside LLM tokens, and no more than its model can hold. */
function withExtras(
  exchange: Concluded,
  seen: Observation,
  counted: Omit<UsedTokens, 'clamped'>,
): UsedTokens {
  if (counted === nothingUsed) return nothingUsed
  const usage = withAskedExtras(exchange, seen, counted.usage, vendorOf)
  return clamped(exchange, { ...counted, usage })
}

/** No more than the model can hold. */
function clamped({ plan, facts }: Concluded, used: Omit<UsedTokens, 'clamped'>): UsedTokens {
  const window = plan?.offer.contextWindow ?? largestWindow
  // Embeddings generate nothing, and take many inputs at a time.
  if (facts?.maxOutputTokens === 0) return { ...used, clamped: false }
  const turns = facts?.takesTurns ? mostTurns : 1
  const usage = clampUsage(used.usage, window * turns, facts?.answers ?? 1)
  return { ...used, usage, clamped: usage !== used.usage }
}

function reportedOrCounted(
  exchange: Concluded,
  seen: Observation,
  count: CountTokens,
  isBegun: boolean,
): Omit<UsedTokens, 'clamped'> | Promise<Omit<UsedTokens, 'clamped'>> {
  const { usage, text, outcome } = seen
  const answered = outcome === 'complete' || outcome === 'incomplete'
  const ranTools = seen.observed?.tools !== undefined
  const delivered = answered || text.length > 0 || usage !== undefined || isBegun || ranTools
  const calls = delivered ? Math.max(exchange.facts?.calls ?? 1, seen.images) : 0
  if (!delivered) return nothingUsed
  // A report does not count text behind it, and Messages begins with a placeholder.
  const isLast = outcome !== undefined || text.length === 0
  const tellsOutput = usage !== undefined && isLast && text.length <= seen.reportedLength
  const tellsInput = usage !== undefined && !seen.lacksInput
  if (tellsOutput && tellsInput) return { usage, estimated: false, calls }
  return counted(exchange, seen, count, { tellsOutput, tellsInput, calls })
}

async function counted(
  exchange: Concluded,
  { usage: reported = emptyUsage, text }: Observation,
  count: CountTokens,
  told: { readonly tellsOutput: boolean; readonly tellsInput: boolean; readonly calls: number },
): Promise<Omit<UsedTokens, 'clamped'>> {
  const outputTokens = told.tellsOutput
    ? reported.outputTokens
    : Math.max(reported.outputTokens, await estimateTokens(text, count))
  const inputTokens = told.tellsInput ? reported.inputTokens : await countInput(exchange, count)
  const estimated = !told.tellsInput || outputTokens > reported.outputTokens
  return { usage: { ...reported, inputTokens, outputTokens }, estimated, calls: told.calls }
}

async function countInput({ facts, reservation }: Concluded, count: CountTokens): Promise<number> {
  const asked = facts ? await estimateTokens(facts.text(), count) : 0
  const unseen = reservation?.continuedTokens ?? 0
  return unseen + (facts?.media().tokens ?? 0) + asked
}

/** What an exchange costs by what it used; nothing before it has a price. */
export function chargeFor(exchange: Concluded, { usage, calls }: UsedTokens): Charge {
  const { plan } = exchange
  if (plan === undefined) return { amountNano: 0, tierAbove: null }
  const { multiplierMillionths, longContextPricing } = plan.group
  const { terms } = plan.offer.price
  const vendor = usage.extras && vendorOf(exchange)
  return charge({ terms, usage, calls, multiplierMillionths, longContextPricing, vendor })
}

/** List prices for the extras that a model's price does not name. */
const vendorOf = ({ route, candidate, model = '' }: Concluded) =>
  vendorExtras(route?.operation.protocol, candidate?.upstreamModel ?? model)

/** What of an answer's usage is recorded besides its counts. */
function extrasJson(exchange: Concluded, { extras }: Usage): string | null {
  const terms = exchange.plan?.offer.price.terms
  if (extras === undefined || terms === undefined) return null
  return JSON.stringify(chargedExtras(terms, extras, vendorOf(exchange)))
}

/** Of a model whose context window is not known: as much as the largest of today's vendors. */
export const largestWindow = 2_000_000

/** So often a model may have been asked for one answer, where the upstream runs tools for it. */
const mostTurns = 100

/** The cause of an answer that was ended because its account could pay no more. */
export const balanceUsedUp = 'balance_used_up'

/**
 * What of an answer ended for money is charged: what `heldNano` pays for, as its end was a guess.
 * Dearer input is charged.
 */
export function affordedTokens(
  exchange: Concluded,
  used: UsedTokens,
  heldNano: number,
): UsedTokens {
  const withOutput = (outputTokens: number): UsedTokens => {
    const reasoningTokens = Math.min(used.usage.reasoningTokens, outputTokens)
    return { ...used, usage: { ...used.usage, outputTokens, reasoningTokens } }
  }
  const isPaid = (outputTokens: number) =>
    chargeFor(exchange, withOutput(outputTokens)).amountNano <= heldNano
  if (!isPaid(0)) return used
  let [paid, unpaid] = [0, used.usage.outputTokens + 1]
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2)
    if (isPaid(middle)) paid = middle
    else unpaid = middle
  }
  return paid === used.usage.outputTokens ? used : withOutput(paid)
}

/**
 * What is charged for an answer nobody saw: all that was reserved, as output; what was counted at
 * least.
 */
export function reservedTokens(
  exchange: Concluded,
  used: UsedTokens,
  heldNano: number,
): UsedTokens {
  const withOutput = (outputTokens: number): UsedTokens => ({
    ...used,
    usage: { ...used.usage, outputTokens },
    estimated: true,
  })
  const costOf = (outputTokens: number) => {
    try {
      return chargeFor(exchange, withOutput(outputTokens)).amountNano
    } catch (error) {
      if (error instanceof RangeError) return Number.POSITIVE_INFINITY
      throw error
    }
  }
  const reckoned = exchange.reservation?.outputTokens ?? 0
  let [paid, unpaid] = [Math.max(used.usage.outputTokens, reckoned), largestOutput]
  // Where output costs nothing, the counts say as much as can be known.
  if (costOf(unpaid) === costOf(paid)) return withOutput(paid)
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2)
    if (costOf(middle) <= heldNano) paid = middle
    else unpaid = middle
  }
  return withOutput(paid)
}

/** In LLM tokens: far beyond what any answer has. */
const largestOutput = 1_000_000_000

/** What went wrong is told in a sentence; what quotes a body may be of any length. */
const maxCauseLength = 500

/** A model name that nobody offers can be of any length; records keep its beginning. */
const maxModelLength = 200

export interface Payer {
  readonly account: Pick<Caller['account'], 'id'>
  readonly token: Pick<Caller['token'], 'id' | 'groupId'>
}

/** The rows of an ended exchange whose caller is known, with its charge. */
export function buildSettlement(
  exchange: Concluded,
  caller: Payer,
  end: End,
  used: UsedTokens,
  seen: Observation | undefined,
  nowTick: number,
): Settlement {
  const { plan, operation, candidate, route, firstByteTick, startedTick } = exchange
  const { extras: _, ...counts } = used.usage
  return {
    request: {
      requestId: exchange.requestId,
      createdAt: exchange.startedAt,
      accountId: caller.account.id,
      tokenId: caller.token.id,
      groupId: caller.token.groupId,
      model: exchange.model?.slice(0, maxModelLength) ?? null,
      upstreamModel: candidate?.upstreamModel ?? null,
      channelId: candidate?.channel.id ?? null,
      clientProtocol: operation.protocol,
      upstreamProtocol: route?.operation.protocol ?? null,
      operation: operation.name,
      stream: exchange.facts?.stream ?? false,
      ...{ ending: end.ending, status: end.status, cause: end.cause },
      causeText: end.causeText?.slice(0, maxCauseLength) ?? null,
      ...counts,
      extrasJson: extrasJson(exchange, used.usage),
      calls: used.calls,
      estimated: used.estimated,
      clamped: used.clamped,
      usageRaw: toJsonText(seen?.usageRaw) ?? null,
      priceId: plan?.offer.price.id ?? null,
      ...chargeFor(exchange, used),
      longContextPricing: plan?.group.longContextPricing ?? true,
      multiplierMillionths: plan?.group.multiplierMillionths ?? 1_000_000,
      firstByteMs: firstByteTick === undefined ? null : Math.round(firstByteTick - startedTick),
      durationMs: Math.round(nowTick - startedTick),
    },
    attempts: exchange.attempts,
  }
}
