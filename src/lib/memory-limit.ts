import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'

/** How much memory this process may have, and who says so. */
export interface MemoryLimit {
  readonly bytes: number
  readonly source: 'container' | 'machine'
}

interface Places {
  /** Reads a file; throws where there is none. */
  readonly read?: (path: string) => string
  readonly machineBytes?: number
}

const readText = (path: string) => readFileSync(path, 'utf8')

/**
 * The smallest limit of the control groups that this process is in (cgroup v1 and v2, parents too), where
 * one is below what the machine has; else all that the machine has.
 */
export function findMemoryLimit(places: Places = {}): MemoryLimit {
  const { read = readText, machineBytes = totalmem() } = places
  const limits = [...limitFiles(read)].map((file) => bytesIn(file, read))
  const least = Math.min(...limits)
  return least < machineBytes
    ? { bytes: least, source: 'container' }
    : { bytes: machineBytes, source: 'machine' }
}

/** In a container the path may be the host's, with only its root mounted: so that all parents are read. */
function* limitFiles(read: (path: string) => string): Generator<string> {
  for (const line of textOf('/proc/self/cgroup', read).split('\n')) {
    const [, controllers, path = '/'] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (controllers === undefined) continue
    const isV1 = controllers.split(',').includes('memory')
    if (!isV1 && controllers !== '') continue
    const root = isV1 ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup'
    for (let at = path; ; at = dirname(at)) {
      yield join(root, at, isV1 ? 'memory.limit_in_bytes' : 'memory.max')
      if (at === '/') break
    }
  }
}

/** Infinite: the file is not there, or says `max`. */
function bytesIn(file: string, read: (path: string) => string): number {
  const bytes = Number(textOf(file, read).trim() || 'none')
  return bytes > 0 ? bytes : Number.POSITIVE_INFINITY
}

function textOf(file: string, read: (path: string) => string): string {
  try {
    return read(file)
  } catch {
    return '' // not every system has it
  }
}

/**
 * Memory that this process holds and nobody can take from it, in bytes: without the pages of files, which
 * the system drops when it is short. Where there is no /proc, all that is resident.
 */
export function heldMemoryBytes(): number {
  const [, resident, shared] = textOf('/proc/self/statm', readText).split(' ').map(Number)
  if (!resident || shared === undefined) return residentMemoryBytes()
  return (resident - shared) * pageBytes
}

let lastResident = 0

/** All that is resident, in bytes; as it was last known where no file descriptor is left to read it by. */
export function residentMemoryBytes(): number {
  try {
    lastResident = process.memoryUsage.rss()
  } catch {
    // The next look finds a descriptor.
  }
  return lastResident
}

/** Of Linux on all that this program is built for, but for some arm64 kernels: there it reckons too low. */
const pageBytes = 4_096
