import type { Hello, WorkerId } from '../../store/keeper/messages.ts'
import type { Reservation, Settlement } from '../../store/ports/records.ts'
import type { WorkerLoan } from './lending.ts'
import type { WorkerEnd } from './worker-end.ts'

/** A living worker, as far as the keeper knows; without an end its connection is lost. */
export interface Worker {
  readonly id: WorkerId
  end: WorkerEnd | undefined
  /** Its stored reservations, by request id. */
  readonly held: Map<string, Reservation>
  /** In the spool, and not stored: it tries again, as long as it lives. */
  readonly spooled: Map<string, Settlement>
  /** Of its last hello: one with a lower number was read late. */
  helloNo: number
  /** What it has borrowed, on this connection. */
  loan: WorkerLoan | undefined
  isDead: boolean
}

const createWorker = (id: WorkerId): Worker => ({
  ...{ id, end: undefined, held: new Map(), spooled: new Map(), loan: undefined, isDead: false },
  helloNo: 0,
})

/** The workers of this group, by their places. */
export function createWorkerTable() {
  const workers = new Map<number, Worker>()
  const byEnd = new Map<WorkerEnd, Worker>()

  return {
    /** Whether a later hello of the same process was read before this one. */
    isLate: ({ worker: { index, pid }, owed }: Hello): boolean => {
      const known = workers.get(index)
      return known?.id.pid === pid && owed.no < known.helloNo
    },
    /** Enters a worker that says hello; gives the dead one whose place it has taken. */
    join(
      end: WorkerEnd,
      { worker: id, held, owed }: Hello,
    ): { worker: Worker; isNew: boolean; dead: Worker | undefined } {
      const known = workers.get(id.index)
      const isSame = known?.id.pid === id.pid
      const worker: Worker = known && isSame ? known : createWorker(id)
      if (worker.end && worker.end !== end) {
        byEnd.delete(worker.end)
        worker.end.close()
      }
      worker.end = end
      worker.helloNo = owed.no
      for (const one of held) worker.held.set(one.requestId, one)
      workers.set(id.index, worker)
      byEnd.set(end, worker)
      return { worker, isNew: !isSame, dead: isSame ? undefined : known }
    },
    /** The connection is lost; gives whose it was, unless it has another one. */
    leave(end: WorkerEnd): Worker | undefined {
      const worker = byEnd.get(end)
      byEnd.delete(end)
      if (worker?.end !== end) return undefined
      worker.end = undefined
      return worker
    },
    /** Takes a dead worker out; undefined: it is not here (any more). */
    remove({ index, pid }: WorkerId): Worker | undefined {
      const worker = workers.get(index)
      if (worker?.id.pid !== pid) return undefined
      workers.delete(index)
      if (worker.end) byEnd.delete(worker.end)
      return worker
    },
    of: (end: WorkerEnd): Worker | undefined => byEnd.get(end),
    all: (): readonly Worker[] => [...workers.values()],
    connected: (): readonly WorkerEnd[] => [...byEnd.keys()],
    size: (): number => workers.size,
  }
}
