import type { Catalog, Channel } from '../../catalog/catalog.ts'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { parseJsonObject } from '../../protocols/json.ts'
import { responses } from '../../protocols/responses/index.ts'
import {
  type AnswerStore,
  type BackgroundAnswer,
  type HeldAnswer,
  longestLifeMs,
} from '../../store/ports/answers.ts'
import type { Origins } from '../admit/origins.ts'
import { shortName } from '../admit/plan.ts'
import { collectBytes } from '../body/bounded-bytes.ts'
import { GatewayError } from '../errors.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { storedCall } from '../serve/stored-responses.ts'
import { type ChargeParts, chargeEnded, chargeLost } from './charge-ended.ts'

interface BackgroundParts extends ChargeParts {
  readonly answers: Pick<AnswerStore, 'takeDue' | 'putOff' | 'pending' | 'sweep'>
  readonly origins: Origins
  readonly catalog: () => Catalog
  readonly outbound: Outbound
  readonly repeat?: Repeat | undefined
}

/** Charges answers that upstreams make in the background, whether or not they are fetched. */
export type Background = ReturnType<typeof createBackground>

/** An upstream may not know an answer immediately after starting it. */
const forgottenAfterMs = 60_000
const lookMs = 1_000
/** Batch size and lease of one look. */
const mostAtOnce = 50
const leaseMs = 120_000
/** One call takes no longer, so that it ends within its lease. */
const longestCallMs = 60_000
/** An answer is polled after a quarter of its age, within these bounds. */
const soonestMs = 2_000
const latestMs = 60_000
const sweepMs = 60_000
/** A larger answer is treated as invalid. */
const maxAnswerBytes = 256 * 1_048_576

const inProgress = (answerId: string) =>
  new GatewayError(
    'response_in_progress',
    `The response "${shortName(answerId)}" is still being made in the background, or can't be ` +
      'fetched at present. It can be deleted or continued when it has ended.',
  )

type Found = 'charged' | 'working' | 'gone' | 'unreachable'

export function createBackground(parts: BackgroundParts) {
  const { answers, origins, clock, log, repeat = repeatByTimer } = parts
  const stopping = new AbortController()
  let looking: Promise<void> | undefined
  let end = () => {}
  let sweepAt = 0

  async function chargeBy(
    answer: BackgroundAnswer,
    channel: Channel,
    body: unknown,
  ): Promise<Found> {
    const observer = responses.generation.createObserver()
    observer.pushBody(body)
    const { seen } = observer
    if (seen.foreign) return 'unreachable'
    if (seen.pending) return 'working'
    await chargeEnded(parts, answer, channel, seen)
    return 'charged'
  }

  async function ask(answer: BackgroundAnswer): Promise<Found> {
    const channel = parts.catalog().channels.get(answer.channelId)
    if (channel === undefined || !(responses.name in channel.speaks)) return 'unreachable'
    const key = channel.keys.find((one) => origins.keyMark(one) === answer.keyMark)
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(longestCallMs)])
    const call = storedCall({ channel, key, id: answer.answerId, method: 'GET', signal })
    const response = await parts.outbound(call)
    if (response.status === 404) {
      await response.body?.cancel()
      return 'gone'
    }
    const bytes = await collectBytes(response, maxAnswerBytes)
    const body = response.ok ? parseJsonObject(new TextDecoder().decode(bytes)) : undefined
    return body ? await chargeBy(answer, channel, body) : 'unreachable'
  }

  async function lookAt(answer: HeldAnswer): Promise<void> {
    const ageMs = clock() - answer.createdAt
    const found = await ask(answer).catch((error: unknown): Found => {
      log.warn('a background answer could not be fetched; it will be retried', {
        request_id: answer.requestId,
        error: String(error),
      })
      return 'unreachable'
    })
    if (found === 'charged') return
    // Another node, or the next process, need not wait until the lease ends.
    if (stopping.signal.aborted) return await answers.putOff(answer.requestId, 0)
    const isForgotten = found === 'gone' && ageMs >= forgottenAfterMs
    if (!isForgotten && ageMs < longestLifeMs) {
      const restMs = Math.min(latestMs, Math.max(soonestMs, Math.round(ageMs / 4)))
      return await answers.putOff(answer.requestId, restMs)
    }
    const channel = parts.catalog().channels.get(answer.channelId)
    await chargeLost(parts, answer, channel, isForgotten ? 'forgotten' : 'endless')
    log.warn('a background answer was charged by its reservation: its usage is unknown', {
      request_id: answer.requestId,
      found,
    })
  }

  async function sweep(): Promise<void> {
    if (clock() < sweepAt) return
    sweepAt = clock() + sweepMs
    if ((await answers.sweep()) > 0) sweepAt = clock()
  }

  async function look(): Promise<void> {
    try {
      await sweep()
      const due = await answers.takeDue(mostAtOnce, leaseMs)
      const ended = await Promise.allSettled(due.map(lookAt))
      for (const one of ended) if (one.status === 'rejected') throw one.reason
    } catch (error) {
      log.warn('background answers not polled', { error: String(error) })
    }
  }

  return {
    /** Charges an answer before it is deleted or continued; throws the 409 of an unfinished one. */
    async requireEnd(accountId: number, answerId: string): Promise<void> {
      const answer = await answers.pending(accountId, answerId)
      if (answer === undefined) {
        await origins.refresh(accountId, answerId)
        // Not stored yet: its client has just disconnected.
        if (origins.of(accountId, answerId)?.isPending) throw inProgress(answerId)
        return
      }
      const found = await ask(answer).catch((): Found => 'unreachable')
      if (found !== 'charged') throw inProgress(answerId)
    },
    /** Charges by a fetched answer, if that is its final form; returns the id of the charge. */
    async fetched(accountId: number, answerId: string, body: unknown): Promise<string | undefined> {
      const answer = await answers.pending(accountId, answerId)
      const channel = answer && parts.catalog().channels.get(answer.channelId)
      if (answer === undefined || channel === undefined) return undefined
      return (await chargeBy(answer, channel, body)) === 'charged' ? answer.requestId : undefined
    },
    start(): void {
      end = repeat(() => {
        looking ??= look().finally(() => {
          looking = undefined
        })
      }, lookMs)
    },
    async stop(): Promise<void> {
      end()
      stopping.abort()
      await looking
    },
  }
}
