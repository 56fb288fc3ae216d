import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

// Between the starter and its children, over the runtime's ipc. The starter holds no data: these say who lives,
// who is ready, and who has to end.

const Worker = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  pid: Type.Integer({ minimum: 1 }),
  isReady: Type.Boolean(),
})

/** A worker that lives. Another `pid` under the same number is another process: the earlier one is dead. */
export type LivingWorker = Static<typeof Worker>

const ToChild = Type.Union([
  /** Drain, as at SIGTERM. The keeper stays until `finish`. */
  Type.Object({ kind: Type.Literal('stop') }),
  /** Skip the waiting of a stop. */
  Type.Object({ kind: Type.Literal('hurry') }),
  /** To the keeper: read the configuration again. */
  Type.Object({ kind: Type.Literal('reload') }),
  /** To the keeper: all workers that live, at its start and after each change. */
  Type.Object({ kind: Type.Literal('workers'), living: Type.Array(Worker) }),
  /** To the keeper: all workers have ended; stop now. */
  Type.Object({ kind: Type.Literal('finish') }),
])
export type ToChild = Static<typeof ToChild>

const FromChild = Type.Union([
  /** It listens to messages: those sent before are lost. */
  Type.Object({ kind: Type.Literal('joined') }),
  /** It serves. */
  Type.Object({ kind: Type.Literal('ready') }),
  /** From the keeper: kill a worker that does not answer; an earlier process of that number is no target. */
  Type.Object({ kind: Type.Literal('kill-worker'), pid: Type.Integer({ minimum: 1 }) }),
])
export type FromChild = Static<typeof FromChild>

/** A message of the starter; undefined: it is none. */
export const readToChild = (message: unknown): ToChild | undefined =>
  Value.Check(ToChild, message) ? message : undefined

/** A message of a child; undefined: it is none. */
export const readFromChild = (message: unknown): FromChild | undefined =>
  Value.Check(FromChild, message) ? message : undefined
