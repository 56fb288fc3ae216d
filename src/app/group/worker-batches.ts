import type { Logger } from '../../lib/log.ts'
import { type BatchFrame, unpackBatch } from '../../store/keeper/messages.ts'
import type { Batch, Committed, RecordStore, Reservation } from '../../store/ports/records.ts'
import { interrupted } from './interrupted.ts'
import type { WorkerEnd } from './worker-end.ts'
import type { Worker } from './worker-table.ts'

interface BatchParts {
  readonly commit: RecordStore['commit']
  /** Stores a part of a batch, again and again. */
  readonly commitLater: (requestId: string, part: Batch) => void
  readonly onCommitted: (batch: Batch, from: WorkerEnd) => void
  readonly log: Logger
}

/** What workers hand over to be stored, and what becomes of it when one dies. */
export function createWorkerBatches({ commit, commitLater, onCommitted, log }: BatchParts) {
  /** What a dead worker had begun is recorded as interrupted; that frees what was reserved. */
  function bury(worker: Worker): void {
    const { id, held, spooled, loan } = worker
    worker.isDead = true
    for (const [requestId, one] of spooled)
      commitLater(requestId, { settle: [loan?.taken(one) ?? one] })
    spooled.clear()
    loan?.end()
    if (held.size === 0) return
    log.warn('requests were under way when a worker ended; recorded, nothing charged', {
      ...{ worker: id.index, interrupted: held.size },
    })
    const settle = [...held.values()].map(interrupted)
    held.clear()
    commit({ settle }).catch(() => {
      for (const one of settle) commitLater(one.request.requestId, { settle: [one] })
    })
  }

  /** Nobody else knows of it any more. */
  function keepAll({ settle = [] }: Batch): void {
    for (const one of settle) commitLater(one.request.requestId, { settle: [one] })
  }

  return {
    bury,
    /** Stores a batch, and answers the worker. */
    async commit(worker: Worker, end: WorkerEnd, [no, sent]: BatchFrame): Promise<void> {
      const asked = unpackBatch(sent)
      const { loan } = worker
      const batch = loan ? loan.arrived(asked) : asked
      if (batch === undefined) return // it comes again on a new connection
      try {
        const committed = await commit(batch)
        noteHeld(worker.held, batch, committed)
        if (worker.isDead) bury(worker)
        for (const { request } of batch.settle ?? []) worker.spooled.delete(request.requestId)
        end.done(no, loan ? { ...committed, leases: loan.committed(batch) } : committed)
        onCommitted(batch, end)
      } catch (error) {
        if (loan?.failed(batch) === false) keepAll(batch)
        end.failed(no, error)
      }
    },
    /** Of before this keeper's start: the same again, unless somebody took its worker for dead. */
    adopt(held: readonly Reservation[]): void {
      if (held.length === 0) return
      commit({ reserve: held }).catch((error: unknown) =>
        log.error('reservations of a worker not taken over', { error: String(error) }),
      )
    },
  }
}

function noteHeld(
  held: Map<string, Reservation>,
  { settle = [], release = [], reserve = [] }: Batch,
  { denied }: Committed,
): void {
  for (const { request } of settle) held.delete(request.requestId)
  for (const requestId of release) held.delete(requestId)
  for (const one of reserve) if (!denied.has(one.requestId)) held.set(one.requestId, one)
}
