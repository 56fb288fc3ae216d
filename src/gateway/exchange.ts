import type { Candidate, Group, Offer } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import { createRequestId } from '../lib/ids.ts'
import type { Usage } from '../protocols/canonical/usage.ts'
import type { Framing, Operation, Protocol } from '../protocols/protocol.ts'
import type { Fault } from '../store/ports/availability.ts'
import type { AttemptRow } from '../store/ports/records.ts'
import type { Caller } from './admit/authenticate.ts'
import type { Gatekeeper, ModelCall } from './admit/gatekeeper.ts'
import type { Route } from './admit/options.ts'
import type { Places } from './admit/places.ts'
import type { Plan } from './admit/plan.ts'
import type { BodyFacts } from './body/body.ts'
import type { Choice } from './channels/chooser.ts'
import { type GatewayError, stopping } from './errors.ts'
import type { Interruption } from './failures/failures.ts'
import type { Permit } from './limits/limiter.ts'
import type { Lease, MemoryBudget } from './memory/memory-budget.ts'
import type { Keeping } from './own-responses/continue.ts'

/** What an exchange is made with, and what it gives back at its end. */
interface ExchangeParts {
  readonly clock: Clock
  readonly tick: Clock
  readonly gatekeeper: Pick<Gatekeeper, 'address'>
  readonly places: Pick<Places, 'leave'>
  readonly memory: Pick<MemoryBudget, 'end'>
}

const noRefusal = () => {}

/**
 * One model request: what its steps have found, and how it ends. `…Tick`: monotonic milliseconds.
 */
export class Exchange {
  readonly requestId = createRequestId()
  readonly protocol: Protocol
  readonly operation: Operation
  readonly request: Request
  readonly framing: Framing
  readonly startedAt: number
  readonly startedTick: number
  readonly attempts: AttemptRow[] = []

  // Found by `admit`.
  caller: Caller | undefined
  /** As the client wrote it. */
  model: string | undefined
  facts: BodyFacts | undefined
  plan: Plan | undefined
  keeping: Keeping | undefined
  /** Undefined for what is not charged, and until it is reserved. */
  reservation: ExchangeReservation | undefined

  // Of the attempt that is made, or was made last.
  candidate: Candidate | undefined
  upstreamKey: string | undefined
  route: Route | undefined
  dropped: readonly string[] = []
  /** Who is to blame when it fails. */
  fault: Fault | undefined
  /** The upstream was asked, and has not failed in a way that costs nothing: its input is owed. */
  isOwed = false

  /** When the first byte of the answer was ready for the client. */
  firstByteTick: number | undefined
  usedLlmTokens = 0
  /** What it is charged for, once that is settled. */
  usage: Usage | undefined
  /** What it costs is stored, or kept until it can be: nothing that comes later is its record. */
  isCharged = false

  // Held until its end.
  /** Whether it has one of the places of requests under way: strangers' requests have none. */
  hasPlace = false
  /** Its part of the memory; undefined until its caller is known. */
  lease: Lease | undefined
  /** Its place within the limits of token, account and group. */
  permit: Permit | undefined
  /** Its place on the channel that is asked, or whose answer is relayed. */
  choice: Choice | undefined

  /** What has ended it from outside: see `interrupt`. */
  interruption: Interruption | undefined
  /** Its reservation was refused: the upstream call was ended for that. */
  isDenied = false
  onEnding: (() => void) | undefined

  readonly #call: ModelCall
  readonly #parts: ExchangeParts
  readonly #active: Set<Exchange>
  #controller: AbortController | undefined
  #abortReason: unknown
  #refuseAdmission: ((error: GatewayError) => void) | undefined

  /** Adds itself to those under way, until its end. */
  constructor(call: ModelCall, parts: ExchangeParts, active: Set<Exchange>) {
    this.protocol = call.protocol
    this.operation = call.operation
    this.request = call.request
    this.framing = call.framing
    this.model = call.model
    this.startedAt = parts.clock()
    this.startedTick = parts.tick()
    this.#call = call
    this.#parts = parts
    this.#active = active
    active.add(this)
    // Also behind its settlement: an upstream may be slow to close, and nobody waits for that then.
    call.request.signal.addEventListener('abort', this, { once: true })
  }

  /** Where it comes from, by what trusted proxies say. */
  address(): string {
    return this.#parts.gatekeeper.address(this.#call)
  }

  /** What the client says of its library, for streams: not all of them read the same. */
  get library(): string {
    const { headers } = this.request
    return `${headers.get('x-goog-api-client') ?? ''} ${headers.get('user-agent') ?? ''}`.trim()
  }

  handleEvent(): void {
    this.interrupt('client_left')
  }

  /**
   * Ends it from outside; a stop of the process outweighs a client's leaving. The upstream call is
   * ended at once unless what it may cost would be lost by that.
   */
  interrupt(interruption: Interruption): void {
    if (interruption === 'shutdown') this.interruption = interruption
    else this.interruption ??= interruption
    if (interruption === 'shutdown' || !this.isOwed) this.abort()
    this.notifyEnding()
  }

  notifyEnding(): void {
    this.#refuseAdmission?.(stopping())
    this.onEnding?.()
  }

  /** What comes of its admission; rejects when it is interrupted or refused meanwhile. */
  admission<Result>(): PromiseWithResolvers<Result> {
    const admission = Promise.withResolvers<Result>()
    this.#refuseAdmission = admission.reject
    return admission
  }

  /** Ends its admission with this error. */
  get refuseAdmission(): (error: GatewayError) => void {
    return this.#refuseAdmission ?? noRefusal
  }

  /** From now on `abort` ends this: a call to an upstream, or waiting for a channel. */
  abortBy(controller: AbortController, reason?: unknown): void {
    this.#controller = controller
    this.#abortReason = reason
  }

  abort(): void {
    this.#controller?.abort(this.#abortReason)
  }

  /** Nobody pays for it: the upstream call ends at once. */
  abortDenied(): void {
    this.isDenied = true
    this.abort()
  }

  /** It is over: gives back all that it holds. Harmless when repeated. */
  end(): void {
    if (!this.#active.delete(this)) return
    if (this.hasPlace) this.#parts.places.leave()
    if (this.lease) this.#parts.memory.end(this.lease)
    this.permit?.used(this.usedLlmTokens)
    this.permit?.release()
    this.choice?.ended(this.usedLlmTokens)
  }
}

/** The money reserved for an exchange. */
export interface ExchangeReservation {
  readonly written: () => Promise<void>
  readonly inputTokens: number
  readonly outputTokens: number
  /** What is known of the answers that it continues: input beside what its body shows. */
  readonly continuedTokens?: number | undefined
  /** The answer can't cost more than what is reserved. */
  readonly isEnough: boolean
  /** What it was reckoned to come to at the most, in nano-USD. */
  readonly reckonedNano: number
}

/** What of a plan a record and a charge are made from: plain data. */
export interface ChargedPlan {
  readonly group: Pick<Group, 'id' | 'name' | 'multiplierMillionths' | 'longContextPricing'>
  readonly offer: Pick<Offer, 'model' | 'contextWindow'> & {
    readonly price: Pick<Offer['price'], 'id' | 'terms'>
  }
}

/** What of an exchange its record and charge are made from. */
export type Concluded = {
  readonly plan: ChargedPlan | undefined
  readonly keeping?: Keeping | undefined
  usage?: Usage | undefined
  /** Absent: nobody asks for it from outside. */
  readonly address?: () => string
} & Pick<
  Exchange,
  | 'requestId'
  | 'protocol'
  | 'operation'
  | 'startedAt'
  | 'startedTick'
  | 'attempts'
  | 'caller'
  | 'model'
  | 'facts'
  | 'reservation'
  | 'candidate'
  | 'upstreamKey'
  | 'route'
  | 'fault'
  | 'firstByteTick'
  | 'usedLlmTokens'
  | 'isCharged'
  | 'interruption'
>
