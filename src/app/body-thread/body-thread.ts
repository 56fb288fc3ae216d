import { join } from 'node:path'
import {
  type BodyThread,
  isRefused,
  type Job,
  type RefusedJob,
  type Results,
} from '../../gateway/body-thread/job.ts'
import { refusalOf } from '../../gateway/body-thread/prepare.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { createFairQueue } from '../../lib/concurrency.ts'
import { hasDescriptorsForThread, tooFewDescriptors } from '../../lib/process-state.ts'
import type { TextKeys } from '../../lib/secrets.ts'
import { isCompiled } from '../own-program.ts'

/** An idle thread ends after this time: its memory is worth more than the 100 ms of a start. */
const idleMs = 60_000
/** A job that takes longer hangs, and must not hold up the others. */
const longestJobMs = 120_000

type Waiting = PromiseWithResolvers<Done> & { readonly job: Job }

/** a body thread for whole requests, started on first use. Owners take turns. */
export function createBodyThread(keys: TextKeys, { longestMs = longestJobMs } = {}): BodyThread {
  const queue = createFairQueue<Waiting>()
  let worker: Worker | undefined
  let isReady = false
  let current: Waiting | undefined
  let idle: ReturnType<typeof setTimeout> | undefined
  let overdue: ReturnType<typeof setTimeout> | undefined

  function begin(): Worker {
    const made = new Worker(isCompiled ? Bun.main : join(import.meta.dir, '../../main.ts'))
    made.onmessage = ({ data }: MessageEvent<FromThread>) => {
      if (made !== worker) return
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
    made.onerror = ({ message }) => lose(made, message)
    made.addEventListener('close', () => lose(made, 'it has ended'))
    return made
  }

  function lose(made: Worker, reason: string): void {
    if (made !== worker) return
    const failed = current
    current = undefined
    end()
    next()
    failed?.reject(new Error(`The thread for large requests failed: ${reason}`))
  }

  function end(): void {
    worker?.terminate()
    worker = undefined
    isReady = false
  }

  function next(): void {
    if (current !== undefined) return
    clearTimeout(idle)
    clearTimeout(overdue)
    current = queue.next()
    if (current === undefined) {
      worker?.unref()
      idle = setTimeout(end, idleMs)
      idle.unref()
      return
    }
    if (worker === undefined && !hasDescriptorsForThread()) {
      const failed = current
      current = undefined
      next()
      failed.reject(new GatewayError('no_channel', `${tooFewDescriptors} Try again.`))
      return
    }
    const working = worker ?? begin()
    worker = working
    overdue = setTimeout(() => lose(working, 'its job takes too long'), longestMs)
    // Keeps the process alive only while it works.
    working.ref()
    if (isReady) send(current)
  }

  const send = ({ job }: Waiting) => worker?.postMessage({ job } satisfies ToThread)

  function ask(owner: string, job: Job, signal: AbortSignal): Promise<Done> {
    const waiting: Waiting = { ...Promise.withResolvers<Done>(), job }
    const leave = () => {
      queue.remove(owner, waiting)
      waiting.reject(signal.reason)
    }
    signal.throwIfAborted()
    signal.addEventListener('abort', leave, { once: true })
    queue.add(owner, waiting)
    next()
    return waiting.promise.finally(() => signal.removeEventListener('abort', leave))
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

/** Messages to the thread: first the keys, then jobs. */
export type ToThread = { readonly keys: TextKeys } | { readonly job: Job }

export type Done =
  | { readonly result: Results[Job['kind']] | RefusedJob }
  | { readonly failure: string }

/** `ready`: the thread listens. */
export type FromThread = { readonly ready: true } | Done
