import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism, devNull, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock, Repeat } from './clock.ts'
import { codeOf } from './failure.ts'

interface MemoryLimit {
  readonly bytes: number
  readonly source: 'container' | 'machine'
}

const readText = (path: string) => readFileSync(path, 'utf8')

/** The smallest limit of this process's control groups (v1, v2), else the machine's memory. */
export function findMemoryLimit(read = readText, machineBytes = totalmem()): MemoryLimit {
  const limits = groupsOf('memory', read).map(({ folder, isV1 }) =>
    bytesIn(join(folder, isV1 ? 'memory.limit_in_bytes' : 'memory.max'), read),
  )
  const least = Math.min(...limits)
  return least < machineBytes
    ? { bytes: least, source: 'container' }
    : { bytes: machineBytes, source: 'machine' }
}

/** Processors that this process may use: no more than its control groups (v1, v2) grant it. */
export function countProcessors(read = readText, ofMachine = availableParallelism()): number {
  const quotas = groupsOf('cpu', read).map(({ folder, isV1 }) => {
    const [quota, period] = isV1
      ? ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((file) => textOf(join(folder, file), read))
      : textOf(join(folder, 'cpu.max'), read).split(' ')
    const cores = Number(quota || 'none') / Number(period || 'none')
    return cores > 0 ? cores : Number.POSITIVE_INFINITY
  })
  return Math.min(ofMachine, ...quotas)
}

/** In a container the path may be the host's with only its root mounted, so all parents are read. */
function groupsOf(controller: 'memory' | 'cpu', read: (path: string) => string) {
  const groups: { readonly folder: string; readonly isV1: boolean }[] = []
  for (const line of textOf('/proc/self/cgroup', read).split('\n')) {
    const [, controllers, path = '/'] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (controllers === undefined) continue
    const isV1 = controllers.split(',').includes(controller)
    if (!isV1 && controllers !== '') continue
    const root = isV1 ? `/sys/fs/cgroup/${controller}` : '/sys/fs/cgroup'
    for (let at = path; ; at = dirname(at)) {
      groups.push({ folder: join(root, at), isV1 })
      if (at === '/') break
    }
  }
  return groups
}

/** Infinity: the file is missing, or says `max`. */
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

/** Memory of this process that the kernel cannot reclaim, in bytes: without file pages. */
export function heldMemoryBytes(): number {
  const [, resident, shared] = textOf('/proc/self/statm', readText).split(' ').map(Number)
  if (!resident || shared === undefined) return residentMemoryBytes()
  return (resident - shared) * pageBytes
}

/** User and system CPU time of this process. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let lastResident = 0

/** Resident bytes; the last known value while no file descriptor is left to read it. */
export function residentMemoryBytes(): number {
  try {
    lastResident = process.memoryUsage.rss()
  } catch {
    // Out of descriptors: the next call tries again.
  }
  return lastResident
}

/** The page size of all supported Linux targets but some arm64 kernels, where results are too low. */
const pageBytes = 4_096

/** The limit of open files: Infinity without one, undefined where the system has none to read. */
export function descriptorLimit(): number | undefined {
  known ??= readLimit()
  return known
}

/** Read once: the limit does not change, and cannot be read once it is reached. */
let known: number | undefined

function readLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const [, soft] = /^Max open files +(\d+|unlimited) /m.exec(limits) ?? []
    if (soft === undefined) return undefined
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  } catch (error) {
    return isShortage(error) ? 0 : undefined // so low that not even this file could be opened
  }
}

/** Whether so many more files could be opened now. It opens them, some microseconds each. */
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

/** Whether a thread can start safely: without descriptors for it Bun 1.4 ends the process. */
export const hasDescriptorsForThread = (): boolean =>
  hasSpareDescriptors(Math.min(mostForThread, Math.floor((descriptorLimit() ?? 0) / 4)))

const mostForThread = 256

export const tooFewDescriptors = 'Too few file descriptors are left at present.'

/** Advice for the operator. */
export const raiseLimitAdvice =
  'raise the limit: ulimit -n 65536 in a shell, LimitNOFILE=65536 in systemd, --ulimit nofile=65536 for a container'

const isShortage = (error: unknown) => ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')

/** Files that this process has open, connections included; undefined without /proc. */
export function countOpenFiles(): number | undefined {
  try {
    // Linux reports it as the folder's size from 6.2 on; before, one entry is the folder itself.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}

export type LagMeter = ReturnType<typeof createLagMeter>

const everyMs = 1_000
const samples = 60

/** Measures the event loop delay by how late a timer fires. `tick` is monotonic, in milliseconds. */
export function createLagMeter(tick: Clock, repeat: Repeat) {
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

/** Whether a process of this number runs. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
