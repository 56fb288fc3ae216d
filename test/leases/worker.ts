import type { Link, Worker } from './node.ts'
import { createProcess, instantOf, type Machine } from './process.ts'
import type { Batch } from './store.ts'
import type { World } from './world.ts'

/** What a worker does on its side of the link. */
export function createWorker(
  world: World,
  machine: Machine,
  name: string,
  isLocal: boolean,
): Worker {
  const isUp = () => worker.link !== undefined
  const worker: Worker = {
    process: createProcess(world, machine, name, isUp, isLocal),
    link: undefined,
    sent: [],
  }
  return worker
}

/** Connects: what was sent before is sent again, without its wishes. */
export function connect(world: World, worker: Worker): Link {
  const { process, sent } = worker
  const link: Link = { worker, up: [], down: [], loan: undefined }
  const owed = process.borrower.owed()
  for (const batch of sent.splice(0)) process.failed({ ...batch, wishes: [] })
  link.up.push({ kind: 'hello', ...owed })
  worker.link = link
  world.say(() => `${process.name}: says hello with ${JSON.stringify(owed)}`)
  return link
}

export function sendBatch({ process, link, sent }: Worker): void {
  const batch = process.take()
  sent.push(batch)
  link?.up.push({ kind: 'batch', batch })
}

export function ping(world: World, { link, process: { machine } }: Worker): void {
  link?.up.push({ kind: 'ping', at: instantOf(world, machine) })
}

/** Reads the next message of its keeper. */
export function read(worker: Worker): void {
  const { process, link, sent } = worker
  const message = link?.down.shift()
  if (message === undefined) return
  if (message.kind === 'end') worker.link = undefined
  else if (message.kind === 'pong') process.term.renewed(message.at, message.ageMs)
  else if (message.kind === 'recall') process.borrower.recalled([message.purse], process.tick())
  else {
    const at = sent.indexOf(message.batch)
    if (at < 0) return
    sent.splice(at, 1)
    if (message.answer) process.answered(message.batch, message.answer)
    else process.failed(message.batch)
  }
}

/** The link breaks: each side still reads some of what was on its way. */
export function breakLink(world: World, link: Link): void {
  link.up.splice(world.below(link.up.length + 1))
  link.up.push({ kind: 'end' })
  link.down.splice(world.below(link.down.length + 1))
  link.down.push({ kind: 'end' })
}

export const isIn = (batches: readonly Batch[], request: Batch['settle'][number]['request']) =>
  batches.some(({ settle }) => settle.some((one) => one.request === request))
