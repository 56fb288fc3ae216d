import { type Pointer, ptr, read, toArrayBuffer } from 'bun:ffi'
import { constants } from 'node:os'
import { openSystemLibrary } from './system-library.ts'

// Linux alone: several sockets of one address, between which the kernel shares out the connections. Numbers and
// structures are those of all its 64-bit systems.

const stream = 1
const nonBlocking = 0o4000
const closeOnExec = 0o2000000
const internet6 = 10
const socketLevel = 1
const reuseAddress = 2
const reusePort = 15
const internet6Level = 41
const only6 = 26
/** As many connections may wait for a process that is being replaced; the system may allow fewer. */
const backlog = 4_096
const mostAddressBytes = 128

interface Address {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
}

export interface ListeningSockets {
  readonly port: number
  readonly descriptors: readonly number[]
}

/** A family of addresses, and the structure that names one. */
interface Place {
  readonly family: number
  readonly bytes: Uint8Array
}

/**
 * Opens so many listening sockets of one address. Throws an `Error` with the system's `code`: an address that another one listens on is refused.
 */
export function openListeningSockets({ host, port }: Address, count: number): ListeningSockets {
  let failure: unknown
  for (const place of placesOf(host, port)) {
    try {
      return openAt(place, count)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function openAt(place: Place, count: number): ListeningSockets {
  // Without SO_REUSEPORT it fails where somebody listens, even with it.
  const probe = bindSocket(place, false)
  const port = portOf(probe)
  closeSocket(probe)
  new DataView(place.bytes.buffer).setUint16(2, port)
  const descriptors: number[] = []
  try {
    while (descriptors.length < count) {
      const socket = bindSocket(place, true)
      descriptors.push(socket)
      must('listen', library().listen(socket, backlog))
    }
  } catch (error) {
    descriptors.forEach(closeSocket)
    throw error
  }
  return { port, descriptors }
}

function bindSocket({ family, bytes }: Place, isShared: boolean): number {
  const socket = must('socket', library().socket(family, stream | nonBlocking | closeOnExec, 0))
  setOption(socket, socketLevel, reuseAddress)
  if (isShared) setOption(socket, socketLevel, reusePort)
  if (family === internet6) setOption(socket, internet6Level, only6, 0)
  try {
    must('bind', library().bind(socket, ptr(bytes), bytes.length))
    return socket
  } catch (error) {
    closeSocket(socket)
    throw error
  }
}

/** Closes a socket that nothing else has closed. */
export function closeSocket(socket: number): void {
  library().close(socket)
}

function setOption(socket: number, level: number, option: number, value = 1): void {
  const values = new Int32Array([value])
  library().setsockopt(socket, level, option, ptr(values), values.byteLength)
}

function portOf(socket: number): number {
  const bytes = new Uint8Array(mostAddressBytes)
  const length = new Uint32Array([mostAddressBytes])
  must('getsockname', library().getsockname(socket, ptr(bytes), ptr(length)))
  return new DataView(bytes.buffer).getUint16(2)
}

/** The addresses of a host, IPv6 first, as the runtime tries them. */
function placesOf(host: string, port: number): readonly Place[] {
  const isPassive = 1
  const hints = new Int32Array(12)
  hints.set([isPassive, 0, stream])
  const found = new BigUint64Array(1)
  const name = Buffer.from(`${host}\0`)
  const service = Buffer.from(`${port}\0`)
  if (library().getaddrinfo(ptr(name), ptr(service), ptr(hints), ptr(found)) !== 0)
    throw systemError('getaddrinfo', 'ENOENT')
  const places: Place[] = []
  const first = Number(found[0]) as Pointer
  // struct addrinfo: family at 4, length at 16, address at 24, next at 40.
  for (let at = first; at; at = read.ptr(at, 40) as Pointer) {
    const address = toArrayBuffer(read.ptr(at, 24) as Pointer, 0, read.u32(at, 16))
    places.push({ family: read.i32(at, 4), bytes: new Uint8Array(address).slice() })
  }
  library().freeaddrinfo(first)
  return places.sort((a, b) => b.family - a.family)
}

/** The result of a system call. Throws an `Error` with the system's `code`. */
function must(call: string, result: number): number {
  if (result >= 0) return result
  const place = library().__errno_location()
  const number = place === null ? 0 : read.i32(place, 0)
  const [code] = Object.entries(constants.errno).find(([, one]) => one === number) ?? ['EUNKNOWN']
  throw systemError(call, code)
}

const systemError = (syscall: string, code: string) =>
  Object.assign(new Error(`${syscall}: ${code}`), { syscall, code })

let opened: ReturnType<typeof open> | undefined

function library() {
  opened ??= open()
  return opened
}

function open() {
  const found = openSystemLibrary({
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    listen: { args: ['i32', 'i32'], returns: 'i32' },
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    getaddrinfo: { args: ['ptr', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
    freeaddrinfo: { args: ['ptr'], returns: 'void' },
    __errno_location: { args: [], returns: 'ptr' },
  })
  if (found === undefined) throw new Error('The C library of this system is not known.')
  return found
}
