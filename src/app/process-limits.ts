import { createMemoryBudget, type MemoryBudget } from '../gateway/memory/memory-budget.ts'
import type { SocketLimits } from '../gateway/socket/sockets.ts'
import { type Repeat, repeatByTimer } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import {
  descriptorLimit,
  findMemoryLimit,
  hasSpareDescriptors,
  heldMemoryBytes,
  raiseLimitAdvice,
} from '../lib/process-state.ts'
import type { Config } from './config/config.ts'

/** Memory limits of this process, and their source. */
export interface ProcessMemory {
  readonly limitBytes: number
  readonly source: 'configuration' | 'container' | 'machine'
  readonly budget: MemoryBudget
  /** WebSockets at once, and the longest message on one. */
  readonly sockets: SocketLimits & { readonly messageBytes: number }
  readonly fileCacheBytes: number
}

const mebibyte = 1_048_576
/** What the program itself holds with some requests under way, without its code. */
const ownBytes = 80 * mebibyte
/** The rest is for garbage and the file cache of the system. */
const partOfRest = 0.8
const leastBudget = 16 * mebibyte
/** Beyond this part of the limit no large request is admitted. */
const partHeld = 0.9
/** Other programs use the machine too. */
const partOfMachine = 0.5
/** Bounds of forced collections, during which no request is answered: an interval, and a part of the time. */
const collectEveryMs = 500
const collectOnePartIn = 20

/** The memory budget of this process, by its configuration or the system's limits, which several may share. */
export function createProcessMemory(
  { memoryBytes }: Pick<Config['server'], 'memoryBytes'>,
  processes = 1,
): ProcessMemory {
  const { limitBytes: ofAll, source } = limitOf(memoryBytes)
  const limitBytes = Math.floor(ofAll / processes)
  const own = Math.min(ownBytes, limitBytes / 2)
  const totalBytes = Math.max(Math.floor((limitBytes - own) * partOfRest), leastBudget)
  let collectAt = 0

  /** Released memory is garbage first: collects it when little room is left. */
  function hasRoom(bytes: number): boolean {
    const isFree = () => heldMemoryBytes() + bytes <= limitBytes * partHeld
    if (isFree()) return true
    const before = performance.now()
    if (before < collectAt) return false
    Bun.gc(true)
    const after = performance.now()
    collectAt = after + Math.max(collectEveryMs, collectOnePartIn * (after - before))
    return isFree()
  }

  const budget = createMemoryBudget({ totalBytes, hasFreeMemory: hasRoom })
  const fileCacheBytes = Math.min(Math.floor(totalBytes / 16), 64 * mebibyte)
  return { limitBytes, source, budget, sockets: socketsWithin(totalBytes), fileCacheBytes }
}

function socketsWithin(totalBytes: number): ProcessMemory['sockets'] {
  const messageBytes = Math.min(
    Math.max(Math.floor(totalBytes / 1_024), 2 * mebibyte),
    16 * mebibyte,
  )
  const whole = (count: number, most: number) => Math.max(1, Math.min(Math.floor(count), most))
  return {
    messageBytes,
    ofAccount: whole(totalBytes / 4 / messageBytes, 256),
    ofAll: whole((16 * totalBytes) / messageBytes, 16_384),
    conversations: conversationsWithin(totalBytes),
  }
}

/** Limits of conversations kept for connections: warm-ups leave some that are never used. */
function conversationsWithin(totalBytes: number): SocketLimits['conversations'] {
  const ofAll = Math.min(Math.floor(totalBytes / 8), 256 * mebibyte)
  const ofAccount = Math.min(Math.floor(ofAll / 2), 64 * mebibyte)
  return { ofOne: Math.min(ofAccount, 8 * mebibyte), ofAccount, ofAll }
}

function limitOf(memoryBytes: number | null): Pick<ProcessMemory, 'limitBytes' | 'source'> {
  if (memoryBytes !== null) return { limitBytes: memoryBytes, source: 'configuration' }
  const { bytes, source } = findMemoryLimit()
  return { limitBytes: source === 'machine' ? bytes * partOfMachine : bytes, source }
}

const lookMs = 1_000
/** Fewer left: the next moment may take them. */
const fewest = 4
/** At most one log line in this time, however often the state changes. */
const logMs = 60_000

/** Logs when no descriptors are left: connections that can't be accepted leave no trace. */
export function watchDescriptors(log: Logger, repeat: Repeat = repeatByTimer) {
  let isShort = false
  let loggedTick = Number.NEGATIVE_INFINITY
  let isLogged = false

  function look(): void {
    const was = isShort
    isShort = !hasSpareDescriptors(fewest)
    if (isShort === was) return
    if (!isShort) {
      if (isLogged) log.info('there are file descriptors again')
      isLogged = false
    } else if (performance.now() - loggedTick >= logMs) {
      loggedTick = performance.now()
      isLogged = true
      const message = 'no file descriptors are left, no connection is taken or made: '
      log.error(message + raiseLimitAdvice, { limit: descriptorLimit() })
    }
  }

  const stop = repeat(look, lookMs)
  return { isShort: () => isShort, stop }
}
