import type { Candidate, Group, Offer } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import { createRequestId } from '../lib/ids.ts'
import type { Listed, Roster } from '../lib/roster.ts'
import type { Usage } from '../protocols/canonical/usage.ts'
import type { Framing, Operation, Protocol } from '../protocols/protocol.ts'
import type { Fault } from '../store/ports/availability.ts'
import type { AttemptRow, StateThen } from '../store/ports/records.ts'
import type { Caller } from './admit/authenticate.ts'
import type { Gatekeeper, ModelCall } from './admit/gatekeeper.ts'
import type { Route } from './admit/options.ts'
import type { Plan } from './admit/plan.ts'
import type { RequestSlots } from './admit/request-slots.ts'
import type { BodyFacts } from './body/body.ts'
import type { Choice } from './channels/chooser.ts'
import { usualSilenceSeconds } from './context.ts'
import { endedOutside, type GatewayError } from './errors.ts'
import type { Interruption } from './failures/failures.ts'
import type { Permit } from './limits/limiter.ts'
import type { Lease, MemoryBudget } from './memory/memory-budget.ts'
import type { Keeping } from './own-responses/continue.ts'

interface ExchangeParts {
  readonly clock: Clock
  readonly tick: Clock
  readonly gatekeeper: Pick<Gatekeeper, 'address'>
  readonly slots: Pick<RequestSlots, 'release'>
  readonly memory: Pick<MemoryBudget, 'end'>
}

const noRefusal = () => {}

/** One model request: its steps' results, and its end. `…Tick`: monotonic milliseconds. */
export class Exchange implements Listed {
  readonly requestId = createRequestId()
  readonly protocol: Protocol
  readonly operation: Operation
  readonly request: Request
  readonly framing: Framing
  readonly startedAt: number
  readonly startedTick: number
  readonly attempts: AttemptRow[] = []
  place = -1

  // Set by `admit`.
  caller: Caller | undefined
  model: string | undefined
  facts: BodyFacts | undefined
  plan: Plan | undefined
  keeping: Keeping | undefined
  reservation: ExchangeReservation | undefined
  /** Where the money does not suffice: the least that it could cost, in nano-USD. */
  neededNano: number | undefined

  // Of the present or the last attempt.
  candidate: Candidate | undefined
  upstreamKey: string | undefined
  route: Route | undefined
  dropped: readonly string[] = []
  fault: Fault | undefined
  /** When no channel has answered: what of them cooled down before it came. */
  coolings: StateThen['cooling']
  /** The upstream was called and may bill: a client that leaves now is charged. */
  mayBill = false

  answeredTick: number | undefined
  usedLlmTokens = 0
  usage: Usage | undefined
  /** Its charge is stored, or kept until it can be: nothing later is its record. */
  isCharged = false

  // Held until its end.
  /** It holds a request slot: requests without a known key do not. */
  hasSlot = false
  lease: Lease | undefined
  permit: Permit | undefined
  choice: Choice | undefined

  interruption: Interruption | undefined
  /** Its reservation was refused, which ended the upstream call. */
  isDenied = false
  onInterrupted: (() => void) | undefined
  refuseAdmission: (error: GatewayError) => void = noRefusal

  readonly #call: ModelCall
  readonly #parts: ExchangeParts
  readonly #active: Roster<Exchange>
  #ending: Pick<AbortController, 'abort'> | undefined
  #abortReason: unknown

  constructor(call: ModelCall, parts: ExchangeParts, active: Roster<Exchange>) {
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
    // It stays after the settlement: a client that disconnects then ends an upstream slow to close.
    call.request.signal.addEventListener('abort', this, { once: true })
  }

  address(): string {
    return this.#parts.gatekeeper.address(this.#call)
  }

  /** The client's library: not all of them read streams alike. */
  get library(): string {
    const { headers } = this.request
    return `${headers.get('x-goog-api-client') ?? ''} ${headers.get('user-agent') ?? ''}`.trim()
  }

  handleEvent(): void {
    this.interrupt('client_left')
  }

  /**
   * Ends it from outside. The upstream call ends now at a shutdown, or if nothing is billed; else a relay decides
   * by `onInterrupted`. Before there is one, the call goes on.
   */
  interrupt(interruption: Interruption): void {
    if (interruption === 'shutdown') this.interruption = interruption
    else this.interruption ??= interruption
    if (interruption === 'shutdown' || !this.mayBill) this.abort()
    this.notifyInterrupted()
  }

  /** It is interrupted, or a time limit of its upstream is over. */
  notifyInterrupted(): void {
    this.refuseAdmission(endedOutside())
    this.onInterrupted?.()
  }

  /** Its admission; rejects when it is interrupted or refused meanwhile. */
  admission<Result>(): PromiseWithResolvers<Result> {
    const admission = Promise.withResolvers<Result>()
    this.refuseAdmission = admission.reject
    return admission
  }

  /** From now on `abort` ends this: an upstream call, or the wait for a channel. */
  abortBy(ending: Pick<AbortController, 'abort'>, reason?: unknown): void {
    this.#ending = ending
    this.#abortReason = reason
  }

  abort(): void {
    this.#ending?.abort(this.#abortReason)
  }

  /** It is not paid for: the upstream call ends at once. */
  abortDenied(): void {
    this.isDenied = true
    this.abort()
  }

  /** Its answer has been sent: the connection may be silent for as long as any. */
  limitSilence(): void {
    if (!this.request.signal.aborted) this.#call.limitSilence(usualSilenceSeconds)
  }

  /** Releases all that it holds; a stream's at its settlement, before the last bytes leave. Idempotent. */
  releaseAll(): void {
    if (!this.#active.delete(this)) return
    if (this.hasSlot) this.#parts.slots.release()
    if (this.lease) this.#parts.memory.end(this.lease)
    this.permit?.used(this.usedLlmTokens)
    this.permit?.release()
    this.choice?.ended(this.usedLlmTokens)
  }
}

/** What a translated answer, or an error within a stream, repeats of its request. */
export const answerHead = ({ requestId, model = '', startedAt }: Exchange) => ({
  requestId,
  model,
  createdAt: Math.floor(startedAt / 1_000),
})

export interface ExchangeReservation {
  readonly ensureStored: () => Promise<void>
  readonly inputTokens: number
  readonly outputTokens: number
  /** LLM tokens of the answers it continues, which its body does not show. */
  readonly continuedTokens?: number | undefined
  /** The answer can't cost more than the reservation. */
  readonly isEnough: boolean
  readonly boundNano: number
}

/** The part of a plan that records and charges are made from: plain data. */
export interface ChargedPlan {
  readonly group: Pick<Group, 'id' | 'name' | 'multiplierMillionths' | 'longContextPricing'>
  readonly offer: Pick<Offer, 'model' | 'contextWindow'> & {
    readonly price: Pick<Offer['price'], 'id' | 'terms'>
  }
}

/** The part of an exchange that its record and charge are made from. */
export type Concluded = {
  readonly plan: ChargedPlan | undefined
  readonly keeping?: Keeping | undefined
  usage?: Usage | undefined
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
  | 'neededNano'
  | 'candidate'
  | 'upstreamKey'
  | 'route'
  | 'fault'
  | 'coolings'
  | 'answeredTick'
  | 'usedLlmTokens'
  | 'isCharged'
  | 'interruption'
>
