import { type Charge, charge } from '../../billing/charge.ts'
import { chargedExtras } from '../../billing/extras.ts'
import { vendorExtras } from '../../catalog/vendor-extras.ts'
import { toJsonText } from '../../protocols/canonical/json-text.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import { emptyUsage, type Usage } from '../../protocols/canonical/usage.ts'
import type { Ending, Settlement } from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { Concluded } from '../exchange.ts'
import type { RequestCause } from '../failures/failures.ts'
import { withAskedExtras } from './asked-extras.ts'
import { type CountTokens, clampUsage, estimateTokens } from './estimate.ts'
import { stateThen } from './state-then.ts'

export interface End {
  readonly ending: Ending
  readonly status: number
  readonly cause: RequestCause | null
  readonly causeText: string | null
  /** Its unseen usage is unknown: at least the whole reservation is charged. */
  readonly isLost?: boolean
  /** Charged up to the reservation: a guessed count ended it. */
  readonly isCapped?: boolean
  /** Its upstream was stopped after the client had all it wants. */
  readonly isStopped?: boolean
}

/** The end of an exchange whose status is that of an answer. */
export const answeredEnd = (
  ending: Ending,
  cause: RequestCause | null = null,
  causeText: string | null = null,
): End => ({ ending, status: 200, cause, causeText })

/** What an ended exchange used, reported or counted. */
export interface UsedTokens {
  readonly usage: Usage
  readonly estimated: boolean
  readonly clamped: boolean
  readonly calls: number
}

export const nothingUsed: UsedTokens = {
  usage: emptyUsage,
  estimated: false,
  clamped: false,
  calls: 0,
}

/** The upstream's report, else an estimate. `isInputRead`: the upstream has read the input. */
export function usedTokens(
  exchange: Concluded,
  seen: Observation,
  count: CountTokens,
  isInputRead = exchange.interruption === 'client_left',
): UsedTokens | Promise<UsedTokens> {
  const { usage, text, outcome } = seen
  const answered = outcome === 'complete' || outcome === 'incomplete'
  const ranTools = seen.observed?.tools !== undefined
  const delivered = answered || text.length > 0 || usage !== undefined || isInputRead || ranTools
  if (!delivered) return nothingUsed
  // A report does not count text behind it, and Messages begins with a placeholder.
  const isLast = outcome !== undefined || text.length === 0
  const reportsOutput = usage !== undefined && isLast && text.length <= seen.reportedLength
  const reportsInput = usage !== undefined && !seen.lacksInput
  if (reportsOutput && reportsInput) return completed(exchange, seen, usage, false)
  return counted(exchange, seen, count, { reportsOutput, reportsInput })
}

async function counted(
  exchange: Concluded,
  seen: Observation,
  count: CountTokens,
  known: { readonly reportsOutput: boolean; readonly reportsInput: boolean },
): Promise<UsedTokens> {
  const { usage: reported = emptyUsage, text } = seen
  const outputTokens = known.reportsOutput
    ? reported.outputTokens
    : Math.max(reported.outputTokens, await estimateTokens(text, count))
  const inputTokens = known.reportsInput ? reported.inputTokens : await countInput(exchange, count)
  const estimated = !known.reportsInput || outputTokens > reported.outputTokens
  return completed(exchange, seen, { ...reported, inputTokens, outputTokens }, estimated)
}

/** Adds calls and what the request asked for beside LLM tokens, and clamps to the model's window. */
function completed(
  exchange: Concluded,
  seen: Observation,
  counted: Usage,
  estimated: boolean,
): UsedTokens {
  const { plan, facts } = exchange
  const calls = Math.max(facts?.calls ?? 1, seen.images)
  const asked = withAskedExtras(exchange, seen, counted, vendorOf)
  // Embeddings generate nothing, and take many inputs at a time.
  if (facts?.maxOutputTokens === 0) return { usage: asked, estimated, clamped: false, calls }
  const window = (plan?.offer.contextWindow ?? largestWindow) * (facts?.takesTurns ? mostTurns : 1)
  const usage = clampUsage(asked, window, facts?.answers ?? 1)
  return { usage, estimated, clamped: usage !== asked, calls }
}

async function countInput({ facts, reservation }: Concluded, count: CountTokens): Promise<number> {
  const asked = facts ? await estimateTokens(facts.text(), count) : 0
  const unseen = reservation?.continuedTokens ?? 0
  return unseen + (facts?.media().tokens ?? 0) + asked
}

/** The cost of an exchange; before a candidate is chosen it is 0. */
export function chargeFor(exchange: Concluded, { usage, calls }: UsedTokens): Charge {
  const { plan } = exchange
  if (plan === undefined) return { amountNano: 0, tierAbove: null }
  const { multiplierMillionths, longContextPricing } = plan.group
  const { terms } = plan.offer.price
  const vendor = usage.extras && vendorOf(exchange)
  return charge({ terms, usage, calls, multiplierMillionths, longContextPricing, vendor })
}

const vendorOf = ({ route, candidate, model = '' }: Concluded) =>
  vendorExtras(route?.operation.protocol, candidate?.upstreamModel ?? model)

function extrasJson(exchange: Concluded, { extras }: Usage): string | null {
  const terms = exchange.plan?.offer.price.terms
  if (extras === undefined || terms === undefined) return null
  return JSON.stringify(chargedExtras(terms, extras, vendorOf(exchange)))
}

/** For a model with an unknown context window: the largest of today's vendors. */
export const largestWindow = 2_000_000

/** The most turns of one answer, where the upstream runs tools for it. */
const mostTurns = 100

export const balanceUsedUp = 'balance_used_up'

/** What `heldNano` pays for, as the end was a guess. Dearer input is charged. */
export function affordedTokens(
  exchange: Concluded,
  used: UsedTokens,
  heldNano: number,
): UsedTokens {
  const isPaid = (outputTokens: number) =>
    chargeFor(exchange, withOutput(used, outputTokens)).amountNano <= heldNano
  if (!isPaid(0)) return used
  const paid = mostPaid(0, used.usage.outputTokens + 1, isPaid)
  return paid === used.usage.outputTokens ? used : withOutput(used, paid)
}

/** The charge of an unseen answer: the whole reservation, as output; at least what was counted. */
export function reservedTokens(
  exchange: Concluded,
  counted: UsedTokens,
  heldNano: number,
): UsedTokens {
  const used = { ...counted, estimated: true }
  const costOf = (outputTokens: number) => {
    try {
      return chargeFor(exchange, withOutput(used, outputTokens)).amountNano
    } catch (error) {
      if (error instanceof RangeError) return Number.POSITIVE_INFINITY
      throw error
    }
  }
  const estimated = exchange.reservation?.outputTokens ?? 0
  const least = Math.max(used.usage.outputTokens, estimated)
  // Where output is free, only the counts are known.
  if (costOf(largestOutput) === costOf(least)) return withOutput(used, least)
  return withOutput(
    used,
    mostPaid(least, largestOutput, (tokens) => costOf(tokens) <= heldNano),
  )
}

function withOutput(used: UsedTokens, outputTokens: number): UsedTokens {
  const reasoningTokens = Math.min(used.usage.reasoningTokens, outputTokens)
  return { ...used, usage: { ...used.usage, outputTokens, reasoningTokens } }
}

/** The most output tokens below `unpaid` that are paid for; at least `paid`. */
function mostPaid(paid: number, unpaid: number, isPaid: (outputTokens: number) => boolean): number {
  if (unpaid - paid <= 1) return paid
  const middle = Math.floor((paid + unpaid) / 2)
  return isPaid(middle) ? mostPaid(middle, unpaid, isPaid) : mostPaid(paid, middle, isPaid)
}

/** LLM tokens, far beyond any answer. */
const largestOutput = 1_000_000_000

const maxCauseLength = 500

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
  const { plan, operation, candidate, route, answeredTick, startedTick } = exchange
  const { usage } = used
  const { amountNano, tierAbove } = chargeFor(exchange, used)
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
      ending: end.ending,
      status: end.status,
      cause: end.cause,
      causeText: end.causeText?.slice(0, maxCauseLength) ?? null,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      reasoningTokens: usage.reasoningTokens,
      cacheReadTokens: usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      cacheWrite1hTokens: usage.cacheWrite1hTokens,
      extrasJson: extrasJson(exchange, usage),
      calls: used.calls,
      estimated: used.estimated,
      clamped: used.clamped,
      usageRaw: toJsonText(seen?.usageRaw) ?? null,
      priceId: plan?.offer.price.id ?? null,
      amountNano,
      tierAbove,
      longContextPricing: plan?.group.longContextPricing ?? true,
      multiplierMillionths: plan?.group.multiplierMillionths ?? 1_000_000,
      firstByteMs: answeredTick === undefined ? null : Math.round(answeredTick - startedTick),
      durationMs: Math.round(nowTick - startedTick),
      stateJson: stateThen(exchange, end.cause),
    },
    attempts: exchange.attempts,
  }
}
