import { createLender, type Loan } from '../../src/leases/lender.ts'
import type { Lease } from '../../src/leases/messages.ts'
import type { Instant } from '../../src/leases/term.ts'
import { createProcess, instantOf, type Machine, type Process } from './process.ts'
import type { Answer, Batch, Settled, Store } from './store.ts'
import type { Request, World } from './world.ts'

/** Worker to keeper. */
type Up =
  | { readonly kind: 'hello'; readonly leases: readonly Lease[]; readonly no: number }
  | { readonly kind: 'batch'; readonly batch: Batch }
  | { readonly kind: 'ping'; readonly at: Instant }
  | { readonly kind: 'end' }

/** Keeper to worker. */
type Down =
  | { readonly kind: 'done'; readonly batch: Batch; readonly answer: Answer | undefined }
  | { readonly kind: 'pong'; readonly at: Instant; readonly ageMs: number }
  | { readonly kind: 'recall'; readonly purse: number }
  | { readonly kind: 'end' }

/** One connection of a worker: two queues in order. */
export interface Link {
  readonly worker: Worker
  readonly up: Up[]
  readonly down: Down[]
  loan: Loan | undefined
}

export interface Worker {
  readonly process: Process
  link: Link | undefined
  /** Sent on this link or an earlier one, and not answered. */
  readonly sent: Batch[]
}

/** A worker's batch on its way through its keeper. */
interface Parcel {
  readonly link: Link
  readonly loan: Loan
  readonly batch: Batch
  /** As the keeper settles them: with what the worker's lease covers. */
  readonly settle: readonly Settled[]
}

/** What a node has sent to the store. */
export interface Item {
  readonly node: Node
  readonly nodeId: number
  readonly kind: 'batch' | 'heartbeat'
  readonly own: Batch
  readonly whole: Batch
  readonly parcels: readonly Parcel[]
  readonly sentAt: Instant
  isDone: boolean
  /** Its sender has given it up. */
  isLate: boolean
  answer?: Answer | undefined
  isKnown?: boolean
}

const nothing: Batch = { settle: [], wishes: [], reserve: [] }

/** What borrows from the store: a process alone, or the keeper of workers. */
export type Node = ReturnType<typeof createNode>

export function createNode(
  world: World,
  store: Store,
  machine: Machine,
  isLocal: boolean,
  workers: Worker[],
  /** The nodes whose place it takes. */
  before: readonly number[] = [],
) {
  let id = store.register(machine.id)
  const process = createProcess(
    world,
    machine,
    `keeper ${id}`,
    () => isStarted && isReady(),
    isLocal,
  )
  process.term.renewed(instantOf(world, machine))
  const lender = createLender(process.borrower)
  const loans = new Map<Worker, Loan>()
  const heard = new Map<Worker, number>()
  let parcels: Parcel[] = []
  let isStarted = false
  let isBeating = false

  /** Nothing is promised or lent before all living workers have said what they owe. */
  const isReady = () =>
    workers.every(({ process: { isDead }, link }) => isDead || link?.loan !== undefined)

  function receive(link: Link, message: Up): void {
    if (message.kind === 'hello') {
      // Of two connections the later one may be read first.
      if (message.no <= (heard.get(link.worker) ?? 0)) return
      heard.set(link.worker, message.no)
      loans.get(link.worker)?.end()
      const loan = lender.joined(message.leases, message.no)
      link.loan = loan
      loans.set(link.worker, loan)
    } else if (message.kind === 'ping') {
      const ageMs = isLocal ? 0 : process.term.ageMs(instantOf(world, machine))
      link.down.push({ kind: 'pong', at: message.at, ageMs })
    } else if (message.kind === 'batch' && link.loan) {
      const { loan } = link
      if (!loan.arrived(message.batch.wishes, process.tick())) return
      const settle = message.batch.settle.map((one): Settled => {
        const { request, leased } = one
        const paid = leased?.map((nano, at) => loan.settled(request.moneys[at]?.id ?? 0, nano))
        return paid ? { ...one, leased: paid } : one
      })
      parcels.push({ link, loan, batch: message.batch, settle })
    } else if (message.kind === 'end' && link.worker.process.isDead) {
      lost(link.worker)
    }
  }

  function lost(worker: Worker): void {
    loans.get(worker)?.end()
    loans.delete(worker)
  }

  function send(): Item {
    const own = process.take()
    const taken = parcels
    parcels = []
    const whole: Batch = {
      settle: [...own.settle, ...taken.flatMap(({ settle }) => settle)],
      reserve: [...own.reserve, ...taken.flatMap(({ batch }) => batch.reserve)],
      wishes: own.wishes,
    }
    return item({ kind: 'batch', own, whole, parcels: taken })
  }

  const item = (part: Pick<Item, 'kind' | 'own' | 'whole' | 'parcels'>): Item => ({
    ...part,
    ...{ node, nodeId: id, sentAt: instantOf(world, machine), isDone: false, isLate: false },
  })

  function reply({ link, loan, batch }: Parcel, denied: ReadonlySet<Request>): void {
    const ids = batch.settle.flatMap(({ request, leased }) =>
      leased === undefined ? [] : request.moneys.map(({ id }) => id),
    )
    const leases = loan.granted(batch.wishes, ids, process.tick())
    link.down.push({ kind: 'done', batch, answer: { leases, denied } })
    for (const { moneys } of denied) for (const { id } of moneys) recall(id)
  }

  function refuse({ link, loan, batch, settle }: Parcel): void {
    // The spool takes some.
    const isSpooled = batch.reserve.length === 0 && world.isOne(2)
    for (const one of settle) {
      const { moneys } = one.request
      const give = () => moneys.map(({ id }, at) => loan.failed(id, one.leased?.[at] ?? 0))
      if (isSpooled || give().includes(false)) process.keep(one)
    }
    if (isSpooled) reply({ link, loan, batch, settle }, new Set())
    else link.down.push({ kind: 'done', batch, answer: undefined })
  }

  /** It is short of money. */
  function recall(purse: number): void {
    process.borrower.recalled([purse], process.tick())
    for (const { link } of workers) link?.down.push({ kind: 'recall', purse })
  }

  const node = {
    process,
    machine,
    workers,
    get id() {
      return id
    },
    /** Those whose leases its successor ends. */
    inherited: () => (isStarted ? [id] : [...before, id]),
    receive,
    recall,
    lost,
    /** All living workers have said what they owe: what the keeper before left to the dead is freed. */
    start(): void {
      if (isStarted || !isReady()) return
      isStarted = true
      for (const one of before) store.replace(one, id)
    },
    hasWork: () => isStarted && (process.hasWork() || parcels.length > 0),
    send,
    /** One at a time. */
    heartbeat(): readonly Item[] {
      if (isBeating) return []
      isBeating = true
      return [item({ kind: 'heartbeat', own: nothing, whole: nothing, parcels: [] })]
    },
    answered({ own, whole, parcels: sent, kind, sentAt, answer, isKnown, nodeId }: Item): void {
      if (kind === 'heartbeat') {
        isBeating = false
        if (nodeId !== id) return
        if (!isKnown) lose()
        process.term.renewed(sentAt)
      } else if (answer) {
        process.answered({ ...own, settle: whole.settle }, answer)
        for (const parcel of sent) reply(parcel, answer.denied)
      }
    },
    failed({ own, parcels: sent, kind }: Item): void {
      if (kind === 'heartbeat') isBeating = false
      process.failed(own)
      for (const parcel of sent) {
        process.unanswered(parcel.settle)
        refuse(parcel)
      }
    },
    /** Settlements that it holds, or has in its hands for workers. */
    holds: (request: Request) =>
      parcels.some(({ settle }) => settle.some((one) => one.request === request)) ||
      process.holds(request),
  }

  /** It was taken for dead: its workers say hello again. */
  function lose(): void {
    world.say(() => `keeper ${id}: was taken for dead`)
    for (const { link } of workers) {
      if (link === undefined) continue
      link.up.splice(0)
      link.up.push({ kind: 'end' })
      link.down.push({ kind: 'end' })
      link.loan = undefined
    }
    lender.lost()
    loans.clear()
    // It may enter under its old name.
    id = store.register(machine.id, world.isOne(2) ? id : undefined)
  }

  return node
}
