import { deserialize, serialize } from 'bun:jsc'
import type { Owed } from '../../leases/messages.ts'
import type { Purse } from '../../leases/purse.ts'
import type { StockRecall } from '../ports/counters.ts'
import type {
  AccountFigures,
  Batch,
  Committed,
  Overrun,
  Reservation,
  TokenSpending,
} from '../ports/records.ts'
import type { ChangedElsewhere } from '../ports/store.ts'
import type { SentError } from './errors.ts'
import { packSettlement, type SentSettlement, unpackSettlement } from './rows.ts'

/**
 * What goes over the link. A connection begins with `greet`, `prove` and `proof` (`proof.ts`), then come
 * `hello` and `welcome`. Hot kinds are JSON, which costs a fifth; calls to the store may carry bytes, and
 * are serialized.
 */
export const kinds = {
  // From a worker.
  ...{ greet: 1, proof: 2, hello: 3, batch: 4, call: 5, quickCall: 6, pong: 7, answer: 8 },
  // From the keeper.
  ...{ prove: 17, welcome: 18, done: 19, result: 20, quickResult: 21, ping: 22, ask: 23, news: 24 },
} as const

/** A worker: one that is started again has its index, and another pid. */
export interface WorkerId {
  readonly index: number
  readonly pid: number
}

export interface Hello {
  readonly worker: WorkerId
  /** Its stored reservations: a keeper that has just started does not know whose they are. */
  readonly held: readonly Reservation[]
  /** What it owes of its leases. */
  readonly owed: Owed
}

/** How limits are counted, as the keeper knows it. */
export interface CounterState {
  readonly isAway: boolean
  readonly nodes: number
  readonly partNow: number
}

export interface Welcome {
  /** Of this run of the keeper: another one has forgotten what was in its memory. */
  readonly run: string
  readonly counters: CounterState & {
    readonly leaseMs: number
    /** Whether they lend places of limits. */
    readonly isLending: boolean
  }
  /** Why the database can't be worked with; null: it can. */
  readonly trouble: string | null
  /** What the keeper gives a worker to begin with: its configuration and the like. */
  readonly given: unknown
}

export type BatchFrame = readonly [no: number, batch: SentBatch]
export type DoneFrame = readonly [no: number, committed: SentCommitted | null, error?: SentError]
export type CallFrame = readonly [
  ...[no: number, part: string, method: string],
  ...args: readonly unknown[],
]
/** Of a call, or of what the keeper asked; the value is absent where there is none. */
export type ResultFrame = readonly [no: number, error: SentError | null, value?: unknown]
export type AskFrame = readonly [no: number, what: string]

export interface SentBatch extends Omit<Batch, 'settle'> {
  readonly settle?: readonly SentSettlement[]
}

export const packBatch = (batch: Batch): SentBatch => {
  const { settle, ...rest } = batch
  return settle ? { ...rest, settle: settle.map(packSettlement) } : rest
}

export const unpackBatch = (sent: SentBatch): Batch => {
  const { settle, ...rest } = sent
  return settle ? { ...rest, settle: settle.map(unpackSettlement) } : rest
}

export interface SentCommitted extends Omit<Committed, 'denied'> {
  readonly denied: readonly (readonly [string, 'balance' | 'budget' | 'busy'])[]
  readonly accounts: readonly AccountFigures[]
  readonly tokens: readonly TokenSpending[]
}

/** What the keeper tells without being asked. */
export type News =
  | { readonly kind: 'changed'; readonly what: Exclude<ChangedElsewhere, false> }
  | { readonly kind: 'given'; readonly given: unknown }
  | { readonly kind: 'recall'; readonly purses: readonly Purse[] }
  | { readonly kind: 'places'; readonly recall: StockRecall }
  | { readonly kind: 'overrun'; readonly overrun: Overrun }
  | { readonly kind: 'trouble'; readonly trouble: string | null }
  /** The counters are back; `isEmpty`: they know nothing of before. */
  | { readonly kind: 'counters'; readonly isEmpty: boolean }

export const packCommitted = (committed: Committed): SentCommitted => ({
  ...committed,
  denied: committed.denied.size === 0 ? none : [...committed.denied],
})
const none: readonly never[] = []

export const unpackCommitted = (sent: SentCommitted): Committed => ({
  ...sent,
  denied: sent.denied.length === 0 ? nobody : new Map(sent.denied),
})
const nobody: Committed['denied'] = new Map()

/** The peer is a process of this group, and has shown it: what it sends is not checked again. */
export const parseJson = <Value>(body: Buffer): Value => JSON.parse(body.toString('utf8')) as Value

export const pack = (value: unknown): Uint8Array => serialize(value, { binaryType: 'nodebuffer' })
export const unpack = <Value>(body: Buffer): Value => deserialize(body) as Value
