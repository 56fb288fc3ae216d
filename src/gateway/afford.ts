import { charge, effectiveRates } from '../billing/charge.ts'
import { emptyUsage } from '../protocols/canonical/usage.ts'
import type { RequestFacts } from '../protocols/protocol.ts'
import type { PriceTerms } from '../store/ports/catalog.ts'
import type { Reservation } from '../store/ports/records.ts'
import type { Caller } from './authenticate.ts'
import type { RequestBody } from './body.ts'
import type { Committer, Denial } from './committer.ts'
import { type GatewayError, requestNotStored, unauthenticated } from './errors.ts'
import { type CountTokens, estimateTokens } from './estimate.ts'
import type { Exchange, ExchangeReservation } from './exchange.ts'
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

/** The first words of an answer, in LLM tokens: a stream that has so much may begin. */
const firstOutputTokens = 64

/** Bodies below this are taken to be all text: looking for images in them is not worth it. */
const smallBodyBytes = 16_384
/** Text has about four bytes a token in English, three in Chinese; less is rare. */
const bytesPerToken = 3
/** Vendors' tokenizers differ by so much from the one that counts here. */
const countMargin = 1.1

/** What a request asks for, and who pays. */
interface Asked {
  readonly exchange: Exchange
  readonly body: RequestBody
  readonly caller: Caller
  readonly plan: Plan
  /** The longest answer that is to be expected, in LLM tokens. */
  readonly mostTokens: number
}

/**
 * Sets aside what a request will cost, or refuses it with the 401 of a used-up balance or budget.
 * A stream may begin with all that is left, and is ended when that is used. Puts the reservation on the exchange:
 * upstream may be asked before it is written, the client's first byte waits for it.
 */
export function setAside(
  parts: AffordParts,
  exchange: Exchange,
  body: RequestBody,
): void | Promise<void> {
  const { caller, plan, operation } = exchange
  if (!operation.charged || caller === undefined || plan === undefined) return
  const mostTokens = longestAnswer(plan, body, parts.usualOutputTokens())
  const asked = { exchange, body, caller, plan, mostTokens }
  const inputTokens = quickInput(body)
  const full = estimate(asked, inputTokens, mostTokens)
  if (full.amountNano > parts.reservations.room(caller).nano) return setAsideCounted(parts, asked)
  reserve(parts, asked, inputTokens, full)
}

/** The same where money is short. */
async function setAsideCounted(parts: AffordParts, asked: Asked): Promise<void> {
  const inputTokens = await countedInput(asked.body.facts, parts.countTokens)
  reserve(parts, asked, inputTokens, estimate(asked, inputTokens, asked.mostTokens))
}

function reserve(parts: AffordParts, asked: Asked, inputTokens: number, full: Estimate): void {
  const { exchange, body, caller, plan, mostTokens } = asked
  const { nano, limit } = parts.reservations.room(caller)
  const isWhole = full.amountNano <= nano
  const isLimited = body.facts.maxOutputTokens !== null || plan.offer.price.terms.unit !== 'tokens'
  let held = full
  if (!isWhole) {
    const least = estimate(asked, inputTokens, Math.min(mostTokens, firstOutputTokens))
    if (!body.facts.stream || least.amountNano > nano) throw unauthenticated(limit)
    // All there is, where it may not be enough: so one answer at most can turn out dearer than that.
    held = { outputTokens: least.outputTokens, amountNano: nano }
  }
  const reservation = reservationOf(exchange, caller, plan, held.amountNano)
  exchange.reservation = new OpenReservation(
    parts.committer,
    exchange,
    parts.reservations.open(caller, reservation),
    { inputTokens, outputTokens: held.outputTokens, isEnough: isWhole && isLimited },
  )
}

class OpenReservation implements ExchangeReservation {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly isEnough: boolean
  readonly #committer: Committer
  readonly #requestId: string
  /** Told to whoever waits for it before the first byte; until then nobody may be waiting. */
  readonly #refusal: Promise<GatewayError | undefined>

  constructor(
    committer: Committer,
    exchange: Exchange,
    covered: Promise<Denial>,
    { inputTokens, outputTokens, isEnough }: Omit<ExchangeReservation, 'written'>,
  ) {
    this.inputTokens = inputTokens
    this.outputTokens = outputTokens
    this.isEnough = isEnough
    this.#committer = committer
    this.#requestId = exchange.requestId
    this.#refusal = covered.then(
      (denial) => denial && refuse(exchange, unauthenticated(denial)),
      (cause: unknown) => refuse(exchange, requestNotStored(cause)),
    )
  }

  async written(): Promise<void> {
    this.#committer.hurry(this.#requestId)
    const refusal = await this.#refusal
    if (refusal) throw refusal
  }
}

/** Ends the upstream call at once. */
function refuse(exchange: Exchange, error: GatewayError): GatewayError {
  exchange.isUnpaid = true
  exchange.abort()
  return error
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

/** A limit beyond what the model can hold is none that it could ever reach. */
function longestAnswer({ offer }: Plan, { facts }: RequestBody, usualTokens: number): number {
  return Math.min(
    facts.maxOutputTokens ?? usualTokens,
    offer.contextWindow ?? Number.POSITIVE_INFINITY,
  )
}

/** With answers of so many LLM tokens each. */
function estimate({ plan, body }: Asked, inputTokens: number, perAnswer: number): Estimate {
  const outputTokens = perAnswer * body.facts.answers
  return { outputTokens, amountNano: costOf(plan, body, inputTokens, outputTokens) }
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
