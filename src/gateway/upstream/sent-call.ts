import type { Channel } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { toJsonText } from '../../protocols/canonical/json-text.ts'
import type { Route } from '../admit/options.ts'
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
import type { OutboundAnswer, ReadingRoom } from '../outbound/paced-call.ts'
import type { Expiry, Watch, Watchdog } from '../relay/watchdog.ts'
import type { Answer, Refusal, StreamAnswer } from './answer.ts'
import type { AskedForm, FailureObserver, Undeliverable, Unusable } from './other-form.ts'
import {
  type BegunStream,
  type ReadAnswer,
  type ReadingTask,
  readRefusal,
  translateRefusal,
} from './upstream-answer.ts'

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
}

/** Slow readers leave this part of the budget to new requests. */
const keptForOthers = 1 / 4

/** A call that is sent: from here on its time counts as the upstream's. */
export class SentCall implements ReadingRoom {
  /** Of the answer; null before its head is here. */
  status: number | null = null
  readonly #parts: SentCallParts
  readonly #exchange: Exchange
  readonly #choice: Choice
  readonly #route: Route
  readonly #controller: AbortController
  readonly #watch: Watch
  readonly #row: AttemptRow
  #expiry: Expiry | undefined
  /** Leased memory for a client that is slow to read. */
  #heldBytes = 0

  constructor(
    parts: SentCallParts,
    exchange: Exchange,
    choice: Choice,
    controller: AbortController,
  ) {
    const { channel } = choice.option
    this.#parts = parts
    this.#exchange = exchange
    this.#choice = choice
    this.#route = choice.option.route()
    this.#controller = controller
    this.#watch = parts.watchdog.watch(channel.timeouts, (which) => {
      this.#expiry = which
      controller.abort()
      exchange.notifyEnding()
    })
    this.#row = new AttemptRow(parts, exchange, channel, this.#watch)
  }

  /** Handles the head of the answer; true if it is a success. */
  began(response: OutboundAnswer): boolean {
    this.status = response.status
    this.#row.head(response)
    return response.ok
  }

  reading(other: AskedForm, hasNext: (() => boolean) | undefined): ReadingTask {
    const memory = this.#memory()
    return { route: this.#route, watch: this.#watch, other, hasNext, row: this.#row, memory }
  }

  /** The result of an answer that was read. */
  answered(response: OutboundAnswer, read: ReadAnswer): AttemptResult {
    if (read.kind === 'undeliverable') return this.#undeliverable(response, read)
    if (read.kind === 'unusable') return this.#unusable(response, read)
    if (read.kind === 'body') {
      const failed = read.observer.failure()
      if (failed !== undefined) this.#blame(failed, response, read.observer)
      else this.#choice.succeeded(isCount(this.#route) ? undefined : this.#row.begun())
      this.#row.finish(failed ? 'upstream_error' : null, read.observer.seen.usageRaw)
      return { ok: true, answer: read }
    }
    this.#choice.succeeded(this.#row.begun())
    return { ok: true, answer: this.#stream(response, read) }
  }

  failed(failure: Failure, usageRaw?: unknown): AttemptResult {
    const isOurAbort = this.#isOurAbort()
    this.#controller.abort()
    if (!isOurAbort && !mayHaveWorked(failure)) this.#exchange.mayBill = false
    if (!isOurAbort) {
      if (isTelling(this.#route, failure)) this.#choice.failed(failure)
      else this.#choice.succeeded()
    }
    this.#row.finish(failure.name, usageRaw)
    return { ok: false, failure }
  }

  /** A whole answer is held until the client has it: a paid one goes before new requests. */
  #memory(): BodyMemory | undefined {
    const { memory, memoryWaitMs } = this.#parts
    const { lease } = this.#exchange
    const { signal } = this.#controller
    const waiting = { waitMs: memoryWaitMs(), signal, isAhead: true }
    return lease && new LeasedMemory(memory, lease, waiting)
  }

  hold(): boolean {
    const { memory } = this.#parts
    const { lease } = this.#exchange
    if (lease === undefined || lease.isOver) return false
    const { wide, narrow } = slowReaderCost
    const isWide = memory.tryHold(lease, wide)
    if (isWide) this.#heldBytes = wide
    else if (memory.tryTake(lease, narrow)) this.#heldBytes = narrow
    return isWide
  }

  release(): void {
    const { lease } = this.#exchange
    if (lease && this.#heldBytes > 0) this.#parts.memory.give(lease, this.#heldBytes)
    this.#heldBytes = 0
  }

  isShort(): boolean {
    const { memory } = this.#parts
    return this.#heldBytes === 0 || memory.isShort(memory.totalBytes * keptForOthers)
  }

  classify(error: unknown): FailureName {
    const { isDenied, interruption = null, requestId } = this.#exchange
    const name = this.#expiry ? (`timeout_${this.#expiry}` as const) : classifyFailure(error)
    if (this.#isOurAbort()) this.#row.finish(isDenied ? 'abandoned' : interruption)
    else if (this.#expiry === undefined) {
      this.#parts.log.warn('attempt failed', {
        request_id: requestId,
        channel: this.#choice.option.channel.name,
        cause: name,
        error: error instanceof Error ? error.message : String(error),
      })
    }
    return name
  }

  /** The result of an answer that is no success. */
  async refused(response: OutboundAnswer): Promise<AttemptResult> {
    this.#row.begun()
    const asked = { choice: this.#choice, route: this.#route }
    const { failure, refusal } = await readRefused(this.#parts, this.#exchange, response, asked)
    if (failure) return this.failed(failure)
    this.#choice.succeeded()
    this.#row.finish('client_fault')
    return { ok: true, answer: refusal }
  }

  #undeliverable(response: OutboundAnswer, read: Undeliverable): AttemptResult {
    const { usageRaw } = read.observer.seen
    // A free request may simply be repeated.
    if (!this.#exchange.operation.charged) {
      const failure = read.refusal ? 'gateway_exhausted' : 'upstream_invalid'
      return this.#unusable(response, { kind: 'unusable', failure, usageRaw })
    }
    if (read.unfit || read.refusal) {
      // The channel has answered; clients must not be able to make it look broken.
      this.#exchange.fault = read.refusal ? 'gateway' : 'client'
      this.#choice.succeeded(this.#row.begun())
      this.#row.finish(null, usageRaw)
      return { ok: true, answer: read }
    }
    this.#blame('upstream_invalid', response, read.observer)
    this.#row.finish('upstream_invalid', usageRaw)
    return { ok: true, answer: read }
  }

  #unusable({ headers }: OutboundAnswer, read: Unusable): AttemptResult {
    const { status } = this
    if (read.error !== undefined) {
      return this.failed({ name: this.classify(read.error), status }, read.usageRaw)
    }
    const waitMs = waitFor(read.failure, headers, read.errorValue, this.#parts.clock())
    return this.failed(failureOf(read.failure, status, waitMs), read.usageRaw)
  }

  #stream(response: OutboundAnswer, read: BegunStream): StreamAnswer {
    const { observer } = read
    const finish = (cause: AttemptCause | null) => {
      const broken = brokenBy(observer, cause, this.#expiry)
      if (broken !== undefined) this.#blame(broken, response, observer)
      this.#row.finish(cause, observer.seen.usageRaw)
    }
    const { signal } = this.#controller
    return { ...read, watch: this.#watch, signal, expiry: () => this.#expiry, finish }
  }

  /** Reports a failed answer that the client gets all the same. */
  #blame(name: FailureName, { headers }: OutboundAnswer, observer: FailureObserver): void {
    this.#exchange.fault = failureClasses[name].fault
    if (this.#isOurAbort()) return
    const waitMs = waitFor(name, headers, observer.errorValue(), this.#parts.clock())
    const failure = failureOf(name, this.status, waitMs)
    if (isTelling(this.#route, failure)) this.#choice.broke(failure)
    else this.#choice.succeeded()
  }

  /** The gateway or the client ended it: not the channel's fault. */
  #isOurAbort(): boolean {
    const isEnded = this.#controller.signal.aborted && this.#expiry === undefined
    return this.#exchange.isDenied || isEnded
  }
}

const failureOf = (name: FailureName, status: number | null, waitMs?: number): Failure => ({
  name,
  status,
  ...(waitMs !== undefined && { retryAfterMs: waitMs }),
})

/** Whether a failed upstream may bill all the same: it was silent, or broke off behind a 200. */
function mayHaveWorked({ name, status }: Failure): boolean {
  if (status !== null && status >= 300) return false
  if (name === 'connection_lost') return status !== null
  return name === 'timeout_first_byte' || name === 'timeout_idle' || name === 'timeout_total'
}

const isCount = ({ protocol, operation }: Route) => operation === protocol.counting

/** Whether a failure would also affect a request for an answer on this channel. */
function isTelling(route: Route, { name, status }: Failure): boolean {
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

type Refused =
  | { readonly failure: Failure; readonly refusal?: undefined }
  | { readonly failure?: undefined; readonly refusal: Refusal }

async function readRefused(
  { clock }: SentCallParts,
  exchange: Exchange,
  response: OutboundAnswer,
  { choice, route }: { readonly choice: Choice; readonly route: Route },
): Promise<Refused> {
  const { channel, upstreamModel } = choice.option
  const { status, headers } = response
  const { refusal, value } = await readRefusal(response, channel)
  const translated = refusal && translateRefusal(refusal, exchange, route)
  const name = classifyAnswer(route.protocol.name, status, value, upstreamModel)
  // Not JSON: not the vendor's API, so the channel is wrong.
  if (name === undefined) {
    return translated ? { refusal: translated } : { failure: failureOf('upstream_invalid', status) }
  }
  const failure = failureOf(name, status, waitFor(name, headers, value, clock()))
  return {
    failure:
      translated && name === 'model_unavailable' ? { ...failure, refusal: translated } : failure,
  }
}

/** The row of a running attempt; written to the exchange at its end. */
class AttemptRow {
  readonly #parts: SentCallParts
  readonly #exchange: Exchange
  readonly #channel: Channel
  readonly #watch: Watch
  readonly #startedAt: number
  readonly #startedTick: number
  #status: number | null = null
  #upstreamRequestId: string | null = null
  #firstByteMs: number | null = null
  #isFinished = false

  constructor(parts: SentCallParts, exchange: Exchange, channel: Channel, watch: Watch) {
    this.#parts = parts
    this.#exchange = exchange
    this.#channel = channel
    this.#watch = watch
    this.#startedAt = parts.clock()
    this.#startedTick = parts.tick()
  }

  head({ status, headers }: OutboundAnswer): void {
    this.#status = status
    this.#upstreamRequestId =
      headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('apim-request-id')
  }

  /** The first bytes are here: returns their time in milliseconds. Only the first call counts. */
  begun(): number {
    this.#firstByteMs ??= this.#elapsedMs()
    return this.#firstByteMs
  }

  finish(cause: AttemptCause | null, usageRaw?: unknown): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#watch.stop()
    this.#parts.onAttempt(this.#channel, cause)
    this.#exchange.attempts.push({
      channelId: this.#channel.id,
      startedAt: this.#startedAt,
      status: this.#status,
      cause,
      firstByteMs: this.#firstByteMs,
      durationMs: this.#elapsedMs(),
      upstreamRequestId: this.#upstreamRequestId,
      usageRaw: toJsonText(usageRaw) ?? null,
    })
  }

  #elapsedMs(): number {
    return Math.round(this.#parts.tick() - this.#startedTick)
  }
}
