import { charge, effectiveRates } from '../billing/charge.ts'
import { emptyUsage } from '../protocols/canonical/usage.ts'
import type { RequestFacts } from '../protocols/protocol.ts'
import type { PriceTerms } from '../store/ports/catalog.ts'
import type { Reservation } from '../store/ports/records.ts'
import type { Caller } from './authenticate.ts'
import type { RequestBody } from './body.ts'
import type { Committer } from './committer.ts'
import { GatewayError, unauthenticated } from './errors.ts'
import { type CountTokens, estimateTokens } from './estimate.ts'
import type { Exchange } from './exchange.ts'
import type { Plan } from './plan.ts'
import type { Reservations } from './reservations.ts'

export interface AffordParts {
  readonly committer: Committer
  readonly reservations: Reservations
  readonly countTokens: CountTokens
  /** What an answer without a limit of its own is taken to use, in LLM tokens. */
  readonly usualOutputTokens: () => number
}

/** What a request is taken to cost with an answer of so many LLM tokens. */
interface Estimate {
  readonly outputTokens: number
  readonly amountNano: number
}

/** The first words of an answer, in LLM tokens. */
const firstOutputTokens = 64

/** Bodies below this are taken to be all text: looking for images in them is not worth it. */
const smallBodyBytes = 16_384
/** Text has about four bytes a token in English, three in Chinese; less is rare. */
const bytesPerToken = 3
/** Vendors' tokenizers differ by so much from the one that counts here. */
const countMargin = 1.1

/**
 * Sets aside what a request will cost, or refuses it with the 401 of a used-up balance or budget.
 * A stream may begin with all that is left, and is ended when that is used. Puts the reservation on the exchange:
 * upstream may be asked before it is written, the client's first byte waits for it.
 */
export async function setAside(
  parts: AffordParts,
  exchange: Exchange,
  body: RequestBody,
): Promise<void> {
  const { caller, plan, operation } = exchange
  if (!operation.charged || caller === undefined || plan === undefined) return
  const room = parts.reservations.room(caller)
  let inputTokens = quickInput(body)
  let estimate = estimateCost(plan, body, inputTokens, parts.usualOutputTokens())
  if (estimate.full.amountNano > room.nano) {
    inputTokens = await countedInput(body.facts, parts.countTokens)
    estimate = estimateCost(plan, body, inputTokens, parts.usualOutputTokens())
  }
  const { nano, limit } = parts.reservations.room(caller)
  const isWhole = estimate.full.amountNano <= nano
  const isLimited = body.facts.maxOutputTokens !== null || plan.offer.price.terms.unit !== 'tokens'
  if (!isWhole && !(body.facts.stream && estimate.least().amountNano <= nano))
    throw unauthenticated(limit)
  // All there is, where it may not be enough: so one answer at most can turn out dearer than that.
  const { amountNano, outputTokens } = isWhole
    ? estimate.full
    : { ...estimate.least(), amountNano: nano }
  const written = write(parts, exchange, caller, reservationOf(exchange, caller, plan, amountNano))
  const isEnough = isWhole && isLimited
  exchange.reservation = {
    written() {
      parts.committer.hurry(exchange.requestId)
      return written
    },
    inputTokens,
    outputTokens,
    isEnough,
  }
}

/** Resolves when the reservation is committed; on a refusal the upstream call is ended at once. */
function write(
  { reservations }: AffordParts,
  exchange: Exchange,
  caller: Caller,
  reservation: Reservation,
): Promise<void> {
  const written = reservations.open(caller, reservation).then(
    (isCovered) => {
      if (!isCovered) throw unauthenticated('balance')
    },
    (cause: unknown) => {
      const message = 'The gateway could not store this request. Try again.'
      throw new GatewayError('internal', message, { cause })
    },
  )
  // Told to whoever waits for it before the first byte; until then nobody may be waiting.
  written.catch(() => {
    exchange.isUnpaid = true
    exchange.abort()
  })
  return written
}

function reservationOf(
  exchange: Exchange,
  { account, token }: Caller,
  plan: Plan,
  amountNano: number,
): Reservation {
  const { requestId, startedAt, model = null, operation, facts } = exchange
  return {
    requestId,
    createdAt: startedAt,
    accountId: account.id,
    tokenId: token.id,
    groupId: token.groupId,
    model,
    clientProtocol: operation.protocol,
    operation: operation.name,
    stream: facts?.stream ?? false,
    priceId: plan.offer.price.id,
    multiplierMillionths: plan.group.multiplierMillionths,
    amountNano,
  }
}

function estimateCost(
  plan: Plan,
  body: RequestBody,
  inputTokens: number,
  usualOutputTokens: number,
) {
  const { facts } = body
  // A limit beyond what the model can hold is none that it could ever reach.
  const mostTokens = plan.offer.contextWindow ?? Number.POSITIVE_INFINITY
  const perAnswer = Math.min(facts.maxOutputTokens ?? usualOutputTokens, mostTokens)
  const estimate = (outputTokens: number): Estimate => ({
    outputTokens,
    amountNano: costOf(plan, body, inputTokens, outputTokens),
  })
  return {
    /** With the longest answer that is to be expected. */
    full: estimate(perAnswer * facts.answers),
    /** With the first words of one: a stream that has so much may begin. */
    least: () => estimate(Math.min(perAnswer, firstOutputTokens) * facts.answers),
  }
}

/** In nano-USD; infinite where it is more than can be counted: nothing covers that. */
function costOf(plan: Plan, body: RequestBody, inputTokens: number, outputTokens: number): number {
  const { terms } = plan.offer.price
  try {
    return charge({
      terms,
      usage: { ...emptyUsage, [inputKind(terms, body)]: inputTokens, outputTokens },
      calls: body.facts.calls,
      multiplierMillionths: plan.group.multiplierMillionths,
      longContextPricing: plan.group.longContextPricing,
    }).amountNano
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

/** Input may be written to the prompt cache, where that costs more. */
function inputKind(terms: PriceTerms, { bytes }: RequestBody) {
  if (terms.unit !== 'tokens') return 'inputTokens'
  const { input, cacheWrite, cacheWrite1h } = effectiveRates(terms.base)
  const isForHour = cacheWrite1h > cacheWrite && bytes.includes('"1h"')
  if (isForHour && cacheWrite1h > input) return 'cacheWrite1hTokens'
  return cacheWrite > input ? 'cacheWriteTokens' : 'inputTokens'
}

/** LLM tokens of a request's input: rather too much than too little, in no time. */
export function quickInput({ bytes, contentType, facts }: RequestBody): number {
  if (contentType.startsWith('multipart/')) return Math.ceil(facts.text().length / bytesPerToken)
  if (bytes.byteLength <= smallBodyBytes) return Math.ceil(bytes.byteLength / bytesPerToken)
  const media = facts.media()
  return Math.ceil((bytes.byteLength - media.bytes) / bytesPerToken) + media.tokens
}

/** By the tokenizer: worth its time only where money is short. */
async function countedInput(facts: RequestFacts, count: CountTokens): Promise<number> {
  const text = facts.text()
  const tokens = await estimateTokens(text, text.length, count)
  return Math.ceil(tokens * countMargin) + facts.media().tokens
}
