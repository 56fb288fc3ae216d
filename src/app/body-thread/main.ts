import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { doJob } from '../../gateway/body-thread/work.ts'
import { createTextSealer } from '../../lib/secrets.ts'
import { countTokens } from '../count-tokens.ts'
import type { Done, FromThread, ToThread } from './body-thread.ts'

declare const self: Worker

/** Lower than that of the thread that answers all requests. */
const priority = 15

/** Runs on the body thread: one job after the other. */
export function workForGateway(): void {
  lowerThreadPriority()
  let sealer: ReturnType<typeof createTextSealer> | undefined
  self.onmessage = async ({ data }: MessageEvent<ToThread>) => {
    if ('keys' in data) {
      sealer = createTextSealer(data.keys)
      return
    }
    try {
      if (sealer === undefined) throw new Error('The thread has no keys yet.')
      answer({ result: await doJob({ sealer, countTokens }, data.job) })
    } catch (error) {
      answer({ failure: error instanceof Error ? `${error.stack}` : `${error}` })
    }
  }
  // Messages sent before a listener exists are lost.
  self.postMessage({ ready: true } satisfies FromThread)
}

function answer(message: Done): void {
  const moved = 'result' in message ? buffersIn(message.result) : []
  self.postMessage(message, moved)
}

/** Buffers of the result, which are transferred instead of copied. */
function buffersIn(result: unknown): ArrayBuffer[] {
  const holders = typeof result === 'object' && result !== null ? [result] : []
  return holders
    .flatMap((holder) => ('targets' in holder ? (holder.targets as object[]) : [holder]))
    .flatMap((holder) =>
      'bytes' in holder && holder.bytes instanceof Uint8Array ? [holder.bytes] : [],
    )
    .flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []))
}

function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    // On Linux each thread has a priority of its own.
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), priority)
  } catch {
    // Without /proc the thread keeps the usual priority.
  }
}
