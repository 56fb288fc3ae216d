import type { Channel } from '../../catalog/catalog.ts'
import type { Cancellation } from '../../lib/cancellation.ts'
import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/failure.ts'
import type { Logger } from '../../lib/log.ts'
import { toJsonText } from '../../protocols/canonical/json-text.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import type { Route } from '../admit/options.ts'
import type { Origins } from '../admit/origins.ts'
import type { RequestBody } from '../body/body.ts'
import type { Choice } from '../channels/chooser.ts'
import type { Exchange } from '../exchange.ts'
import {
  type AttemptCause,
  classifyAnswer,
  classifyFailure,
  type Failure,
  type FailureName,
  failureClasses,
} from '../failures/failures.ts'
import { waitFor } from '../failures/retry-after.ts'
import {
  type BodyMemory,
  LeasedMemory,
  type MemoryBudget,
  slowReaderCost,
} from '../memory/memory-budget.ts'
import type { OutboundAnswer, ReaderMemory } from '../outbound/round-trip.ts'
import type { Answer, StreamAnswer } from './answer.ts'
import type { FailureObserver, FormTask, Undeliverable, Unusable } from './other-form.ts'
import {
  type BegunStream,
  type ReadAnswer,
  readRefusal,
  translateRefusal,
} from './upstream-answer.ts'
import type { Expiry, Watch, Watchdog } from './watchdog.ts'

/** The result of one attempt: an answer to relay, or a failure to decide on. */
export type AttemptResult =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure }

export interface SentCallParts {
  readonly clock: Clock
  readonly tick: Clock
  /** Called at the end of every attempt, with its failure's class. */
  readonly onAttempt: (channel: Channel, cause: AttemptCause | null) => void
  readonly watchdog: Watchdog
  readonly memory: MemoryBudget
  readonly memoryWaitMs: () => number
  readonly log: Logger
  readonly origins: Pick<Origins, 'keyMark'>
}

/** Slow readers leave this part of the budget to new requests. */
const reservedForOthers = 1 / 4

/** A call that is sent: from here on its time counts as the upstream's. */
export class SentCall implements FormTask, ReaderMemory {
  readonly exchange: Exchange
  readonly body: RequestBody
  readonly route: Route
  readonly watch: Watch
  /** Whether another channel can be tried after a failure; undefined: this is the last, and its error is passed on. */
  readonly hasNext: (() => boolean) | undefined
  readonly #parts: SentCallParts
  readonly #choice: Choice
  readonly #ending: Cancellation
  readonly #startedAt: number
  readonly #startedTick: number
  /** Of the answer; undefined before it is here. */
  #head: Pick<OutboundAnswer, 'status' | 'headers'> | undefined
  #firstByteMs: number | null = null
  #expiry: Expiry | undefined
  #isFinished = false
  /** Leased memory for a client that is slow to read. */
  #heldBytes = 0

  constructor(
    parts: SentCallParts,
    { exchange, body }: Pick<FormTask, 'exchange' | 'body'>,
    choice: Choice,
    ending: Cancellation,
    hasNext: (() => boolean) | undefined,
  ) {
    this.exchange = exchange
    this.body = body
    this.route = choice.option.route()
    this.hasNext = hasNext
    this.#parts = parts
    this.#choice = choice
    this.#ending = ending
    this.#startedAt = parts.clock()
    this.#startedTick = parts.tick()
    this.watch = parts.watchdog.watch(choice.option.channel.timeouts, (expiry) => {
      this.#expiry = expiry
      ending.abort()
      exchange.notifyInterrupted()
    })
  }

  get status(): number | null {
    return this.#head?.status ?? null
  }

  /** A whole answer is held until the client has it: a paid one goes before new requests. */
  get memory(): BodyMemory | undefined {
    const { memory, memoryWaitMs } = this.#parts
    const { lease } = this.exchange
    const waiting = { waitMs: memoryWaitMs(), signal: this.#ending, isAhead: true }
    return lease && new LeasedMemory(memory, lease, waiting)
  }

  /** Handles the head of the answer; true if it is a success. */
  headCame(response: OutboundAnswer): boolean {
    this.#head = response
    return response.ok
  }

  /** The first bytes are here: returns their time in milliseconds. Only the first call counts. */
  firstBytesCame(): number {
    this.#firstByteMs ??= this.#elapsedMs()
    return this.#firstByteMs
  }

  answered(read: ReadAnswer): AttemptResult {
    if (read.kind === 'undeliverable') return this.#undeliverable(read)
    if (read.kind === 'unusable') return this.#unusable(read)
    const failed = read.kind === 'body' ? read.observer.failure() : undefined
    if (failed !== undefined) this.#blame(failed, read.observer)
    else if (isCount(this.route)) this.#choice.withoutVerdict()
    else this.#choice.succeeded(this.firstBytesCame())
    if (read.kind === 'stream') return { ok: true, answer: this.#stream(read) }
    this.#finish(failed ? 'upstream_error' : null, read.observer.seen.usageRaw)
    return { ok: true, answer: read }
  }

  /** The status of a failure, or of a refusal. */
  async notOk(response: OutboundAnswer): Promise<AttemptResult> {
    this.firstBytesCame()
    const { channel, upstreamModel } = this.#choice.option
    const { status } = response
    const { refusal, value } = await readRefusal(response, channel)
    const answer = refusal && translateRefusal(refusal, this.exchange, this.route)
    const name = classifyAnswer(this.route.protocol.name, status, value, upstreamModel)
    if (name !== undefined) {
      const failure = this.#failureOf(name, value)
      return this.failed(
        answer && name === 'model_unavailable' ? { ...failure, refusal: answer } : failure,
      )
    }
    // Not JSON: not the vendor's API, so the channel is wrong.
    if (answer === undefined) return this.failed({ name: 'upstream_invalid', status })
    this.#choice.withoutVerdict()
    this.#finish('client_fault')
    return { ok: true, answer }
  }

  failed(failure: Failure, usageRaw?: unknown): AttemptResult {
    const isOurAbort = this.#isOurAbort()
    this.#ending.abort()
    if (!isOurAbort) {
      if (!mayHaveWorked(failure)) this.exchange.mayBill = false
      if (countsForChannel(this.route, failure)) this.#choice.failed(failure)
      else this.#choice.withoutVerdict()
    }
    this.#finish(failure.name, usageRaw)
    return { ok: false, failure }
  }

  classify(error: unknown): FailureName {
    const { isDenied, interruption = null, requestId } = this.exchange
    const name = this.#expiry ? (`timeout_${this.#expiry}` as const) : classifyFailure(error)
    if (this.#isOurAbort()) this.#finish(isDenied ? 'abandoned' : interruption)
    else if (this.#expiry === undefined) {
      this.#parts.log.warn('attempt failed', {
        request_id: requestId,
        channel: this.#choice.option.channel.name,
        cause: name,
        error: messageOf(error),
      })
    }
    return name
  }

  // Memory for reading ahead of a slow client.

  hold(): boolean {
    const { memory } = this.#parts
    const { lease } = this.exchange
    if (lease === undefined || lease.isOver) return false
    const { wide, narrow } = slowReaderCost
    const isWide = memory.tryHold(lease, wide)
    if (isWide) this.#heldBytes = wide
    else if (memory.tryTake(lease, narrow)) this.#heldBytes = narrow
    return isWide
  }

  release(): void {
    const { lease } = this.exchange
    if (lease && this.#heldBytes > 0) this.#parts.memory.give(lease, this.#heldBytes)
    this.#heldBytes = 0
  }

  isShort(): boolean {
    const { memory } = this.#parts
    return this.#heldBytes === 0 || memory.isShort(memory.totalBytes * reservedForOthers)
  }

  #undeliverable(read: Undeliverable): AttemptResult {
    const { usageRaw } = read.observer.seen
    // A free request may simply be repeated.
    if (!this.exchange.operation.charged) {
      const failure = read.memoryError ? 'gateway_exhausted' : 'upstream_invalid'
      return this.#unusable({ kind: 'unusable', failure, usageRaw })
    }
    const isUsable = read.unfit !== undefined || read.memoryError !== undefined
    if (isUsable) {
      // The channel has answered; clients must not be able to make it look broken.
      this.exchange.fault = read.memoryError ? 'gateway' : 'client'
      this.#choice.succeeded(this.firstBytesCame())
    } else this.#blame('upstream_invalid', read.observer)
    this.#finish(isUsable ? null : 'upstream_invalid', usageRaw)
    return { ok: true, answer: read }
  }

  #unusable({ broken, failure, errorValue, usageRaw }: Unusable): AttemptResult {
    const { status } = this
    return broken === undefined
      ? this.failed(this.#failureOf(failure, errorValue), usageRaw)
      : this.failed({ name: this.classify(broken), status }, usageRaw)
  }

  #stream(read: BegunStream): StreamAnswer {
    const { observer } = read
    const finish = (cause: AttemptCause | null) => {
      const broken = brokenBy(observer, cause, this.#expiry)
      if (broken !== undefined) this.#blame(broken, observer)
      this.#finish(cause, observer.seen.usageRaw)
    }
    const signal = this.#ending
    return { ...read, watch: this.watch, signal, expiry: () => this.#expiry, finish }
  }

  /** Reports a failed answer that the client gets all the same. */
  #blame(name: FailureName, observer: FailureObserver): void {
    this.exchange.fault = failureClasses[name].fault
    if (this.#isOurAbort()) return
    const failure = this.#failureOf(name, observer.errorValue())
    if (countsForChannel(this.route, failure)) this.#choice.broke(failure)
    else this.#choice.withoutVerdict()
  }

  #failureOf(name: FailureName, error: JsonObject | undefined): Failure {
    const headers = this.#head?.headers ?? new Headers()
    const retryAfterMs = waitFor(name, headers, error, this.#parts.clock())
    return { name, status: this.status, retryAfterMs }
  }

  /** The gateway or the client ended it: not the channel's fault. */
  #isOurAbort(): boolean {
    const isEnded = this.#ending.aborted && this.#expiry === undefined
    return this.exchange.isDenied || isEnded
  }

  /** Writes the attempt's row, once. */
  #finish(cause: AttemptCause | null, usageRaw?: unknown): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.watch.stop()
    const { key, option } = this.#choice
    const { channel } = option
    const headers = this.#head?.headers
    this.#parts.onAttempt(channel, cause)
    this.exchange.attempts.push({
      channelId: channel.id,
      startedAt: this.#startedAt,
      status: this.status,
      cause,
      firstByteMs: this.#firstByteMs,
      durationMs: this.#elapsedMs(),
      upstreamRequestId:
        headers?.get('x-request-id') ??
        headers?.get('request-id') ??
        headers?.get('apim-request-id') ??
        null,
      usageRaw: toJsonText(usageRaw) ?? null,
      keyMark: this.#parts.origins.keyMark(key),
    })
  }

  #elapsedMs(): number {
    return Math.round(this.#parts.tick() - this.#startedTick)
  }
}

/** Whether a failed upstream may bill all the same: it was silent, or broke off behind a 200. */
function mayHaveWorked({ name, status }: Failure): boolean {
  if (status !== null && status >= 300) return false
  if (name === 'connection_lost') return status !== null
  return name === 'timeout_first_byte' || name === 'timeout_idle' || name === 'timeout_total'
}

const isCount = ({ protocol, operation }: Route) => operation === protocol.counting

/** Whether a failure would also affect a request for an answer on this channel. */
function countsForChannel(route: Route, { name, status }: Failure): boolean {
  const { fault, cools } = failureClasses[name]
  if (fault === 'client') return false
  if (route.operation === route.protocol.generation) return true
  // Counts have limits of their own at the vendors, and many upstreams lack the endpoint.
  if (isCount(route)) return cools?.scope === 'channel'
  return status !== 404 && status !== 405
}

/** The upstream's failure in a begun stream; undefined: none, or not its fault. */
function brokenBy(
  observer: FailureObserver,
  cause: string | null,
  expiry: Expiry | undefined,
): FailureName | undefined {
  if (cause === null) return undefined
  if (expiry !== undefined) return `timeout_${expiry}`
  if (cause === 'upstream_invalid') return cause
  if (cause !== 'upstream_error') return undefined
  return observer.failure() ?? 'connection_lost'
}
