import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { devNull, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock, Repeat } from './clock.ts'

interface MemoryLimit {
  readonly bytes: number
  readonly source: 'container' | 'machine'
}

interface Places {
  /** Reads a file; throws where there is none. */
  readonly read?: (path: string) => string
  readonly machineBytes?: number
}

const readText = (path: string) => readFileSync(path, 'utf8')

/** The smallest limit of this process's control groups (v1, v2), else all of the machine. */
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

/** Memory that nobody can take from this process, in bytes: without the pages of files. */
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

/** How many files this process may have open; undefined where the system does not tell. */
export function descriptorLimit(): number | undefined {
  known ??= readLimit()
  return known
}

/** It is not raised any more, and can't be read when it is reached. */
let known: number | undefined

function readLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch (error) {
    return isShortage(error) ? 0 : undefined // so low that not even this file could be opened
  }
}

/** Whether so many more files could be opened now. It opens them, which takes some microseconds each. */
export function hasSpareDescriptors(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'))
    return true
  } catch (error) {
    return !isShortage(error)
  } finally {
    for (const one of opened) closeSync(one)
  }
}

/** Whether a thread can be begun safely: without descriptors for it Bun 1.4 ends the process. */
export const hasDescriptorsForThread = (): boolean =>
  hasSpareDescriptors(Math.min(mostForThread, Math.floor((descriptorLimit() ?? 0) / 4)))

const mostForThread = 256

export const tooFewDescriptors = 'Too few file descriptors are left at present.'

/** The way out, for people. */
export const raiseIt =
  'raise the limit: ulimit -n 65536 in a shell, LimitNOFILE=65536 in systemd, --ulimit nofile=65536 for a container'

const isShortage = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')

/** How many files this process has open, connections included; undefined where there is no /proc. */
export function countOpenFiles(): number | undefined {
  try {
    // Linux tells it as the size of the folder from 6.2 on; else one of the entries is the folder itself.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}

/** How many it may have open: infinite where there is no limit, undefined where there is no /proc. */
export function mostOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const most = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
    if (most === undefined) return undefined
    return most === 'unlimited' ? Number.POSITIVE_INFINITY : Number(most)
  } catch {
    return undefined
  }
}

/** How late this process comes to its work. */
export interface LagMeter {
  longestMs(): number
  stop(): void
}

const everyMs = 1_000
const samples = 60

/** Measures from now on, by how late a timer fires. `tick` is monotonic, in milliseconds. */
export function createLagMeter(tick: Clock, repeat: Repeat): LagMeter {
  const lagsMs = new Array<number>(samples).fill(0)
  let count = 0
  let lastTick = tick()
  const stop = repeat(() => {
    const now = tick()
    lagsMs[count++ % samples] = Math.max(0, now - lastTick - everyMs)
    lastTick = now
  }, everyMs)
  return { longestMs: () => Math.max(...lagsMs), stop }
}
