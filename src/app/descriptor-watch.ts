import { type Repeat, repeatByTimer } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { descriptorLimit, hasSpareDescriptors, raiseIt } from '../lib/process-state.ts'

/** Looks whether this process can open files and connections still. */
export interface DescriptorWatch {
  isShort(): boolean
  stop(): void
}

const lookMs = 1_000
/** Fewer left: the next moment may take them. */
const fewest = 4
/** It is told no more often than this, however often it comes and goes. */
const tellMs = 60_000

/** Tells the log when no descriptors are left: connections that nobody can take tell nothing. */
export function watchDescriptors(log: Logger, repeat: Repeat = repeatByTimer): DescriptorWatch {
  let isShort = false
  let toldTick = Number.NEGATIVE_INFINITY
  let isTold = false

  function look(): void {
    const was = isShort
    isShort = !hasSpareDescriptors(fewest)
    if (isShort === was) return
    if (!isShort) {
      if (isTold) log.info('there are file descriptors again')
      isTold = false
    } else if (performance.now() - toldTick >= tellMs) {
      toldTick = performance.now()
      isTold = true
      const limit = descriptorLimit()
      log.error(`no file descriptors are left, no connection is taken or made: ${raiseIt}`, {
        limit,
      })
    }
  }

  const stop = repeat(look, lookMs)
  return { isShort: () => isShort, stop }
}
