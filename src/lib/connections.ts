import { ptr } from 'bun:ffi'
import { readdirSync } from 'node:fs'
import { codeOf } from './failure.ts'
import { openSystemLibrary } from './system-library.ts'

interface System {
  readonly level: number
  readonly send: number
  readonly receive: number
  readonly listens: number
}

const systems: Readonly<Record<string, System>> = {
  linux: { level: 1, send: 7, receive: 8, listens: 30 },
  darwin: { level: 0xffff, send: 0x1001, receive: 0x1002, listens: 2 },
}
const system = systems[process.platform]

const value = new Int32Array(1)
const size = new Uint32Array(1)
let calls: ReturnType<typeof open> | null = null

/**
 * Bounds the kernel's buffer of unread (`receive`) or unsent (`send`) bytes of a socket, where the system allows
 * it: buffers grow to megabytes otherwise.
 */
export function boundSocket(fd: number, which: 'send' | 'receive', bytes: number): void {
  calls ??= open()
  if (system === undefined || fd < 0) return
  value[0] = bytes
  calls?.setsockopt(fd, system.level, system[which], ptr(value), 4)
}

/** The same for all connections that this process accepts later: they inherit it. */
export function boundAccepted(which: 'send' | 'receive', bytes: number): void {
  for (const fd of listeningDescriptors()) boundSocket(fd, which, bytes)
}

/** Descriptors of this process's listening sockets. */
export const listeningDescriptors = (): readonly number[] => openFiles().filter(isListening)

function openFiles(): number[] {
  try {
    return readdirSync(process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd').map(Number)
  } catch {
    return [] // such a list there is not everywhere
  }
}

function isListening(fd: number): boolean {
  calls ??= open()
  if (system === undefined || calls === undefined) return false
  value[0] = 0
  size[0] = 4
  const { getsockopt } = calls
  return getsockopt(fd, system.level, system.listens, ptr(value), ptr(size)) === 0 && value[0] !== 0
}

const open = () =>
  openSystemLibrary({
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  })

/** TLS verification errors by code, as the predicate of a sentence about a server. */
const complaints: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate of another name',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that nobody known here has signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an authority that is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an authority that is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an authority that is not known here',
}

/** Describes the certificate fault of a connection error; undefined for other errors. */
export function tlsComplaint(error: unknown): string | undefined {
  return complaints[codeOf(error) ?? '']
}
