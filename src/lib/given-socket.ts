import { ptr } from 'bun:ffi'
import { readdirSync, readFileSync } from 'node:fs'
import { listeningDescriptors } from './connections.ts'
import { openSystemLibrary } from './system-library.ts'

/**
 * Runs `listen`, which opens a server on any port of its own, and puts a given listening socket in the place of
 * the server's: the runtime (Bun 1.4) takes none itself. Linux alone. The server closes it as its own.
 */
export function listenOnGiven<Server>(socket: number, listen: () => Server): Server {
  const others = new Set(listeningDescriptors())
  const server = listen()
  const [own, more] = listeningDescriptors().filter((one) => !others.has(one))
  const poll = own === undefined || more !== undefined ? undefined : findPoll(own)
  if (own === undefined || poll === undefined)
    throw new Error('The server’s own socket was not found.')
  const { dup3, epoll_ctl, close } = open()
  // The server's own socket is closed by this, and so leaves the poll.
  if (dup3(socket, own, closeOnExec) !== own) throw new Error('A socket could not be duplicated.')
  if (epoll_ctl(poll.descriptor, add, own, ptr(poll.event)) !== 0)
    throw new Error('A socket could not be polled.')
  close(socket)
  return server
}

const closeOnExec = 0o2000000
const add = 1

interface Poll {
  readonly descriptor: number
  /** A `struct epoll_event` as the runtime has registered it. */
  readonly event: Uint8Array
}

/** The poll in which the runtime has registered a descriptor. */
function findPoll(descriptor: number): Poll | undefined {
  const folder = '/proc/self/fdinfo'
  const line = new RegExp(`^tfd: +${descriptor} +events: +([0-9a-f]+) +data: +([0-9a-f]+)`, 'm')
  for (const name of readdirSync(folder)) {
    const [, events, data] = line.exec(textOf(`${folder}/${name}`)) ?? []
    if (events !== undefined && data !== undefined)
      return { descriptor: Number(name), event: eventOf(Number.parseInt(events, 16), data) }
  }
  return undefined
}

/** It is packed on x64 only. Flags above the sixteenth bit say how it was registered, not for what. */
function eventOf(events: number, data: string): Uint8Array {
  const at = process.arch === 'x64' ? 4 : 8
  const bytes = new Uint8Array(at + 8)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, events & 0xffff, true)
  view.setBigUint64(at, BigInt(`0x${data}`), true)
  return bytes
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has just been closed: the folder's own
  }
}

function open() {
  const found = openSystemLibrary({
    dup3: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    epoll_ctl: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
  })
  if (found === undefined) throw new Error('The C library of this system is not known.')
  return found
}
