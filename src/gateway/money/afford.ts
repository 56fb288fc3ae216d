import { formatNano } from '../../billing/money.ts'
import type { MoneyLimit, Reservation } from '../../store/ports/records.ts'
import type { Affinity } from '../admit/affinity.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { Plan } from '../admit/plan.ts'
import type { RequestBody } from '../body/body.ts'
import { GatewayError, interrupted, requestNotStored, unauthenticated } from '../errors.ts'
import type { Exchange, ExchangeReservation } from '../exchange.ts'
import {
  type Asked as AskedCost,
  answerTokens,
  countedInput,
  estimateWith,
  mostOf,
  quickInput,
} from './bound.ts'
import type { CommitListener, Committer, Denial } from './committer.ts'
import type { CountTokens } from './estimate.ts'
import type { Reservations } from './reservations.ts'

export interface AffordParts {
  readonly committer: Committer
  readonly reservations: Reservations
  readonly countTokens: CountTokens
  readonly affinity: Affinity
  /** The assumed output of an answer without a limit, in LLM tokens. */
  readonly usualOutputTokens: () => number
}

/** The first words of an answer, in LLM tokens: a stream that can pay them may begin. */
const firstOutputTokens = 64

/** Below these bounds a reservation is stored first: other nodes spend the same balance. */
const plenty = {
  alone: { times: 1, leastNano: 0 },
  shared: { times: 64, leastNano: 10_000_000_000 },
}

interface Most {
  /** Including the recent excess of others, … */
  readonly mostNano: number
  /** … and as estimated, without it. */
  readonly reckonedNano: number
}

interface Asked extends AskedCost {
  readonly exchange: Exchange
  readonly caller: Caller
}

/**
 * Reserves the most that a request can cost; where that is missing, all that is left, for one such
 * request of an account at a time. Refuses with 401, or 429 where other requests hold the money.
 * With plenty of money the upstream is called before the reservation is stored. `looking`: other
 * nodes are being asked for the continued answers.
 */
export function reserveMoney(
  parts: AffordParts,
  exchange: Exchange,
  body: RequestBody,
  looking?: Promise<void> | undefined,
): void | Promise<void> {
  const { caller, plan, operation } = exchange
  if (!operation.charged || caller === undefined || plan === undefined) return
  const asked = { exchange, body, caller, plan }
  if (body.facts.continues.length > 0 && looking !== undefined) {
    return looking.then(() => reserveMost(parts, withContinued(parts, asked)))
  }
  return reserveMost(parts, withContinued(parts, asked))
}

/** With what is known by now of the continued answers. */
const withContinued = (
  { affinity }: AffordParts,
  asked: Omit<Asked, 'continuedTokens'>,
): Asked => ({
  ...asked,
  continuedTokens: tokensOfContinued(affinity, asked.caller, asked.body),
})

function reserveMost(parts: AffordParts, asked: Asked): void | Promise<void> {
  const { reservations, committer } = parts
  const { caller, body, plan } = asked
  requireClient(asked)
  const most = mostOf(asked)
  const { candidates } = plan.offer
  const excess = reservations.excess(caller.account.id, candidates, most.amountNano)
  const mostNano = most.amountNano + excess
  requireWithinMaxCost(caller, mostNano)
  const amounts = { mostNano, reckonedNano: most.amountNano }
  const { nano } = reservations.room(caller)
  if (mostNano > nano) return reserveWhenShort(parts, asked, amounts)
  const reserved = { inputTokens: quickInput(body), outputTokens: most.outputTokens }
  const pending = putOn(parts, asked, {
    ...{ ...reserved, ...amounts, isEnough: isLimited(asked), amountNano: mostNano },
  })
  reserve(parts, asked, { amountNano: mostNano, mostNano }, pending)
  const { times, leastNano } = committer.isShared ? plenty.shared : plenty.alone
  const leftNano = nano - mostNano
  const isPlenty = leftNano >= times * reservations.heldBy(caller.account.id)
  if (!isPlenty || leftNano < leastNano) return pending.written()
}

async function reserveWhenShort(parts: AffordParts, asked: Asked, most: Most): Promise<void> {
  const { reservations, countTokens, usualOutputTokens } = parts
  const { body, caller } = asked
  const written = await countedInput(body, countTokens)
  const inputTokens = written + (asked.continuedTokens ?? 0)
  requireClient(asked)
  const perAnswer = answerTokens(asked, usualOutputTokens())
  const full = estimateWith(asked, inputTokens, perAnswer)
  const first = estimateWith(asked, inputTokens, Math.min(perAnswer, firstOutputTokens))
  const least = body.facts.stream ? first : full
  const { nano, limit } = reservations.room(caller)
  const isFree = most.mostNano <= nano || !reservations.hasOpen(caller.account.id)
  if (least.amountNano > nano || !isFree) throw refusal(parts, caller, limit, least.amountNano)
  const isWhole = full.amountNano <= nano
  const reserved = { inputTokens: written, outputTokens: (isWhole ? full : least).outputTokens }
  const isEnough = isWhole && isLimited(asked)
  const amountNano = least.amountNano
  const pending = putOn(parts, asked, { ...reserved, ...most, isEnough, amountNano })
  reserveRest(parts, asked, most, { leastNano: amountNano, nano }).then(
    (denial) => pending.resolve(denial),
    (error: unknown) => pending.reject(error),
  )
  await pending.written()
}

/** A reservation for a disconnected client would never be released. */
function requireClient({ exchange }: Asked): void {
  if (exchange.interruption !== undefined) throw interrupted()
}

/** Refuses a request that could cost more than its token allows. */
function requireWithinMaxCost({ token: { maxCostNano } }: Caller, mostNano: number): void {
  if (maxCostNano === null || mostNano <= maxCostNano) return
  throw new GatewayError(
    'max_cost_exceeded',
    `This request could cost ${formatNano(mostNano)} USD, and this key allows ` +
      `${formatNano(maxCostNano)} USD for one request. Shorten it, or limit its answer (max_tokens).`,
  )
}

const isLimited = ({ body, plan }: Asked) =>
  body.facts.maxOutputTokens !== null || plan.offer.price.terms.unit !== 'tokens'

function reserve(
  { reservations }: AffordParts,
  { exchange, caller, plan }: Asked,
  { amountNano, mostNano }: Pick<Reserved, 'amountNano' | 'mostNano'>,
  listener: CommitListener,
): void {
  const isOpen = amountNano < mostNano
  const reservation = { ...reservationOf(exchange, caller, plan), amountNano, isOpen }
  reservations.reserve(caller, reservation, listener)
}

/** All that is left here; where other nodes hold some of it, the cost of a beginning. */
async function reserveRest(
  parts: AffordParts,
  asked: Asked,
  { mostNano }: Most,
  { nano, leastNano }: { readonly nano: number; readonly leastNano: number },
): Promise<Denial> {
  const hurried = (amountNano: number) => {
    const stored = Promise.withResolvers<Denial>()
    reserve(parts, asked, { amountNano, mostNano }, stored)
    // Its excess cost must not meet reservations that are not stored yet.
    parts.committer.commitAllNow()
    return stored.promise
  }
  const allNano = Math.min(nano, mostNano)
  const denial = await hurried(allNano)
  const isElsewhere = denial !== undefined && denial !== 'busy' && allNano > leastNano
  const isOver = asked.exchange.interruption !== undefined
  return isElsewhere && !isOver ? hurried(leastNano) : denial
}

/** Reserves more when another node has meanwhile reported excess. */
function coverNews(
  { reservations, committer }: AffordParts,
  { exchange, caller, plan }: Asked,
  { mostNano, reckonedNano }: Most,
): Denial | Promise<Denial> {
  const { requestId } = exchange
  const heldNano = reservations.heldFor(requestId)
  // A request that can exceed its reservation is its account's only one.
  if (!committer.isShared || heldNano < mostNano) return undefined
  const excess = reservations.excess(caller.account.id, plan.offer.candidates, reckonedNano)
  const moreNano = reckonedNano + excess - heldNano
  if (moreNano <= 0) return undefined
  const grown = reservations.grow(requestId, moreNano)
  return grown.then((isCovered) => (isCovered ? undefined : reservations.room(caller).limit))
}

type Reserved = Omit<ExchangeReservation, 'written' | 'continuedTokens'> &
  Most & { readonly amountNano: number }

function putOn(parts: AffordParts, asked: Asked, reserved: Reserved): PendingReservation {
  const pending = new PendingReservation(parts, asked, reserved)
  asked.exchange.reservation = pending
  return pending
}

/** A reservation on its way to the store; a denial ends the upstream call. */
class PendingReservation implements ExchangeReservation, CommitListener {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly continuedTokens: number | undefined
  readonly isEnough: boolean
  readonly reckonedNano: number
  readonly #parts: AffordParts
  readonly #asked: Asked
  readonly #reserved: Reserved
  /** Undefined: not known yet; null: stored. */
  #refusal: GatewayError | null | undefined
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(parts: AffordParts, asked: Asked, reserved: Reserved) {
    this.inputTokens = reserved.inputTokens
    this.outputTokens = reserved.outputTokens
    this.continuedTokens = asked.continuedTokens
    this.isEnough = reserved.isEnough
    this.reckonedNano = reserved.reckonedNano
    this.#parts = parts
    this.#asked = asked
    this.#reserved = reserved
  }

  async written(): Promise<void> {
    this.#parts.committer.commitNow(this.#asked.exchange.requestId)
    if (this.#refusal) throw this.#refusal
    if (this.#refusal === null) return
    this.#waiting ??= Promise.withResolvers()
    await this.#waiting.promise
  }

  resolve(denial: Denial): void {
    const found = denial ?? coverNews(this.#parts, this.#asked, this.#reserved)
    if (found instanceof Promise) {
      found.then(
        (late) => this.#end(late),
        (error: unknown) => this.reject(error),
      )
    } else this.#end(found)
  }

  reject(cause: unknown): void {
    this.#parts.reservations.drop(this.#asked.exchange.requestId)
    this.#refuse(requestNotStored(cause))
  }

  #end(denial: Denial): void {
    if (denial !== undefined) {
      const { amountNano } = this.#reserved
      this.#refuse(refusal(this.#parts, this.#asked.caller, denial, amountNano))
      return
    }
    this.#refusal = null
    this.#waiting?.resolve()
  }

  #refuse(error: GatewayError): void {
    this.#refusal = error
    this.#asked.exchange.abortDenied()
    this.#waiting?.reject(error)
  }
}

/** Whether the money itself is too little, or other requests hold it. */
function refusal(
  { reservations }: AffordParts,
  caller: Caller,
  limit: MoneyLimit | 'busy',
  leastNano: number,
): GatewayError {
  const all = reservations.all(caller)
  if (leastNano <= all.nano) {
    const what = limit === 'budget' ? 'budget of this key' : 'balance'
    return new GatewayError('concurrency_limited', reservedForOthers(what), { retryAfter: 1 })
  }
  return unauthenticated(limit === 'busy' ? all.limit : limit)
}

const reservedForOthers = (what: string) =>
  `The ${what} is reserved for other requests in progress. Try again when one of them has ended. A ` +
  'request that limits its answer (max_tokens) reserves less.'

function reservationOf(
  exchange: Exchange,
  { account, token }: Caller,
  plan: Plan,
): Omit<Reservation, 'amountNano' | 'isOpen'> {
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
  }
}

/** LLM tokens of everything a request continues; undefined where some of it is unknown here. */
function tokensOfContinued(
  affinity: AffordParts['affinity'],
  { account }: Caller,
  { facts }: RequestBody,
): number | undefined {
  let sum = 0
  for (const id of facts.continues) {
    // 0 for an answer that is still being made.
    const tokens = affinity.originOf(account.id, id)?.contextTokens
    if (!tokens) return undefined
    sum += tokens
  }
  return sum
}
