import { createNode, type Item, type Link, type Node, type Worker } from './node.ts'
import type { Machine } from './process.ts'
import { createStore } from './store.ts'
import { breakLink, connect, createWorker, isIn, ping, read, sendBatch } from './worker.ts'
import { Broken, createWorld, type Request } from './world.ts'

/** Runs one schedule: any order of messages, faults and clocks, by chance. Throws `Broken`. */
export function runSchedule(
  seed: number,
  schedule?: string[],
): { readonly requests: readonly Request[] } {
  const world = createWorld(seed, schedule)
  const store = createStore(world)
  /** One machine before a store of its own: it is never taken for dead, and sweeps at its start. */
  const isLocal = world.isOne(3)
  /** Each schedule has more of one fault than of others. */
  const usual = { fault: world.below(9), outOf: 2 + world.below(5), pace: 8 + world.below(24) }
  const nodes: Node[] = []
  /** Links whose messages are still read by the keeper. */
  const links: Link[] = []
  let items: Item[] = []

  for (let id = 0; id < (isLocal ? 1 : 1 + world.below(3)); id++) {
    const machine: Machine = { id, wallOffsetMs: 0, sleptMs: 0, hasBadWall: world.isOne(2) }
    const names = Array.from({ length: world.below(4) }, (_, at) => `worker ${id}.${at}`)
    const workers = names.map((name) => createWorker(world, machine, name, isLocal))
    nodes.push(createNode(world, store, machine, isLocal, workers))
    for (const worker of workers) links.push(connect(world, worker))
  }

  const isUsable = ({ process }: Node | Worker) => !process.isDead && !process.isFrozen
  const livingWorkers = () => nodes.flatMap(({ workers }) => workers.filter(isUsable))

  // The keeper's way to the store: each call is on its own, and may be overtaken.

  function execute(item: Item): void {
    item.isDone = true
    if (item.kind === 'heartbeat') item.isKnown = store.heartbeat(item.nodeId)
    else item.answer = store.commit(item.nodeId, item.whole)
    world.say(() => `store: does ${item.kind} of ${item.nodeId}${item.isLate ? ', late' : ''}`)
    for (const money of [...(item.answer?.denied ?? [])].flatMap(({ moneys }) => moneys))
      for (const holder of store.holders(money.id))
        if (!world.isOne(4)) nodes.find(({ id }) => id === holder)?.recall(money.id)
  }

  function moveItem(canFail: boolean): void {
    const item = world.pick(items)
    const { node } = item
    if (canFail && world.isOne(12) && !item.isLate && isUsable(node)) {
      // A batch that reserves is not done late: that is not of leases.
      item.isLate = true
      node.failed(item)
      if (item.isDone || item.whole.reserve.length > 0 || isLocal || world.isOne(2)) drop(item)
      return
    }
    if (!item.isDone) {
      execute(item)
      if (item.isLate) drop(item)
    } else if (isUsable(node)) {
      node.answered(item)
      drop(item)
    } else if (node.process.isDead) drop(item)
  }

  function drop(item: Item): void {
    items = items.filter((one) => one !== item)
    forgetGone()
  }

  /** Requests whose process is dead, and whose settlement is nowhere any more. */
  function forgetGone(): void {
    for (const request of world.requests) {
      if (request.state !== 'ended' || isKnown(request)) continue
      request.state = 'gone'
      world.expose(request, 0)
    }
  }

  const isKnown = (request: Request): boolean =>
    items.some(({ whole }) => isIn([whole], request)) ||
    nodes.some(
      (node) =>
        (!node.process.isDead && node.holds(request)) ||
        node.workers.some(
          ({ process, sent }) => !process.isDead && (process.holds(request) || isIn(sent, request)),
        ),
    ) ||
    links.some(({ up }) => up.some((one) => one.kind === 'batch' && isIn([one.batch], request)))

  // Between keeper and workers.

  function readUp(): void {
    const readable = links.filter(({ up, worker }) => up.length > 0 && isUsable(nodeOf(worker)))
    if (readable.length === 0) return
    const link = world.pick(readable)
    const message = link.up.shift()
    if (message === undefined) return
    nodeOf(link.worker).receive(link, message)
    if (message.kind !== 'end') return
    link.up.splice(0)
    links.splice(links.indexOf(link), 1)
    forgetGone()
  }

  const nodeOf = (worker: Worker): Node =>
    nodes.find(({ workers }) => workers.includes(worker)) as Node

  function serveWorker(worker: Worker): void {
    if (worker.link === undefined) links.push(connect(world, worker))
    else if (worker.link.down.length > 0 && world.isOne(2)) read(worker)
    else if (world.isOne(6)) ping(world, worker)
    else if (worker.process.hasWork() && world.isOne(2)) sendBatch(worker)
    else worker.process.act()
  }

  function serveNode(node: Node): void {
    node.start()
    if (world.isOne(6)) items.push(...node.heartbeat())
    else if (node.hasWork() && world.isOne(2)) items.push(node.send())
    else node.process.act()
  }

  // Faults.

  function killWorker(worker: Worker): void {
    world.say(() => `${worker.process.name}: dies`)
    worker.process.die()
    if (worker.link) breakLink(world, worker.link)
    worker.link = undefined
    const node = nodeOf(worker)
    const isRead = !links.some((link) => link.worker === worker)
    if (isRead && !node.process.isDead) node.lost(worker)
    forgetGone()
    // Another one starts in its place.
    const { process } = worker
    const next = createWorker(world, node.machine, `${process.name}'`, isLocal)
    node.workers.push(next)
  }

  function killKeeper(node: Node): void {
    world.say(() => `${node.process.name}: dies`)
    node.process.die()
    for (const worker of node.workers) worker.link = undefined
    for (const link of links.filter(({ worker }) => node.workers.includes(worker)))
      links.splice(links.indexOf(link), 1)
    const mine = items.filter((item) => item.node === node)
    for (const item of mine) if (isLocal || item.isDone || world.isOne(2)) drop(item)
    const workers = node.workers.filter(({ process }) => !process.isDead)
    const next = createNode(world, store, node.machine, isLocal, workers, node.inherited())
    nodes[nodes.indexOf(node)] = next
    forgetGone()
  }

  function fault(): void {
    const node = world.pick(nodes)
    const worker = world.pick(node.workers)
    const kind = world.isOne(usual.outOf) ? world.below(9) : usual.fault
    if (kind === 0 && worker && isUsable(worker)) killWorker(worker)
    else if (kind === 1 && isUsable(node)) killKeeper(node)
    else if (kind === 2 && worker?.link) {
      breakLink(world, worker.link)
    } else if (kind === 3) {
      const { process } = worker && world.isOne(2) ? worker : node
      process.isFrozen = !process.isFrozen
    } else if (kind === 4 && !isLocal) jumpClock(node.machine)
    else if (kind === 5 && !isLocal && world.isOne(4)) store.jump((world.below(5) - 1) * 20_000)
    else if (kind === 6) world.now += 1_000 * world.below(40)
    else if (kind === 7) sweep()
    else if (kind === 8 && !isLocal) fallSilent(node)
  }

  /** A machine is frozen for longer than the store waits for it; the others take what is free. */
  function fallSilent(node: Node): void {
    for (const { process } of [node, ...node.workers]) process.isFrozen = true
    for (const other of nodes) if (other !== node) store.heartbeat(other.id)
    world.now += 35_000
    sweep()
    for (let round = 0; round < 40; round++) {
      const others = nodes.filter(isUsable)
      if (others.length > 0) serveNode(world.pick(others))
      if (items.length > 0) moveItem(false)
    }
    for (const { process } of [node, ...node.workers]) process.isFrozen = world.isOne(3)
    if (node.process.isFrozen) return
    items.push(...node.heartbeat())
    for (let round = 0; round < 8; round++) {
      if (items.length > 0) moveItem(false)
      node.process.act()
      world.check()
    }
  }

  function jumpClock(machine: Machine): void {
    if (machine.hasBadWall) machine.wallOffsetMs += (world.below(7) - 3) * 10_000
    else {
      const asleepMs = world.below(60_000)
      machine.sleptMs += asleepMs
      world.now += asleepMs
    }
  }

  function sweep(): void {
    for (const nodeId of isLocal ? [] : store.silent()) {
      world.say(() => `store: takes ${nodeId} for dead`)
      store.sweep(nodeId, true)
    }
  }

  function rest(): void {
    for (const node of nodes.filter(isUsable)) node.process.borrower.rest(node.process.tick())
    for (const { process } of livingWorkers()) process.borrower.rest(process.tick())
  }

  function step(): void {
    world.now += world.isOne(3) ? world.below(300) : 0
    const kind = world.isOne(usual.pace) ? 0 : 1 + world.below(23)
    const able = nodes.filter(isUsable)
    const workers = livingWorkers()
    if (kind === 0) fault()
    else if (kind === 1) rest()
    else if (kind < 8 && items.length > 0) moveItem(true)
    else if (kind < 12) readUp()
    else if (kind < 19 && workers.length > 0) serveWorker(world.pick(workers))
    else if (able.length > 0) serveNode(world.pick(able))
    world.check()
  }

  const steps = 40 + world.below(160)
  for (let at = 0; at < steps; at++) step()
  settleDown()
  store.checkRest()
  return world

  /** All faults end, all requests end: everything comes to rest. */
  function settleDown(): void {
    const all = () => [...nodes, ...nodes.flatMap(({ workers }) => workers)]
    for (const { process } of all()) process.isFrozen = false
    let quiet = 0
    for (let round = 0; quiet < 25; round++) {
      if (round > 600) throw new Broken('it does not come to rest')
      world.now += 2_000
      sweep()
      for (const { process } of all()) if (!process.isDead) process.endAll()
      rest()
      const moved = settleRound()
      quiet = moved ? 0 : quiet + 1
      world.check()
    }
  }

  function settleRound(): boolean {
    let moved = false
    for (const worker of livingWorkers()) {
      if (worker.link === undefined) links.push(connect(world, worker))
      while (worker.link && worker.link.down.length > 0) read(worker)
      if (worker.link && worker.process.hasWork()) {
        sendBatch(worker)
        moved = true
      }
      if (worker.link) ping(world, worker)
    }
    while (links.some(({ up }) => up.length > 0)) readUp()
    for (const node of nodes) {
      node.start()
      items.push(...node.heartbeat())
      if (node.hasWork()) {
        items.push(node.send())
        moved = true
      }
    }
    while (items.length > 0) moveItem(false)
    return moved
  }
}
