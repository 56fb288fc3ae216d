import { type Borrower, createBorrower } from '../../src/leases/borrower.ts'
import type { LeaseWish } from '../../src/leases/messages.ts'
import { createTerm, type Instant, type Term } from '../../src/leases/term.ts'
import type { Answer, Batch, Settled } from './store.ts'
import { silentMs } from './store.ts'
import type { Account, Request, World } from './world.ts'

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
  let reserve: { request: Request; nano: number }[] = []

  const tick = () => world.now - machine.sleptMs
  const mayBegin = () => isUp() && (isLocal || term.mayBegin(instantOf(world, machine)))

  function begin(account: Account): void {
    if (!mayBegin()) return
    const nano = 1 + world.below(world.isOne(4) ? 60 : 12)
    const wasLeased = borrower.take(account.id, nano, tick())
    const request: Request = {
      ...{ id: world.requests.length, account, machine: machine.id, state: 'running', wasLeased },
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
    if (mayBegin() && borrower.take(request.account.id, nano, tick())) {
      request.leasedNano += nano
      world.expose(request, request.exposedNano + nano)
    } else reserve.push({ request, nano })
  }

  function end(request: Request): void {
    running.splice(running.indexOf(request), 1)
    const { account, leasedNano } = request
    const heldNano = leasedNano + request.reservedNano
    // Some leave no record.
    if (request.reservedNano === 0 && world.isOne(8)) {
      request.state = 'gone'
      world.expose(request, 0)
      borrower.release(account.id, leasedNano)
      return
    }
    request.costNano = world.isOne(10) ? heldNano + world.below(9) : world.below(heldNano + 1)
    request.state = 'ended'
    account.allowedNano += Math.max(0, request.costNano - heldNano)
    world.expose(request, request.costNano)
    const isLeased = leasedNano > 0
    const usedNano = Math.min(request.costNano, leasedNano)
    if (isLeased) borrower.release(account.id, leasedNano - usedNano)
    settle.push({ request, costNano: request.costNano, ...(isLeased && { leasedNano: usedNano }) })
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
      begin(world.pick(world.accounts))
    },
    hasWork: () => settle.length + reserve.length > 0 || borrower.hasWishes(),
    take() {
      const batch: Batch = { settle, reserve, wishes: borrower.wishes(tick()) }
      settle = []
      reserve = []
      world.say(() => `${name}: sends ${shown(batch)}`)
      return batch
    },
    answered(batch, { leases, denied }) {
      for (const { request, leasedNano = 0 } of batch.settle)
        borrower.release(request.account.id, leasedNano)
      borrower.answered(leases, tick())
      for (const { request, nano } of batch.reserve) reserved(request, nano, denied.has(request))
      if (denied.size > 0)
        borrower.recalled(
          [...denied].map(({ account }) => account.id),
          tick(),
        )
      world.say(() => `${name}: is answered ${JSON.stringify(leases)}`)
    },
    failed(batch) {
      borrower.failed(batch.wishes)
      settle.push(...batch.settle)
      for (const { request } of batch.reserve) {
        if (request.state !== 'asking') continue
        // Whether it was reserved is unknown: its end releases it.
        request.state = 'ended'
        settle.push({ request, costNano: 0 })
      }
      world.say(() => `${name}: has no answer to ${shown(batch)}`)
    },
    keep(settled) {
      settle.push(settled)
    },
    holds: (request) => settle.some((one) => one.request === request),
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
  `#${no} account ${purse} by ${byNano}${isOwed ? ' owed' : ''}`
