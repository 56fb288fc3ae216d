// Between the starter and its children, over the runtime's ipc. The starter holds no data: these say who lives, who
// is ready, and who has to end. No schemas: the starter would be a fifth larger with what checks them.

/** A worker that lives. No two of them have one number; an earlier one that had it is dead. */
export interface LivingWorker {
  readonly index: number
  readonly pid: number
  readonly isReady: boolean
}

export type ToChild =
  /** Drain. The keeper stays until `finish`. `isReplaced`: this worker alone, for another one has its socket. */
  | { readonly kind: 'stop'; readonly isReplaced: boolean }
  /** Skip the waiting of a stop. */
  | { readonly kind: 'hurry' }
  /** To the keeper: read the configuration again. */
  | { readonly kind: 'reload' }
  /** To the keeper: all workers that live, when it has joined and after each change. */
  | { readonly kind: 'workers'; readonly living: readonly LivingWorker[] }
  /** To the keeper: all workers have ended; stop now. */
  | { readonly kind: 'finish' }

export type FromChild =
  /** It listens to messages: those sent before are lost. */
  | { readonly kind: 'joined' }
  /** It serves. */
  | { readonly kind: 'ready' }
  /** From a worker: it wants to end when another one serves in its place. */
  | { readonly kind: 'leaving' }
  /** From the keeper: kill a worker that does not answer; an earlier process of its number is no target. */
  | { readonly kind: 'kill-worker'; readonly pid: number }
