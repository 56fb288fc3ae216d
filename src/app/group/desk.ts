import { randomUUID } from 'node:crypto'
import { createRetryQueue } from '../../gateway/money/retry-queue.ts'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { packError } from '../../store/keeper/errors.ts'
import {
  type BatchFrame,
  type CallFrame,
  type CounterState,
  type Hello,
  kinds,
  type News,
  parseJson,
  type ResultFrame,
  unpack,
  type Welcome,
  type WorkerId,
} from '../../store/keeper/messages.ts'
import type { StorePart } from '../../store/keeper/methods.ts'
import type { Counters } from '../../store/ports/counters.ts'
import type { Batch, Overrun, RecordStore, Settlement, Spool } from '../../store/ports/records.ts'
import type { Store } from '../../store/ports/store.ts'
import { StoreError } from '../../store/ports/store-error.ts'
import { createBatchJoiner } from './join-batches.ts'
import { createLending } from './lending.ts'
import { createQuestions } from './questions.ts'
import { servedMethods } from './served-methods.ts'
import { createWorkerBatches } from './worker-batches.ts'
import { WorkerEnd } from './worker-end.ts'
import { createWorkerTable, type Worker } from './worker-table.ts'

interface DeskParts {
  /** An abstract Unix socket: `\0…`. */
  readonly address: string
  readonly secret: string
  readonly store: Pick<Store, StorePart | 'check'>
  readonly counters: Counters
  readonly spool?: Spool | undefined
  readonly log: Logger
  /** What a worker gets when it connects, and again by `give`. */
  readonly given: () => unknown
  /** Whether the process of a worker runs; default: yes. */
  readonly isAlive?: (worker: WorkerId) => boolean
  /** Nothing is committed before; default: at once. */
  readonly started?: Promise<void>
  readonly onJoined?: (worker: WorkerId) => void
  /** Its connection is lost, which is not its death. */
  readonly onLost?: (worker: WorkerId) => void
  /** It has not answered for ten seconds. */
  readonly onFrozen?: (worker: WorkerId) => void
  readonly repeat?: Repeat
}

export type Desk = ReturnType<typeof openDesk>

const beatMs = 1_000
const mostSilentBeats = 10

/** The keeper's end of the link: serves its store and its counters to workers. */
export function openDesk(parts: DeskParts) {
  const { store, counters, spool, log, given, repeat = repeatByTimer } = parts
  const { isAlive = () => true } = parts
  const run = randomUUID()
  const workers = createWorkerTable()
  const questions = createQuestions()
  /** Connections of peers that have not said who they are. */
  const strangers = new Set<WorkerEnd>()
  const { leases } = store.records
  const lending =
    leases &&
    createLending({
      ...{ commit: store.records.commit, source: leases, repeat, tick: () => performance.now() },
      started: parts.started,
      recall: (purses) => tellAll({ kind: 'recall', purses }),
      onLost: () => {
        for (const end of workers.connected()) end.close()
      },
    })
  const join = createBatchJoiner({ ...store.records, ...(lending && { commit: lending.commit }) })
  lending?.setCommitWishes(join)
  const late = createRetryQueue(join, log, spool)
  const batches = createWorkerBatches({
    ...{ commit: join, commitLater: late.keep, onCommitted: spread, log },
  })
  const methods = servedMethods({
    ...{ ...store, store, counters, stocks: counters.stocks ?? {} },
    leases: { ageMs: () => lending?.ageMs() ?? null },
    spool: { add: addToSpool },
  })
  let trouble: string | null = null
  let noteOverrun: (overrun: Overrun) => void = () => {}

  /** The worker tries to store it again; if it dies the keeper does. */
  async function addToSpool(worker: Worker, settlements: readonly Settlement[]): Promise<void> {
    if (spool === undefined) throw new StoreError('There is no spool.')
    await spool.add(settlements)
    for (const one of settlements) worker.spooled.set(one.request.requestId, one)
    if (worker.isDead) batches.bury(worker)
  }

  const counterState = (): CounterState => ({
    isAway: counters.isUnavailable(),
    nodes: counters.nodes() * Math.max(1, workers.size()),
    partNow: counters.partAt(performance.now()),
  })

  function tellAll(news: News, but?: WorkerEnd): void {
    for (const end of workers.connected()) if (end !== but) end.packed(kinds.news, news)
  }

  function onHello(end: WorkerEnd, hello: Hello): void {
    strangers.delete(end)
    // Connections are read in any order: the hello of an earlier connection, or of a dead worker, may be read last.
    if (workers.isLate(hello) || !isAlive(hello.worker)) {
      end.close()
      return
    }
    const { worker, dead, isNew } = workers.join(end, hello)
    if (dead) batches.bury(dead)
    worker.loan?.end()
    worker.loan = lending?.joined(hello.owed)
    if (isNew) batches.adopt(hello.held)
    const { leaseMs } = counters
    const welcome: Welcome = {
      ...{ run, trouble, given: given() },
      counters: { ...counterState(), leaseMs, isLending: counters.stocks !== undefined },
    }
    end.packed(kinds.welcome, welcome)
    parts.onJoined?.(worker.id)
  }

  function onFrame(end: WorkerEnd, kind: number, body: Buffer): void {
    const worker = workers.of(end)
    if (worker === undefined) end.close()
    else if (kind === kinds.batch) void batches.commit(worker, end, parseJson<BatchFrame>(body))
    else if (kind === kinds.quickCall) void serve(worker, end, true, parseJson<CallFrame>(body))
    else if (kind === kinds.call) void serve(worker, end, false, unpack<CallFrame>(body))
    else if (kind === kinds.answer) questions.answered(unpack<ResultFrame>(body))
  }

  /** Where the store does not tell all nodes. */
  function spread({ settle = [] }: Batch, from?: WorkerEnd): void {
    if (store.records.onOverrun) return
    for (const { overrun } of settle) {
      if (overrun === undefined) continue
      tellAll({ kind: 'overrun', overrun }, from)
      if (from) noteOverrun(overrun)
    }
  }

  async function serve(
    worker: Worker,
    end: WorkerEnd,
    isQuick: boolean,
    frame: CallFrame,
  ): Promise<void> {
    const [no, part, name, ...args] = frame
    try {
      const method = methods.get(`${part}.${name}`)
      if (method === undefined) throw new Error(`Workers may not call ${part}.${name}.`)
      const value = await method(worker, ...args)
      // JSON has no word for nothing.
      end.result(isQuick, value === undefined ? [no, null] : [no, null, value])
    } catch (error) {
      end.result(isQuick, [no, packError(error)])
    }
  }

  const onFault = (_: WorkerEnd, error: unknown) =>
    log.error('what a worker sent was not understood', { error: String(error) })

  function onClose(end: WorkerEnd): void {
    strangers.delete(end)
    const lost = workers.leave(end)
    if (lost) parts.onLost?.(lost.id)
  }

  store.records.onOverrun?.((overrun) => {
    noteOverrun(overrun)
    tellAll({ kind: 'overrun', overrun })
  })
  counters.onBack((isEmpty) => tellAll({ kind: 'counters', isEmpty }))
  counters.stocks?.onRecall((recall) => tellAll({ kind: 'places', recall }))

  const stopBeats = repeat(() => {
    for (const { id, end } of workers.all()) {
      if (end === undefined) continue
      end.silentBeats++
      if (end.silentBeats === mostSilentBeats + 1) parts.onFrozen?.(id)
      end.json(kinds.ping, counterState())
    }
    for (const end of strangers) end.expectHello()
  }, beatMs)

  const listener = { onHello, onFrame, onClose, onFault }
  const listening = Bun.listen<WorkerEnd | undefined>({
    unix: parts.address,
    socket: {
      open(socket) {
        const end = new WorkerEnd(socket, parts.secret, listener)
        socket.data = end
        strangers.add(end)
      },
      data: (socket, chunk) => socket.data?.receive(chunk),
      drain: (socket) => socket.data?.drained(),
      close: (socket) => socket.data?.close(),
      error: (socket) => socket.data?.close(),
    },
  })

  /** The keeper's own requests: in the same commits, and by the same rules. */
  const records: Pick<RecordStore, 'isShared' | 'commit' | 'onOverrun'> = {
    isShared: true,
    async commit(batch) {
      const committed = await join(batch)
      spread(batch)
      return committed
    },
    onOverrun(listener) {
      noteOverrun = listener
    },
  }

  return {
    records,
    /** What others have changed in the database, or the keeper itself. */
    changed: (what: 'accounts' | 'all'): void => tellAll({ kind: 'changed', what }),
    /** Gives all workers anew what `given` gives. */
    give: (): void => tellAll({ kind: 'given', given: given() }),
    /** Why the database can't be worked with; null: it can. */
    setTrouble(found: string | null): void {
      trouble = found
      tellAll({ kind: 'trouble', trouble })
    },
    ask: (what: string) => questions.askAll(workers.all(), what),
    workers: (): readonly (WorkerId & { readonly isConnected: boolean })[] =>
      workers.all().map(({ id, end }) => ({ ...id, isConnected: end !== undefined })),
    /** Request ids of all reservations that living workers hold. */
    held: (): readonly string[] => workers.all().flatMap(({ held }) => [...held.keys()]),
    /** A worker's process has ended: what it had begun is interrupted. */
    died(id: WorkerId): void {
      const dead = workers.remove(id)
      if (dead === undefined) return
      dead.end?.close()
      batches.bury(dead)
    },
    /** Resolves when all that is to be stored later is stored, or in the spool. */
    async idle(): Promise<void> {
      await join({}).catch(() => {}) // after all that is under way
      await late.lastTry()
      lending?.returnAll()
      await join({}).catch(() => {}) // the next start frees it
    },
    close(): void {
      stopBeats()
      lending?.stop()
      listening.stop(true)
      for (const end of [...workers.connected(), ...strangers]) end.close()
    },
  }
}
