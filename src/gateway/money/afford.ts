import { formatNano } from '../../billing/money.ts'
import type { MoneyLimit, Reservation } from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { Origins } from '../admit/origins.ts'
import type { RequestBody } from '../body/body.ts'
import { endedOutside, GatewayError, requestNotStored, unauthenticated } from '../errors.ts'
import type { Exchange, ExchangeReservation } from '../exchange.ts'
import {
  answerTokens,
  boundOf,
  type CostQuestion,
  costWith,
  countedInput,
  quickInput,
} from './bound.ts'
import type { CommitListener, Denial } from './commit-item.ts'
import type { Committer } from './committer.ts'
import type { CountTokens } from './estimate.ts'
import type { Reservations } from './reservations.ts'

export interface AffordParts {
  readonly committer: Committer
  readonly reservations: Reservations
  readonly countTokens: CountTokens
  readonly origins: Origins
  /** The assumed output of an answer without a limit, in LLM tokens. */
  readonly usualOutputTokens: () => number
}

/** The first words of an answer, in LLM tokens: a stream that can pay them may begin. */
const firstOutputTokens = 64

/**
 * With less left over, as a multiple of what the account's requests hold, a reservation is stored first: other
 * processes may have changed the balance.
 */
const plenty = {
  alone: { timesHeld: 1, leastNano: 0 },
  shared: { timesHeld: 64, leastNano: 10_000_000_000 },
}

interface Asked extends CostQuestion {
  readonly exchange: Exchange
  readonly caller: Caller
}

/**
 * Reserves a request's bound and its likely overrun; where that is missing, all that is left, for one such
 * request of an account at a time. Refuses with 401, or 429 where other requests hold the money.
 * With plenty of money the upstream is called before the reservation is stored. `sharedLookup`: of continued
 * answers.
 */
export function reserveMoney(
  parts: AffordParts,
  exchange: Exchange,
  body: RequestBody,
  sharedLookup?: Promise<void> | undefined,
): void | Promise<void> {
  const { caller, plan, operation } = exchange
  if (!operation.charged || caller === undefined || plan === undefined) return
  const reserveNow = () => {
    const continuedTokens = tokensOfContinued(parts.origins, caller, body)
    return reserveMost(parts, { exchange, body, caller, plan, continuedTokens })
  }
  const isLookedUp = body.facts.continues.length > 0 && sharedLookup !== undefined
  return isLookedUp ? sharedLookup.then(reserveNow) : reserveNow()
}

function reserveMost(parts: AffordParts, asked: Asked): void | Promise<void> {
  const { reservations, committer } = parts
  const { caller, body, plan } = asked
  requireClient(asked)
  const { outputTokens, amountNano: boundNano } = boundOf(asked)
  const overrun = reservations.likelyOverrun(caller.account.id, plan.offer.candidates, boundNano)
  const toReserveNano = boundNano + overrun
  requireWithinMaxCost(caller, toReserveNano)
  const { nano } = reservations.room(caller)
  if (toReserveNano > nano) return reserveWhenShort(parts, asked, boundNano, toReserveNano)
  const pending = new PendingReservation(parts, asked, {
    inputTokens: quickInput(body),
    outputTokens,
    isEnough: isLimited(asked),
    boundNano,
    toReserveNano,
    amountNano: toReserveNano,
  })
  asked.exchange.reservation = pending
  if (isCovered(parts, asked, toReserveNano)) return pending.resolve(undefined)
  reserve(parts, asked, toReserveNano, false, pending)
  const { timesHeld, leastNano } = committer.isShared ? plenty.shared : plenty.alone
  const leftNano = nano - toReserveNano
  const isPlenty = leftNano >= timesHeld * reservations.heldBy(caller.account.id)
  if (!isPlenty || leftNano < leastNano) return pending.ensureStored()
}

async function reserveWhenShort(
  parts: AffordParts,
  asked: Asked,
  boundNano: number,
  toReserveNano: number,
): Promise<void> {
  const { reservations, countTokens, usualOutputTokens } = parts
  const { body, caller } = asked
  const countedTokens = await countedInput(body, countTokens)
  const inputTokens = countedTokens + (asked.continuedTokens ?? 0)
  requireClient(asked)
  const perAnswer = answerTokens(asked, usualOutputTokens())
  const full = costWith(asked, inputTokens, perAnswer)
  const first = costWith(asked, inputTokens, Math.min(perAnswer, firstOutputTokens))
  const least = body.facts.stream ? first : full
  const { nano, limit } = reservations.room(caller)
  const isFree = toReserveNano <= nano || !reservations.hasOpen(caller.account.id)
  if (least.amountNano > nano || !isFree) throw refusal(parts, asked, limit, least.amountNano)
  const isWhole = full.amountNano <= nano
  const reserved = {
    inputTokens: countedTokens,
    outputTokens: (isWhole ? full : least).outputTokens,
    isEnough: isWhole && isLimited(asked),
    boundNano,
    toReserveNano,
    amountNano: least.amountNano,
  }
  const pending = new PendingReservation(parts, asked, reserved)
  asked.exchange.reservation = pending
  reserveRest(parts, asked, reserved, nano).then(
    (denial) => pending.resolve(denial),
    (error: unknown) => pending.reject(error),
  )
  await pending.ensureStored()
}

/** A reservation for a disconnected client would never be released. */
function requireClient({ exchange }: Asked): void {
  if (exchange.interruption !== undefined) throw endedOutside()
}

/** Refuses a request that could cost more than its token allows. */
function requireWithinMaxCost({ token: { maxCostNano } }: Caller, costNano: number): void {
  if (maxCostNano === null || costNano <= maxCostNano) return
  throw new GatewayError(
    'max_cost_exceeded',
    `This request could cost ${formatNano(costNano)} USD, and this key allows ` +
      `${formatNano(maxCostNano)} USD for one request. Shorten it, or limit its answer (max_tokens).`,
  )
}

const isLimited = ({ body, plan }: Asked) =>
  body.facts.maxOutputTokens !== null || plan.offer.price.terms.unit !== 'tokens'

/** Whether leases cover it, without asking the store. Not what may outlive the process. */
function isCovered({ reservations }: AffordParts, asked: Asked, amountNano: number): boolean {
  const { requestId, startedAt, facts } = asked.exchange
  if (facts?.background === true) return false
  const { account, token, spending } = asked.caller
  const payer = { accountId: account.id, budgetOf: spending && token.id }
  if (!reservations.isCovered({ requestId, startedAt, payer }, amountNano)) return false
  reservations.reserveCovered(reservationOf(asked, 0, false), amountNano)
  return true
}

/** `isOpen`: the cost may exceed the amount. */
function reserve(
  { reservations }: AffordParts,
  asked: Asked,
  amountNano: number,
  isOpen: boolean,
  listener: CommitListener,
): void {
  reservations.reserve(reservationOf(asked, amountNano, isOpen), listener)
}

function reservationOf(
  { exchange, caller, plan }: Asked,
  amountNano: number,
  isOpen: boolean,
): Reservation {
  const { requestId, startedAt, model = null, operation, facts } = exchange
  const { account, token } = caller
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
    isOpen,
  }
}

/** All that is left here; where other nodes hold some of it, the cost of a beginning. */
async function reserveRest(
  parts: AffordParts,
  asked: Asked,
  { toReserveNano, amountNano: leastNano }: Reserved,
  nano: number,
): Promise<Denial> {
  const reserveSoon = (amountNano: number) => {
    const stored = Promise.withResolvers<Denial>()
    reserve(parts, asked, amountNano, amountNano < toReserveNano, stored)
    // It may cost more than it reserves: the store must know all other reservations before.
    parts.committer.commitAllNow()
    return stored.promise
  }
  const allNano = Math.min(nano, toReserveNano)
  const denial = await reserveSoon(allNano)
  const isElsewhere = denial !== undefined && denial !== 'busy' && allNano > leastNano
  const isOver = asked.exchange.interruption !== undefined
  return isElsewhere && !isOver ? reserveSoon(leastNano) : denial
}

/** Reserves more when another node has meanwhile reported an overrun. */
function coverOverrun(
  { reservations, committer }: AffordParts,
  { exchange, caller, plan }: Asked,
  { toReserveNano, boundNano }: Reserved,
): Denial | Promise<Denial> {
  const { requestId } = exchange
  const heldNano = reservations.heldFor(requestId)
  // A request that can exceed its reservation is its account's only one.
  if (!committer.isShared || heldNano < toReserveNano) return undefined
  const overrun = reservations.likelyOverrun(caller.account.id, plan.offer.candidates, boundNano)
  const moreNano = boundNano + overrun - heldNano
  if (moreNano <= 0) return undefined
  const grown = reservations.grow(requestId, moreNano)
  return grown.then((isCovered) => (isCovered ? undefined : reservations.room(caller).limit))
}

interface Reserved extends Omit<ExchangeReservation, 'ensureStored' | 'continuedTokens'> {
  /** The bound with the likely overrun. */
  readonly toReserveNano: number
  readonly amountNano: number
}

/** A reservation on its way to the store; a denial ends the upstream call. */
class PendingReservation implements ExchangeReservation, CommitListener {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly continuedTokens: number | undefined
  readonly isEnough: boolean
  readonly boundNano: number
  readonly #parts: AffordParts
  readonly #asked: Asked
  readonly #reserved: Reserved
  /** Why it was not stored. Null: it was, or its charge replaced it; undefined: it is not decided yet. */
  #refusal: GatewayError | null | undefined
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(parts: AffordParts, asked: Asked, reserved: Reserved) {
    this.inputTokens = reserved.inputTokens
    this.outputTokens = reserved.outputTokens
    this.continuedTokens = asked.continuedTokens
    this.isEnough = reserved.isEnough
    this.boundNano = reserved.boundNano
    this.#parts = parts
    this.#asked = asked
    this.#reserved = reserved
  }

  async ensureStored(): Promise<void> {
    if (this.#refusal === null) return
    this.#parts.committer.commitNow(this.#asked.exchange.requestId)
    if (this.#refusal) throw this.#refusal
    this.#waiting ??= Promise.withResolvers()
    await this.#waiting.promise
  }

  resolve(denial: Denial): void {
    const found = denial ?? coverOverrun(this.#parts, this.#asked, this.#reserved)
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
      this.#refuse(refusal(this.#parts, this.#asked, denial, amountNano))
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
  { caller, exchange }: Asked,
  limit: MoneyLimit | 'busy',
  leastNano: number,
): GatewayError {
  exchange.neededNano = leastNano
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

/** LLM tokens of everything a request continues; undefined where some of it is unknown here. */
function tokensOfContinued(
  origins: AffordParts['origins'],
  { account }: Caller,
  { facts }: RequestBody,
): number | undefined {
  let sum = 0
  for (const id of facts.continues) {
    // 0 for an answer that is still being made.
    const tokens = origins.of(account.id, id)?.contextTokens
    if (!tokens) return undefined
    sum += tokens
  }
  return sum
}
