import { createFairMutex } from '../../lib/concurrency.ts'
import type { CanonicalRequest } from '../../protocols/canonical/request.ts'
import type { JsonObject, MediaSize, Operation, ProtocolName } from '../../protocols/protocol.ts'
import type { HiddenWork } from '../../protocols/request-facts.ts'
import type { ClientName } from '../admit/options.ts'
import type { BodyFacts, ConversationAsked } from '../body/body.ts'
import type { NativeBody, NativeChanges } from '../body/native-body.ts'
import type { Conversation } from '../channels/conversation.ts'
import type { ErrorKind } from '../errors.ts'
import type { Media } from '../media/fetch-media.ts'
import type { MediaPart } from '../media/inline-media.ts'
import { bodyCost, Lease, type MemoryBudget, neverFits, workCost } from '../memory/memory-budget.ts'
import type { TextSample } from '../money/estimate.ts'
import type { TranslationTarget } from '../translate/translation.ts'

/** Work on a large request for the body thread; the bytes of a large body are shared. */
export type Job = ReadJob | TranslationJob | WriteJob | CountJob

interface Sized {
  readonly bytes: Uint8Array
  readonly values?: number
}

/** Parse a scanned body, validate it, and report its facts. */
export interface ReadJob extends Sized {
  readonly kind: 'read'
  readonly operation: OperationName
  readonly asked: ConversationAsked
}

export type OperationName = Pick<Operation, 'protocol' | 'name'>

interface BodyJob extends Sized {
  readonly model: string
  readonly stream: boolean
}

/** Translate a validated request. One target without files is encoded at once. */
export interface TranslationJob extends BodyJob {
  readonly kind: 'translate'
  readonly owner: string
  readonly client: ClientName
  readonly isStrict: boolean
  readonly isKept?: boolean
  readonly optionalTools: ReadonlySet<string> | undefined
  readonly targets: readonly JobTarget[]
  /** Fetched files by address; undefined: nothing yet. */
  readonly files: ReadonlyMap<string, Media> | undefined
}

export type JobTarget = Omit<TranslationTarget, 'upstream'> & { readonly upstream: ProtocolName }

export interface WriteJob extends Sized {
  readonly kind: 'write'
  readonly operation: OperationName
  readonly changes: NativeChanges
}

export interface CountJob extends BodyJob {
  readonly kind: 'count'
  readonly client: ProtocolName
  /** Whose count is wanted; `url` undefined: the model has no channel. */
  readonly upstream: ProtocolName
  readonly upstreamModel: string
  readonly url: string | undefined
}

export interface Results {
  readonly translate: {
    /** The request without its conversation, for reading and writing answers. */
    readonly request: CanonicalRequest
    readonly body: JsonObject
    readonly targets: readonly (PreparedTarget | RefusedJob)[]
  }
  readonly read: ReadResult
  readonly write: NativeBody
  readonly count: number
}

interface ReadResult {
  readonly facts: Omit<BodyFacts, 'text' | 'uncounted' | 'media' | 'hiddenWork' | 'amend'>
  readonly text: TextSample
  readonly uncounted: number
  readonly media: MediaSize
  readonly hiddenWork: HiddenWork | undefined
  readonly conversation: Conversation | undefined
  /** Undefined: too large to copy, so the body is written on the body thread too. */
  readonly amend: JsonObject | undefined
  readonly renamed: readonly string[]
}

export interface PreparedTarget {
  readonly dropped: readonly string[]
  readonly hiddenWork: HiddenWork
  readonly wanted: readonly MediaPart[]
  readonly bytes: Uint8Array | undefined
}

/** A `GatewayError`, as it comes from another thread. */
export interface RefusedJob {
  readonly refused: ErrorKind
  readonly message: string
  readonly param: string | undefined
}

export const isRefused = (result: object | number | undefined): result is RefusedJob =>
  typeof result === 'object' && 'refused' in result

/** Runs jobs on the body thread, fairly by owner. */
export interface BodyThread {
  /** Throws the `GatewayError` of a refused job, or the signal's reason. */
  run<Kind extends Job['kind']>(
    owner: string,
    job: Extract<Job, { readonly kind: Kind }>,
    signal: AbortSignal,
  ): Promise<Results[Kind]>
}

/** A body thread whose jobs lease memory first, one at a time. Throws the 429 without it. */
export function withinMemory(
  thread: BodyThread,
  memory: MemoryBudget,
  waitMs: () => number,
): BodyThread {
  const inTurn = createFairMutex()
  return {
    run(owner, job, signal) {
      return inTurn(owner, async () => {
        signal.throwIfAborted()
        const lease = new Lease(owner)
        const { byteLength } = job.bytes
        const cost = workCost(byteLength, job.values ?? 0)
        if (bodyCost(byteLength) + cost > memory.largestBytes) throw neverFits()
        try {
          await memory.take(lease, cost, { waitMs: waitMs(), signal, isAhead: true })
          return await thread.run(owner, job, signal)
        } finally {
          memory.end(lease)
        }
      })
    },
  }
}
