import type { Channel } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import { emptyUsage } from '../../protocols/canonical/usage.ts'
import { noMedia } from '../../protocols/request-content.ts'
import { responses } from '../../protocols/responses/index.ts'
import type { BackgroundAnswer, HeldAnswer } from '../../store/ports/answers.ts'
import { idsOf } from '../admit/origins.ts'
import type { BodyFacts } from '../body/body.ts'
import type { Concluded } from '../exchange.ts'
import { sampleOf } from '../money/estimate.ts'
import {
  answeredEnd,
  buildSettlement,
  type End,
  type Payer,
  reservedTokens,
  type UsedTokens,
  usedTokens,
} from '../money/record.ts'
import { llmTokens, type SettleParts, warnOfClamp } from '../money/settle.ts'
import { bodyEnd } from '../relay/whole-end.ts'
import { logExchange } from '../request-log.ts'
import type { PendingCharge } from './pending-charge.ts'

export interface ChargeParts
  extends Pick<
    SettleParts,
    'origins' | 'committer' | 'countTokens' | 'reservations' | 'tick' | 'log'
  > {
  readonly clock: Clock
}

/** Why the usage of a background answer will never be known. */
type Loss = 'forgotten' | 'endless'

const lossTexts: Readonly<Record<Loss, string>> = {
  forgotten: 'The upstream no longer has the answer that it made in the background.',
  endless: 'The answer that was made in the background did not end in time.',
}

/** Charges an answer once, by its final form and the price of its request. */
export async function chargeEnded(
  parts: ChargeParts,
  answer: BackgroundAnswer,
  channel: Channel,
  seen: Observation,
): Promise<void> {
  const exchange = concluded(parts, answer, channel)
  const used = await usedTokens(exchange, seen, parts.countTokens)
  await charge(parts, answer, exchange, bodyEnd(exchange, seen), used, seen)
}

/** Charges the reservation of an answer whose usage is unknown, marked as estimated. */
export async function chargeLost(
  parts: ChargeParts,
  answer: HeldAnswer,
  channel: Channel | undefined,
  loss: Loss,
): Promise<void> {
  const { inputTokens, outputTokens, calls } = chargeOf(answer)
  const usage = { ...emptyUsage, inputTokens, outputTokens }
  const exchange = concluded(parts, answer, channel)
  const least = { usage, calls, estimated: true, clamped: false }
  const used = reservedTokens(exchange, least, answer.amountNano)
  const causeText = `${lossTexts[loss]} The amount reserved for it is charged.`
  await charge(parts, answer, exchange, answeredEnd('cut', 'background_lost', causeText), used)
}

async function charge(
  parts: ChargeParts,
  answer: BackgroundAnswer,
  exchange: Concluded,
  end: End,
  used: UsedTokens,
  seen?: Observation,
): Promise<void> {
  const { origins, committer, reservations, tick, log } = parts
  const { accountId, tokenId, answerId, channelId, keyMark, createdAt } = answer
  const groupId = exchange.plan?.group.id ?? 0
  const payer: Payer = { account: { id: accountId }, token: { id: tokenId, groupId } }
  const settlement = buildSettlement(exchange, payer, end, used, seen, tick())
  if (used.clamped) warnOfClamp(parts, exchange, settlement)
  const ids = idsOf(answerId, seen?.partIds ?? [])
  const contextTokens = llmTokens(used)
  const row = { accountId, channelId, keyMark, contextTokens, createdAt }
  const kept = ids.map((id) => ({ id, ...row }))
  // A charge by reservation says nothing about the actual cost.
  const { reckonedNano } = seen ? chargeOf(answer) : {}
  const overrun = reservations.overrunOf(settlement.request, reckonedNano)
  await committer.settle({ ...settlement, kept, endsBackground: true, ...(overrun && { overrun }) })
  const keys = exchange.candidate?.channel.keys ?? []
  const key = keys.find((one) => origins.keyMark(one) === keyMark) ?? ''
  for (const id of ids) origins.remember(accountId, id, { channelId, key, contextTokens })
  logExchange(log, exchange, end, settlement.request, tick())
}

const chargeOf = ({ charge }: BackgroundAnswer): PendingCharge => JSON.parse(charge)

function concluded(
  { clock, tick }: ChargeParts,
  answer: BackgroundAnswer,
  channel: Channel | undefined,
): Concluded {
  const pending = chargeOf(answer)
  const { startedAt, firstByteMs, model, upstreamModel = model ?? '', plan } = pending
  const operation = responses.generation
  const startedTick = tick() - (clock() - startedAt)
  return {
    requestId: answer.requestId,
    protocol: responses,
    operation,
    model,
    plan,
    startedAt,
    startedTick,
    caller: undefined,
    upstreamKey: undefined,
    candidate: channel && { channel, upstreamModel },
    route: { protocol: responses, operation, framing: 'sse', translation: undefined },
    answeredTick: firstByteMs === null ? undefined : startedTick + firstByteMs,
    facts: factsOf(pending),
    attempts: [],
    usedLlmTokens: 0,
    fault: undefined,
    interruption: undefined,
    isCharged: false,
    reservation: undefined,
    neededNano: undefined,
    coolings: undefined,
  }
}

/** The request itself is gone: the input of its reservation stands for it. */
const factsOf = ({ model, stream, calls, inputTokens, untold }: PendingCharge): BodyFacts => ({
  model,
  stream,
  calls,
  continues: [],
  amend: {},
  answers: 1,
  maxOutputTokens: null,
  takesTurns: true,
  turns: 1,
  hasUnseenInput: true,
  extras: untold && { ...untold, outputs: [], models: [], routing: [] },
  text: () => sampleOf(''),
  uncounted: () => 0,
  media: () => ({ ...noMedia, tokens: inputTokens }),
})
