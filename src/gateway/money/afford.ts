import { formatNano } from '../../billing/money.ts'
import type { MoneyLimit, Reservation } from '../../store/ports/records.ts'
import type { Affinity } from '../admit/affinity.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { Plan } from '../admit/plan.ts'
import type { RequestBody } from '../body/body.ts'
import { GatewayError, requestNotStored, stopping, unauthenticated } from '../errors.ts'
import type { Exchange, ExchangeReservation } from '../exchange.ts'
import {
  type Asked as AskedCost,
  answerTokens,
  countedInput,
  estimateWith,
  mostOf,
  quickInput,
} from './bound.ts'
import type { Committer, Denial } from './committer.ts'
import type { CountTokens } from './estimate.ts'
import type { Reservations } from './reservations.ts'

export interface AffordParts {
  readonly committer: Committer
  readonly reservations: Reservations
  readonly countTokens: CountTokens
  readonly affinity: Affinity
  /** What an answer without a limit of its own is taken to use, in LLM tokens. */
  readonly usualOutputTokens: () => number
}

/** The first words of an answer, in LLM tokens: a stream that has so much may begin. */
const firstOutputTokens = 64

/**
 * While what is left is less than so many times what is set aside, or than so much, that is stored before
 * the upstream is asked. Other nodes reserve from the same balance without this one's knowledge: a
 * request that the store refuses after its upstream was asked costs the operator.
 */
const plenty = {
  alone: { times: 1, leastNano: 0 },
  shared: { times: 64, leastNano: 10_000_000_000 },
}

/** What a request can come to. */
interface Most {
  /** By what is known of others that turned out dearer, … */
  readonly mostNano: number
  /** … and as reckoned, without that. */
  readonly reckonedNano: number
}

/** What a request asks for, and who pays. */
interface Asked extends AskedCost {
  readonly exchange: Exchange
  readonly caller: Caller
}

/**
 * Sets aside what a request can cost at the most; where that is not there, all that is left, for one
 * such request of the account at a time: so one answer at most can turn out dearer than its account can
 * pay. Refuses with the 401 of a used-up balance or budget, or with 429 where only other requests stand
 * in the way. Puts the reservation on the exchange: where money is plenty the upstream may be asked
 * before it is written; the client's first byte waits for it. `looking`: other nodes are being asked for what
 * they know of the answers that are continued.
 */
export function setAside(
  parts: AffordParts,
  exchange: Exchange,
  body: RequestBody,
  looking?: Promise<void> | undefined,
): void | Promise<void> {
  const { caller, plan, operation } = exchange
  if (!operation.charged || caller === undefined || plan === undefined) return
  const asked = { exchange, body, caller, plan }
  if (body.facts.continues.length > 0 && looking !== undefined) {
    return looking.then(() => setAsideMost(parts, withContinued(parts, asked)))
  }
  return setAsideMost(parts, withContinued(parts, asked))
}

/** With what is known by now of the answers that it continues. */
const withContinued = (
  { affinity }: AffordParts,
  asked: Omit<Asked, 'continuedTokens'>,
): Asked => ({
  ...asked,
  continuedTokens: tokensOfContinued(affinity, asked.caller, asked.body),
})

function setAsideMost(parts: AffordParts, asked: Asked): void | Promise<void> {
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
  if (mostNano > nano) return setAsideRest(parts, asked, amounts)
  const reserved = { inputTokens: quickInput(body), outputTokens: most.outputTokens }
  const isEnough = isLimited(asked)
  const covered = open(parts, asked, mostNano, amounts)
  putOn(parts, asked, { ...reserved, isEnough, amountNano: mostNano, ...amounts }, covered)
  const { times, leastNano } = committer.isShared ? plenty.shared : plenty.alone
  const leftNano = nano - mostNano
  const isPlenty = leftNano >= times * reservations.heldBy(caller.account.id)
  if (!isPlenty || leftNano < leastNano) return asked.exchange.reservation?.written()
}

/** The same where money is short. */
async function setAsideRest(parts: AffordParts, asked: Asked, most: Most): Promise<void> {
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
  const covered = openRest(parts, asked, most, { leastNano: least.amountNano, nano })
  const isEnough = isWhole && isLimited(asked)
  putOn(parts, asked, { ...reserved, isEnough, amountNano: least.amountNano, ...most }, covered)
  await asked.exchange.reservation?.written()
}

/** What is set aside for a client that has left already would be given back by nobody. */
function requireClient({ exchange }: Asked): void {
  if (exchange.interruption !== undefined) throw stopping()
}

/** Refuses what could cost more than its token allows for one request. */
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

function open(
  { reservations }: AffordParts,
  { exchange, caller, plan }: Asked,
  amountNano: number,
  most: Most,
): Promise<Denial> {
  const isOpen = amountNano < most.mostNano
  const reservation = { ...reservationOf(exchange, caller, plan), amountNano, isOpen }
  return reservations.open(caller, reservation)
}

/** All that is left here; where other nodes have some of it, what it takes to begin. */
async function openRest(
  parts: AffordParts,
  asked: Asked,
  most: Most,
  { nano, leastNano }: { readonly nano: number; readonly leastNano: number },
): Promise<Denial> {
  const hurried = (amountNano: number) => {
    const covered = open(parts, asked, amountNano, most)
    // What this costs beyond that must not be what others of the account were let in with.
    parts.committer.hurryAll()
    return covered
  }
  const allNano = Math.min(nano, most.mostNano)
  const denial = await hurried(allNano)
  const isElsewhere = denial !== undefined && denial !== 'busy' && allNano > leastNano
  const isOver = asked.exchange.interruption !== undefined
  return isElsewhere && !isOver ? hurried(leastNano) : denial
}

/**
 * Sets more aside where another node has told meanwhile that such answers turn out dearer: whatever it
 * had stored before this was set aside is heard of by now.
 */
function coverNews(
  { reservations, committer }: AffordParts,
  { exchange, caller, plan }: Asked,
  { mostNano, reckonedNano }: Most,
): Denial | Promise<Denial> {
  const { requestId } = exchange
  const heldNano = reservations.heldFor(requestId)
  // What can come to more than is set aside is its account's only one.
  if (!committer.isShared || heldNano < mostNano) return undefined
  const excess = reservations.excess(caller.account.id, plan.offer.candidates, reckonedNano)
  const moreNano = reckonedNano + excess - heldNano
  if (moreNano <= 0) return undefined
  const grown = reservations.grow(requestId, moreNano)
  return grown.then((isCovered) => (isCovered ? undefined : reservations.room(caller).limit))
}

type Reserved = Omit<ExchangeReservation, 'written'> & Most & { readonly amountNano: number }

function putOn(
  parts: AffordParts,
  asked: Asked,
  { inputTokens, outputTokens, isEnough, amountNano, ...most }: Reserved,
  covered: Promise<Denial>,
): void {
  const { exchange, continuedTokens } = asked
  const { reckonedNano } = most
  const reserved = { inputTokens, outputTokens, continuedTokens, isEnough, reckonedNano }
  // Told to whoever waits for it before the first byte; until then nobody may be waiting.
  const refused = refusalOf(parts, asked, covered, { ...most, amountNano })
  exchange.reservation = new PendingReservation(parts, exchange.requestId, reserved, refused)
}

class PendingReservation implements ExchangeReservation {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly continuedTokens: number | undefined
  readonly isEnough: boolean
  readonly reckonedNano: number
  readonly #committer: Committer
  readonly #requestId: string
  readonly #refused: Promise<GatewayError | undefined>

  constructor(
    { committer }: AffordParts,
    requestId: string,
    reserved: Omit<ExchangeReservation, 'written'>,
    refused: Promise<GatewayError | undefined>,
  ) {
    this.inputTokens = reserved.inputTokens
    this.outputTokens = reserved.outputTokens
    this.continuedTokens = reserved.continuedTokens
    this.isEnough = reserved.isEnough
    this.reckonedNano = reserved.reckonedNano
    this.#committer = committer
    this.#requestId = requestId
    this.#refused = refused
  }

  async written(): Promise<void> {
    this.#committer.hurry(this.#requestId)
    const error = await this.#refused
    if (error) throw error
  }
}

/** Ends the upstream call at once where the money is not covered, and gives the refusal; never rejects. */
async function refusalOf(
  parts: AffordParts,
  asked: Asked,
  covered: Promise<Denial>,
  most: Most & { readonly amountNano: number },
): Promise<GatewayError | undefined> {
  let error: GatewayError
  try {
    const news = (await covered) ?? coverNews(parts, asked, most)
    const denial = news instanceof Promise ? await news : news
    if (denial === undefined) return undefined
    error = refusal(parts, asked.caller, denial, most.amountNano)
  } catch (cause) {
    error = requestNotStored(cause)
  }
  asked.exchange.abortUnpaid()
  return error
}

/** Whether it is the money itself that is too little, or only what others leave of it. */
function refusal(
  { reservations }: AffordParts,
  caller: Caller,
  limit: MoneyLimit | 'busy',
  leastNano: number,
): GatewayError {
  const all = reservations.all(caller)
  if (leastNano <= all.nano) {
    const what = limit === 'budget' ? 'budget of this key' : 'balance'
    return new GatewayError('concurrency_limited', setAsideForOthers(what), { retryAfter: 1 })
  }
  return unauthenticated(limit === 'busy' ? all.limit : limit)
}

const setAsideForOthers = (what: string) =>
  `The ${what} is set aside for other requests under way. Try again when one of them has ended. A ` +
  'request that limits its answer (max_tokens) sets less aside.'

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

/** LLM tokens of all that a request continues; undefined where some of it is not known here. */
function tokensOfContinued(
  affinity: AffordParts['affinity'],
  { account }: Caller,
  { facts }: RequestBody,
): number | undefined {
  let sum = 0
  for (const id of facts.continues) {
    // Of an answer that is still being made it is 0.
    const tokens = affinity.originOf(account.id, id)?.contextTokens
    if (!tokens) return undefined
    sum += tokens
  }
  return sum
}
