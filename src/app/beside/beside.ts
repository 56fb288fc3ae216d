import { join } from 'node:path'
import { type Beside, isRefused, type Job } from '../../gateway/beside/job.ts'
import { refusalOf } from '../../gateway/beside/prepare-beside.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { TextKeys } from '../../lib/secrets.ts'
import { isCompiled } from '../jobs/own-program.ts'
import type { Done, FromThread, ToThread } from './messages.ts'

/** An idle thread is ended after this time: its memory is worth more than its start (some 100 ms). */
const idleMs = 60_000

interface Waiting {
  readonly job: Job
  resolve(message: Done): void
  reject(error: unknown): void
}

/**
 * One thread beside this one for work on whole requests, begun when it is needed. It does one job at a
 * time, and takes the owners who wait in turn: whoever sends many waits for himself.
 */
export function createBeside(keys: TextKeys): Beside {
  const queue = createFairQueue<Waiting>()
  let worker: Worker | undefined
  let isReady = false
  let current: Waiting | undefined
  let idle: ReturnType<typeof setTimeout> | undefined

  function begin(): Worker {
    const made = new Worker(isCompiled ? Bun.main : join(import.meta.dir, '../../main.ts'))
    made.onmessage = ({ data }: MessageEvent<FromThread>) => {
      if ('ready' in data) {
        isReady = true
        made.postMessage({ keys } satisfies ToThread)
        if (current !== undefined) send(current)
        return
      }
      const done = current
      current = undefined
      next()
      done?.resolve(data)
    }
    made.onerror = ({ message }) => {
      const failed = current
      current = undefined
      end()
      next()
      failed?.reject(new Error(`The thread for large requests failed: ${message}`))
    }
    return made
  }

  function end(): void {
    worker?.terminate()
    worker = undefined
    isReady = false
  }

  function next(): void {
    if (current !== undefined) return
    clearTimeout(idle)
    current = queue.next()
    if (current === undefined) {
      worker?.unref()
      idle = setTimeout(end, idleMs)
      idle.unref()
      return
    }
    worker ??= begin()
    // Only while it works does it keep the process going.
    worker.ref()
    if (isReady) send(current)
  }

  const send = ({ job }: Waiting) => worker?.postMessage({ job } satisfies ToThread)

  function ask(owner: string, job: Job, signal: AbortSignal): Promise<Done> {
    const { promise, resolve, reject } = Promise.withResolvers<Done>()
    const waiting: Waiting = { job, resolve, reject }
    const leave = () => {
      queue.remove(owner, waiting)
      reject(signal.reason)
    }
    signal.throwIfAborted()
    signal.addEventListener('abort', leave, { once: true })
    queue.add(owner, waiting)
    next()
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  return {
    async run(owner, job, signal) {
      const message = await ask(owner, job, signal)
      if ('failure' in message) throw new Error(message.failure)
      const { result } = message
      if (isRefused(result)) throw refusalOf(result)
      return result as never
    },
  }
}
