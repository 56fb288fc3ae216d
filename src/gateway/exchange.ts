import type { Candidate, Group, Offer } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import { createRequestId } from '../lib/ids.ts'
import type { Usage } from '../protocols/canonical/usage.ts'
import type { Framing, Operation, Protocol } from '../protocols/protocol.ts'
import type { Fault } from '../store/ports/availability.ts'
import type { AttemptRow } from '../store/ports/records.ts'
import type { Caller } from './admit/authenticate.ts'
import type { Gatekeeper, ModelCall } from './admit/gatekeeper.ts'
import type { Option, Route } from './admit/options.ts'
import type { Plan } from './admit/plan.ts'
import type { BodyFacts } from './body/body.ts'
import type { Choice } from './channels/chooser.ts'
import type { GatewayError } from './errors.ts'
import type { Permit } from './limits/limiter.ts'
import type { Lease } from './memory/memory-budget.ts'
import type { Keeping } from './own-responses/continue.ts'
import type { Interruption } from './upstream/causes.ts'

/**
 * One model request on its way: filled step by step, and at its end turned into its record.
 * Times in `…Tick` are of the monotonic clock, in milliseconds.
 */
export interface Exchange {
  readonly requestId: string
  readonly protocol: Protocol
  readonly operation: Operation
  readonly request: Request
  readonly startedAt: number
  readonly startedTick: number
  /** Where it comes from; undefined: nobody asks for it from outside. */
  readonly address?: (() => string) | undefined
  /** How a streamed answer is cut into frames. */
  framing: Framing
  /** What the client says of its library, for streams: not all of them read the same. */
  readonly library: string
  caller: Caller | undefined
  /** As the client wrote it. */
  model: string | undefined
  facts: BodyFacts | undefined
  plan: Plan | undefined
  /** The channels that may answer. */
  options: readonly Option[]
  /** It counts as one of the requests that there may be at once: strangers' do not. */
  hasPlace: boolean
  /** What it has of the memory; undefined until its caller is known. */
  lease: Lease | undefined
  /** Its place within the limits of token, account and group. */
  permit: Permit | undefined
  /** It is looked up where its conversation is at home; undefined: that is known. Never rejects. */
  looking: Promise<void> | undefined
  /** Its place on the channel that is asked, or whose answer is relayed. */
  choice: Choice | undefined
  /** Of a request for a response: what becomes of the answer, should it be translated. */
  keeping: Keeping | undefined
  /** LLM tokens that it has used, as far as is known. */
  usedLlmTokens: number
  /** What it is charged for, once that is settled. */
  usage?: Usage
  /** Who is to blame when it fails. */
  fault: Fault | undefined
  /** Undefined for what is not charged, and until it is set aside. */
  reservation: ExchangeReservation | undefined
  /** The channel whose answer is being relayed, or that was tried last. */
  candidate: Candidate | undefined
  /** The one of its keys that was used. */
  upstreamKey: string | undefined
  /** In which protocol that channel is asked. */
  route: Route | undefined
  /** What of the request does not reach the upstream, as the client wrote it. */
  dropped: readonly string[]
  readonly attempts: AttemptRow[]
  /** When the first byte of the answer was ready for the client. */
  firstByteTick: number | undefined
  interruption: Interruption | undefined
  /** An upstream was asked, and has not failed in a way that costs nothing: its input is owed. */
  isOwed: boolean
  /** What it costs is stored, or kept until it can be: nothing that comes later is its record. */
  isCharged: boolean
  /** Its money could not be set aside after all: the upstream call was ended for that. */
  isUnpaid: boolean
  /** Ends the upstream call that is under way. */
  abort: () => void
  /** Refuses it while it is still being let in. */
  giveUp: (error: GatewayError) => void
  /** Called on an interruption; the relay puts its own ending here. */
  onInterrupted: () => void
}

const nothing = () => {}

const libraryOf = ({ headers }: Request): string =>
  `${headers.get('x-goog-api-client') ?? ''} ${headers.get('user-agent') ?? ''}`.trim()

interface BeginParts {
  readonly clock: Clock
  readonly tick: Clock
  readonly gatekeeper: Pick<Gatekeeper, 'address'>
}

/** An exchange of which nothing is known yet but its call. */
export function begin(call: ModelCall, { clock, tick, gatekeeper }: BeginParts): Exchange {
  return {
    requestId: createRequestId(),
    protocol: call.protocol,
    operation: call.operation,
    request: call.request,
    startedAt: clock(),
    startedTick: tick(),
    address: () => gatekeeper.address(call),
    framing: call.framing,
    library: libraryOf(call.request),
    caller: undefined,
    model: call.model,
    facts: undefined,
    plan: undefined,
    options: [],
    hasPlace: false,
    lease: undefined,
    permit: undefined,
    looking: undefined,
    keeping: undefined,
    reservation: undefined,
    choice: undefined,
    candidate: undefined,
    upstreamKey: undefined,
    route: undefined,
    dropped: [],
    attempts: [],
    usedLlmTokens: 0,
    fault: undefined,
    firstByteTick: undefined,
    interruption: undefined,
    isOwed: false,
    isCharged: false,
    isUnpaid: false,
    abort: nothing,
    giveUp: nothing,
    onInterrupted: nothing,
  }
}

/** What was set aside for an exchange before its upstream was asked. */
export interface ExchangeReservation {
  /** Has it committed; rejects with the `GatewayError` of a refusal. */
  readonly written: () => Promise<void>
  /** What it was reckoned with. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** What is known of the answers that it continues: input beside what its body shows. */
  readonly continuedTokens?: number | undefined
  /** The answer can't get longer than what is set aside. */
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
} & Omit<
  Exchange,
  | 'plan'
  | 'keeping'
  | 'request'
  | 'framing'
  | 'library'
  | 'abort'
  | 'giveUp'
  | 'onInterrupted'
  | 'isUnpaid'
  | 'isOwed'
  | 'options'
  | 'dropped'
  | 'hasPlace'
  | 'lease'
  | 'permit'
  | 'looking'
  | 'choice'
>
