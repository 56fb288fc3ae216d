import { grant } from '../../src/leases/grant.ts'
import type { Lease, LeaseWish } from '../../src/leases/messages.ts'
import { Broken, type Request, type World } from './world.ts'

export interface Settled {
  readonly request: Request
  readonly costNano: number
  /** What each of its leases pays; undefined: none covers it. */
  readonly leased?: readonly number[]
}

export interface Batch {
  readonly settle: readonly Settled[]
  readonly wishes: readonly LeaseWish[]
  readonly reserve: readonly { readonly request: Request; readonly nano: number }[]
}

export interface Answer {
  readonly leases: readonly Lease[]
  readonly denied: ReadonlySet<Request>
}

export const silentMs = 30_000

interface Node {
  seenAt: number
  readonly machine: number
  readonly leases: Map<number, Lease>
}

export type Store = ReturnType<typeof createStore>

/** The store's side: one transaction after the other, by the real rule of lending. */
export function createStore(world: World) {
  const nodes = new Map<number, Node>()
  const reservations = new Map<Request, { nano: number; nodeId: number }>()
  const stored = new Set<Request>()
  const reserved = new Map<number, number>()
  let lastNode = 0
  /** Killed ones that have a successor. */
  const replaced = new Set<number>()
  let clockOffsetMs = 0
  /** Since when the clock has not jumped. */
  let steadySince = 0

  const now = () => world.now + clockOffsetMs
  const addReserved = (purse: number, nano: number) =>
    reserved.set(purse, (reserved.get(purse) ?? 0) + nano)
  const freeNano = (purse: number) =>
    (world.moneys[purse]?.balanceNano ?? 0) - (reserved.get(purse) ?? 0)

  function release(request: Request): void {
    const nano = reservations.get(request)?.nano ?? 0
    for (const { id } of request.moneys) addReserved(id, -nano)
    reservations.delete(request)
  }

  function settle(node: Node | undefined, { request, costNano, leased }: Settled): void {
    if (stored.has(request)) return
    stored.add(request)
    release(request)
    for (const money of request.moneys) money.balanceNano -= costNano
    // A crashed process may have been taken for the end of it.
    world.expose(request, 0)
    if (request.state === 'ended') request.state = 'stored'
    for (const [at, { id }] of request.moneys.entries()) pay(node, id, leased?.[at] ?? 0)
  }

  function pay(node: Node | undefined, purse: number, leasedNano: number): void {
    const lease = node?.leases.get(purse)
    const fallNano = Math.min(lease?.leaseNano ?? 0, leasedNano)
    if (!lease || fallNano === 0) return
    node?.leases.set(purse, { ...lease, leaseNano: lease.leaseNano - fallNano })
    addReserved(purse, -fallNano)
  }

  function wish(node: Node, asked: LeaseWish): void {
    const before = node.leases.get(asked.purse) ?? noLease(asked.purse)
    const after = grant(before, asked, freeNano(asked.purse))
    node.leases.set(asked.purse, after)
    addReserved(asked.purse, after.leaseNano - before.leaseNano)
  }

  function reserve(nodeId: number, request: Request, nano: number): boolean {
    if (stored.has(request) || request.moneys.some(({ id }) => freeNano(id) < nano)) return false
    const before = reservations.get(request)?.nano ?? 0
    reservations.set(request, { nano: before + nano, nodeId })
    if (request.state === 'asking' || request.state === 'running')
      world.expose(request, request.exposedNano + nano)
    for (const { id } of request.moneys) addReserved(id, nano)
    return true
  }

  return {
    now,
    isAlive: (nodeId: number) => nodes.has(nodeId),
    register(machine: number, id = lastNode + 1): number {
      lastNode = Math.max(lastNode, id)
      nodes.set(id, { machine, seenAt: now(), leases: nodes.get(id)?.leases ?? new Map() })
      return id
    },
    /** The keeper of a node was killed: its leases end, what its living workers reserved stays. */
    replace(before: number, after: number): void {
      for (const one of reservations.values()) if (one.nodeId === before) one.nodeId = after
      this.sweep(before, false)
      replaced.add(before)
    },
    /** False: it was taken for dead. */
    heartbeat(nodeId: number): boolean {
      const node = nodes.get(nodeId)
      if (node) node.seenAt = now()
      return node !== undefined
    },
    commit(nodeId: number, { settle: settled, wishes, reserve: asked }: Batch): Answer {
      const node = nodes.get(nodeId)
      for (const one of settled) {
        // A statement that outlives its killed keeper: the successor's lease covers it, too.
        if (replaced.has(nodeId) && !stored.has(one.request))
          for (const [at, money] of one.request.moneys.entries())
            money.allowedNano += one.leased?.[at] ?? 0
        settle(node, one)
      }
      if (node) for (const one of wishes) wish(node, one)
      const denied = new Set<Request>()
      for (const { request, nano } of asked)
        if (!reserve(nodeId, request, nano)) denied.add(request)
      const paid = settled.filter(({ leased }) => leased !== undefined)
      const ids = new Set(paid.flatMap(({ request }) => request.moneys.map(({ id }) => id)))
      for (const { purse } of wishes) ids.add(purse)
      // A node that is in no list gets nothing: its wishes are answered all the same.
      const noOf = new Map(wishes.map(({ purse, no }) => [purse, no]))
      return {
        denied,
        leases: [...ids].map(
          (id) => node?.leases.get(id) ?? { ...noLease(id), no: noOf.get(id) ?? 0 },
        ),
      }
    },
    /** Nodes that hold a lease of it. */
    holders: (purse: number) =>
      [...nodes].flatMap(([id, { leases }]) =>
        (leases.get(purse)?.leaseNano ?? 0) > 0 ? [id] : [],
      ),
    jump(byMs: number): void {
      clockOffsetMs += byMs
      steadySince = world.now
    },
    silent: () => [...nodes].flatMap(([id, { seenAt }]) => (now() - seenAt > silentMs ? [id] : [])),
    /** Ends a node. `isAllowed`: what is under way there may exceed the balance from now on. */
    sweep(nodeId: number, isAllowed: boolean): void {
      const node = nodes.get(nodeId)
      if (node === undefined) return
      nodes.delete(nodeId)
      const elsewhere = (purse: number) =>
        [...nodes.values()]
          .filter(({ machine }) => machine === node.machine)
          .reduce((sum, { leases }) => sum + (leases.get(purse)?.leaseNano ?? 0), 0)
      for (const money of isAllowed ? world.moneys : []) {
        const under = world.requests.filter(
          (one) => one.machine === node.machine && one.moneys.includes(money),
        )
        const exposed = under.reduce((sum, one) => sum + one.exposedNano, 0)
        const leaseNano = node.leases.get(money.id)?.leaseNano ?? 0
        const isSudden = world.now - steadySince < 2 * silentMs
        const more = Math.max(exposed - elsewhere(money.id), 0)
        // It may begin on what it takes for its lease, until it hears.
        money.allowedNano += isSudden ? exposed + leaseNano : more
      }
      for (const { purse, leaseNano } of node.leases.values()) addReserved(purse, -leaseNano)
      for (const [request, { nodeId: owner }] of reservations)
        if (owner === nodeId) release(request)
    },
    /** At the end: nothing is reserved, and the balance is what the stored requests leave. */
    checkRest(): void {
      // The reservations of a dead worker are closed by its keeper, in its records: not here.
      for (const request of [...reservations.keys()]) if (request.state === 'gone') release(request)
      for (const { id, openingNano, balanceNano } of world.moneys) {
        const reservedNano = reserved.get(id) ?? 0
        if (reservedNano !== 0) throw new Broken(`money ${id}: ${reservedNano} stay reserved`)
        const spent = [...stored].filter(({ moneys }) => moneys.some((money) => money.id === id))
        const spentNano = spent.reduce((sum, { costNano }) => sum + costNano, 0)
        if (openingNano - spentNano !== balanceNano)
          throw new Broken(`money ${id}: charged ${openingNano - balanceNano}, not ${spentNano}`)
      }
      const lost = world.requests.find(({ state }) => state === 'ended')
      if (lost) throw new Broken(`request ${lost.id} was never charged`)
    },
  }
}

const noLease = (purse: number): Lease => ({ purse, leaseNano: 0, no: 0 })
