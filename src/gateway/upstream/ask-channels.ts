import { Cancellation } from '../../lib/cancellation.ts'
import type { CoolingRow } from '../../store/ports/counters.ts'
import type { Admitted } from '../admit/admit.ts'
import type { Option } from '../admit/options.ts'
import type { Origins } from '../admit/origins.ts'
import { conversationIn } from '../admit/references.ts'
import type { RequestBody } from '../body/body.ts'
import type { BodyThread } from '../body-thread/job.ts'
import type { ChannelRequest, Choice, Chooser } from '../channels/chooser.ts'
import { endedOutside, GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { decisive, type Failure, failureClasses, finalError } from '../failures/failures.ts'
import { coolingsBefore } from '../money/state-then.ts'
import type { Outbound, UpstreamCall } from '../outbound/outbound.ts'
import type { Answer } from './answer.ts'
import { type AttemptResult, SentCall, type SentCallParts } from './sent-call.ts'
import { beginStream, readBody, understand } from './upstream-answer.ts'
import { buildCall } from './upstream-call.ts'

export interface AskParts extends AttemptParts {
  readonly origins: Origins
  /** Present cooldowns. */
  readonly coolings: () => readonly CoolingRow[]
  readonly choose: (asked: ChannelRequest) => Chooser
  readonly maxAttempts: () => number
  /** No attempt begins later than this after the first, in milliseconds. */
  readonly retryTimeMs: () => number
  readonly queueTimeMs: () => number
}

/** Asks one channel after the other; throws the client's error when none answers. */
export async function askChannels(
  parts: AskParts,
  exchange: Exchange,
  { body, options, sharedLookup }: Admitted,
): Promise<Answer> {
  if (sharedLookup !== undefined) {
    await sharedLookup
    if (exchange.interruption) throw endedOutside()
  }
  const chooser = parts.choose(
    channelRequest(parts, exchange, body, optionsFor(parts, exchange, options)),
  )
  const failures: Failure[] = []
  let unsendable: GatewayError | undefined
  for (let isFirst = true; ; isFirst = false) {
    const found = chooser.next()
    let choice = found instanceof Promise ? await arrivedChoice(exchange, found) : found
    if (isFirst) choice ??= await waitInLine(parts, exchange, chooser)
    if (choice === undefined) break
    exchange.choice = choice
    try {
      const result = await attempt(parts, exchange, body, choice, nextOf(chooser))
      if (result.ok) return result.answer
      failures.push(result.failure)
    } catch (error) {
      // This channel's needs can't be met: another one may not have them.
      if (!(error instanceof GatewayError)) throw error
      choice.withoutVerdict() // nothing was sent
      unsendable ??= error
    }
    choice.ended()
    exchange.choice = undefined
    await exchange.reservation?.ensureStored() // no further attempt before it is stored; throws where it was refused
    if (exchange.interruption) throw endedOutside()
    const last = failures.at(-1)
    if (last !== undefined && !failureClasses[last.name].retry) break
  }
  exchange.coolings = coolingsBefore(parts.coolings(), options, exchange.startedAt)
  return answerOfNone(exchange, chooser, failures, unsendable)
}

/** Where nodes share limits, the choice may come after the request has ended, which releases it. */
async function arrivedChoice(
  exchange: Exchange,
  coming: Promise<Choice | undefined>,
): Promise<Choice | undefined> {
  exchange.choice = await coming
  if (exchange.interruption) throw endedOutside()
  return exchange.choice
}

/** Waits in line where all channels are full; the exchange's end ends it. */
async function waitInLine(
  { queueTimeMs, tick }: AskParts,
  exchange: Exchange,
  chooser: Chooser,
): Promise<Choice | undefined> {
  const waitMs = queueTimeMs() - (tick() - exchange.startedTick)
  if (chooser.busyForMs() === undefined || waitMs <= 0) return undefined
  const line = new AbortController()
  exchange.abortBy(line, endedOutside())
  try {
    exchange.choice = await chooser.nextInLine({ waitMs, signal: line.signal })
  } finally {
    await exchange.reservation?.ensureStored() // no attempt before it is stored; throws where it was refused
  }
  if (exchange.interruption) throw endedOutside()
  return exchange.choice
}

/** Undefined: no other channel, so even an error is passed on. Calling it may translate: only after a failure. */
const nextOf = (chooser: Chooser) => (chooser.hasOthers() ? () => chooser.hasNext() : undefined)

/** The client's error when no channel has answered. */
function answerOfNone(
  exchange: Exchange,
  chooser: Chooser,
  failures: readonly Failure[],
  unsendable: GatewayError | undefined,
): Answer {
  const last = decisive(failures)
  if (last === undefined && unsendable !== undefined) throw unsendable
  exchange.fault = last === undefined ? 'channel' : failureClasses[last.name].fault
  const busyMs = chooser.busyForMs()
  if (last === undefined && busyMs !== undefined) throw allBusy(busyMs)
  if (last?.refusal) return last.refusal
  throw finalError(failures)
}

const allBusy = (waitMs: number) =>
  new GatewayError(
    'channels_busy',
    'All channels for this model are at their limits at present. Try again later.',
    { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) },
  )

function channelRequest(
  parts: AskParts,
  exchange: Exchange,
  body: RequestBody,
  options: readonly Option[],
): ChannelRequest {
  const { caller, plan } = exchange
  const isChoice = options.length > 1 || (options[0]?.channel.keys.length ?? 0) > 1
  return {
    options,
    tokenId: caller?.token.id ?? 0,
    conversation: isChoice ? conversationIn(exchange, body) : undefined,
    isStreamed: body.facts.stream,
    pool: isChoice ? `${plan?.group.id} ${plan?.offer.model}` : undefined,
    llmTokens: exchange.reservation?.inputTokens ?? 0,
    maxAttempts: parts.maxAttempts(),
    retryMs: parts.retryTimeMs(),
  }
}

/** The channels that may answer; for a continued answer only the one that made it, with its key. */
function optionsFor(
  { origins }: AskParts,
  { caller, facts }: Exchange,
  options: readonly Option[],
): readonly Option[] {
  const referred = facts?.continues ?? []
  for (const id of referred) {
    const origin = caller && origins.of(caller.account.id, id)
    const bound = options.find(({ channel }) => channel.id === origin?.channelId)
    if (origin && bound) return [withKey(bound, origin.key)]
  }
  return options
}

function withKey(option: Option, key: string): Option {
  const { channel } = option
  return channel.keys.includes(key) ? { ...option, channel: { ...channel, keys: [key] } } : option
}

interface AttemptParts extends SentCallParts {
  readonly outbound: Outbound
  readonly bodyThread?: BodyThread | undefined
}

/** Calls one channel; throws the `GatewayError` of an unsendable request. */
export async function attempt(
  parts: AttemptParts,
  exchange: Exchange,
  body: RequestBody,
  choice: Choice,
  hasNext: (() => boolean) | undefined,
): Promise<AttemptResult> {
  const { option, key } = choice
  const route = option.route()
  const ending = new Cancellation()
  exchange.candidate = option
  exchange.upstreamKey = key
  exchange.route = route
  exchange.dropped = route.translation?.dropped ?? route.passed?.dropped ?? []
  exchange.abortBy(ending)
  exchange.mayBill = false
  let call: UpstreamCall
  try {
    const destination = { ...option, route, key }
    const coming = buildCall(exchange, body, destination, ending, parts.bodyThread)
    call = coming instanceof Promise ? await coming : coming
  } catch (error) {
    if (!ending.aborted) throw error
    return neverSent
  }
  // A client that is gone by now pays nothing: nothing was sent.
  if (exchange.interruption !== undefined) return neverSent
  const sent = new SentCall(parts, { exchange, body }, choice, ending, hasNext)
  exchange.mayBill = exchange.operation.charged
  try {
    const response = await parts.outbound(call, sent)
    if (!sent.headCame(response)) return await sent.notOk(response)
    const read = body.facts.stream
      ? await beginStream(sent, response)
      : understand(sent, response, await readBody(sent, response))
    return sent.answered(read)
  } catch (error) {
    return sent.failed({ name: sent.classify(error), status: sent.status })
  }
}

const neverSent: AttemptResult = { ok: false, failure: { name: 'connection_lost', status: null } }
