import { type Borrower, createBorrower } from '../../src/leases/borrower.ts'
import type { LeaseWish } from '../../src/leases/messages.ts'
import { createTerm, type Instant, type Term } from '../../src/leases/term.ts'
import type { Answer, Batch, Settled } from './store.ts'
import { silentMs } from './store.ts'
import type { Money, Request, World } from './world.ts'

/** A computer: its clocks may lie, but not both at once. */
export interface Machine {
  readonly id: number
  wallOffsetMs: number
  sleptMs: number
  readonly hasBadWall: boolean
}

export const instantOf = (world: World, machine: Machine): Instant => ({
  monotonicMs: world.now - machine.sleptMs,
  wallMs: world.now + machine.wallOffsetMs,
})

/** A process with requests: a worker, a keeper, or a node of its own. */
export interface Process {
  readonly name: string
  readonly machine: Machine
  readonly borrower: Borrower
  readonly term: Term
  isFrozen: boolean
  isDead: boolean
  readonly running: Request[]
  mayBegin(): boolean
  tick(): number
  /** One step of one of its requests. */
  act(): void
  hasWork(): boolean
  /** What waits to be sent, with its wishes. */
  take(): Batch
  answered(batch: Batch, answer: Answer): void
  failed(batch: Batch): void
  /** Whether settlements of others are stored is unknown. */
  unanswered(settle: readonly Settled[]): void
  /** Settles for a process that is gone. */
  keep(settled: Settled): void
  /** Whether it has a settlement to send. */
  holds(request: Request): boolean
  endAll(): void
  die(): void
}

/** `isUp`: its lender is connected. `isLocal`: its lender never takes it for dead. */
export function createProcess(
  world: World,
  machine: Machine,
  name: string,
  isUp: () => boolean,
  isLocal: boolean,
): Process {
  const borrower = createBorrower()
  const term = createTerm(silentMs - 5_000)
  const own: Request[] = []
  const running: Request[] = []
  let settle: Settled[] = []
  /** Settlements that were not answered: they are sent again some time. */
  const again: Settled[] = []
  /** What settlements pay that are sent, or whose answer is lost. */
  const paying = new Map<Request, readonly number[]>()
  let reserve: { request: Request; nano: number }[] = []

  const tick = () => world.now - machine.sleptMs
  const mayBegin = () => isUp() && (isLocal || term.mayBegin(instantOf(world, machine)))

  /** Of all leases that it needs, or of none. */
  function take(moneys: readonly Money[], nano: number): boolean {
    const taken = moneys.filter(({ id }) => borrower.take(id, nano, tick()))
    if (taken.length === moneys.length) return true
    for (const { id } of taken) borrower.release(id, nano)
    return false
  }

  function pay({ request, leased }: Settled): void {
    if (leased === undefined || paying.has(request)) return
    paying.set(request, leased)
    for (const [at, { id }] of request.moneys.entries()) borrower.pay(id, leased[at] ?? 0)
  }

  function paid({ request, leased }: Settled): void {
    for (const [at, { id }] of request.moneys.entries()) {
      borrower.release(id, leased?.[at] ?? 0)
      borrower.pay(id, -(paying.get(request)?.[at] ?? 0))
    }
    paying.delete(request)
  }

  function begin(moneys: readonly Money[]): void {
    if (!mayBegin()) return
    const nano = 1 + world.below(world.isOne(4) ? 60 : 12)
    const wasLeased = take(moneys, nano)
    const request: Request = {
      ...{ id: world.requests.length, moneys, machine: machine.id, state: 'running', wasLeased },
      ...{ leasedNano: 0, reservedNano: 0, costNano: 0, exposedNano: 0 },
    }
    world.requests.push(request)
    own.push(request)
    if (wasLeased) {
      request.leasedNano = nano
      world.expose(request, nano)
      running.push(request)
    } else {
      request.state = 'asking'
      reserve.push({ request, nano })
    }
    world.say(() => `${name}: request ${request.id} ${request.state} with ${nano}`)
  }

  function grow(request: Request): void {
    const nano = 1 + world.below(12)
    if (mayBegin() && take(request.moneys, nano)) {
      request.leasedNano += nano
      world.expose(request, request.exposedNano + nano)
    } else reserve.push({ request, nano })
  }

  function end(request: Request): void {
    running.splice(running.indexOf(request), 1)
    const { moneys, leasedNano } = request
    const heldNano = leasedNano + request.reservedNano
    // Some leave no record.
    if (request.reservedNano === 0 && world.isOne(8)) {
      request.state = 'gone'
      world.expose(request, 0)
      for (const { id } of moneys) borrower.release(id, leasedNano)
      return
    }
    request.costNano = world.isOne(10) ? heldNano + world.below(9) : world.below(heldNano + 1)
    request.state = 'ended'
    for (const money of moneys) money.allowedNano += Math.max(0, request.costNano - heldNano)
    world.expose(request, request.costNano)
    const isLeased = leasedNano > 0
    const usedNano = Math.min(request.costNano, leasedNano)
    if (isLeased) for (const { id } of moneys) borrower.release(id, leasedNano - usedNano)
    const leased = moneys.map(() => usedNano)
    const settled = { request, costNano: request.costNano, ...(isLeased && { leased }) }
    pay(settled)
    settle.push(settled)
    world.say(() => `${name}: request ${request.id} cost ${request.costNano} (${usedNano} leased)`)
  }

  function reserved(request: Request, nano: number, isDenied: boolean): void {
    if (isDenied && request.state === 'asking') request.state = 'gone'
    if (isDenied || (request.state !== 'asking' && request.state !== 'running')) return
    if (request.state === 'asking') running.push(request)
    request.state = 'running'
    request.reservedNano += nano
  }

  return {
    ...{ name, machine, borrower, term, running, mayBegin, tick },
    isFrozen: false,
    isDead: false,
    act() {
      if (running.length > 0 && !world.isOne(3)) {
        const request = world.pick(running)
        return world.isOne(6) ? grow(request) : end(request)
      }
      begin(world.pick(world.tokens))
    },
    hasWork: () => settle.length + again.length + reserve.length > 0 || borrower.hasWishes(),
    take() {
      if (world.isOne(2)) settle.push(...again.splice(0))
      const batch: Batch = { settle, reserve, wishes: borrower.wishes(tick()) }
      settle = []
      reserve = []
      world.say(() => `${name}: sends ${shown(batch)}`)
      return batch
    },
    answered(batch, { leases, denied }) {
      for (const one of batch.settle) paid(one)
      borrower.answered(leases, tick())
      for (const { request, nano } of batch.reserve) reserved(request, nano, denied.has(request))
      if (denied.size > 0)
        borrower.recalled(
          [...denied].flatMap(({ moneys }) => moneys.map(({ id }) => id)),
          tick(),
        )
      world.say(() => `${name}: is answered to ${shown(batch)}: ${JSON.stringify(leases)}`)
    },
    failed(batch) {
      borrower.failed(batch.wishes)
      again.push(...batch.settle)
      for (const { request } of batch.reserve) {
        if (request.state !== 'asking') continue
        // Whether it was reserved is unknown: its end releases it.
        request.state = 'ended'
        settle.push({ request, costNano: 0 })
      }
      world.say(() => `${name}: has no answer to ${shown(batch)}`)
    },
    unanswered(settled) {
      for (const one of settled) pay(one)
    },
    keep(settled) {
      settle.push(settled)
    },
    holds: (request) => [...settle, ...again].some((one) => one.request === request),
    endAll() {
      for (const request of [...running]) end(request)
    },
    die() {
      this.isDead = true
      for (const request of own) {
        if (request.state !== 'asking' && request.state !== 'running') continue
        world.expose(request, 0)
        request.state = 'gone'
      }
    },
  }
}

const shown = ({ settle, wishes, reserve }: Batch) =>
  `${settle.map(({ request }) => request.id)} | ${wishes.map(wishText)} | ${reserve.map(({ request, nano }) => `${request.id}:${nano}`)}`

const wishText = ({ purse, no, byNano, isOwed }: LeaseWish) =>
  `#${no} money ${purse} by ${byNano}${isOwed ? ' owed' : ''}`
