import type { Socket } from 'node:net'
import { type Bytes, type Step, type Steps, toBytes } from './steps.ts'

/** A connection as it is played on. */
export interface Stage {
  readonly socket: Socket
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>
  /** Settles when a test has opened the gate. */
  gate(name: string): Promise<void>
  /** What becomes of the connection when another request comes in by it. */
  leaveWhenReused: 'end' | 'reset' | undefined
}

/** Does one step after the other, until all are done or the far side has left. */
export async function play(stage: Stage, steps: Steps): Promise<void> {
  for (const step of steps) {
    if (stage.socket.destroyed) return
    await playStep(stage, step)
  }
}

async function playStep(stage: Stage, step: Step): Promise<void> {
  const { socket, closed } = stage
  switch (step.do) {
    case 'write':
      return writeAll(stage, step.bytes)
    case 'drip':
      return dripAll(stage, step)
    case 'repeat':
      return repeatAll(stage, step)
    case 'wait':
      return sleep(step.ms, closed)
    case 'gate':
      return Promise.race([stage.gate(step.name), closed])
    case 'stall':
      return closed
    case 'end':
      socket.end()
      return
    case 'reset':
      socket.resetAndDestroy()
      return
    case 'leave-when-reused':
      stage.leaveWhenReused = step.how
  }
}

/** Writes, and waits where the far side does not take it. */
async function writeAll({ socket, closed }: Stage, bytes: Bytes): Promise<void> {
  if (socket.write(toBytes(bytes))) return
  await Promise.race([new Promise<void>((resolve) => socket.once('drain', resolve)), closed])
}

async function dripAll(stage: Stage, step: Step & { readonly do: 'drip' }): Promise<void> {
  const bytes = toBytes(step.bytes)
  for (let at = 0; at < bytes.length && !stage.socket.destroyed; at += step.size) {
    if (at > 0) await sleep(step.everyMs, stage.closed)
    await writeAll(stage, bytes.subarray(at, at + step.size))
  }
}

/** So many bytes are written at once: small pieces are joined. */
const batchBytes = 65_536

async function repeatAll(stage: Stage, step: Step & { readonly do: 'repeat' }): Promise<void> {
  const bytes = toBytes(step.bytes)
  const perBatch = Math.max(1, Math.floor(batchBytes / bytes.length))
  const batch = Buffer.concat(Array.from({ length: perBatch }, () => bytes))
  for (let left = step.times; left > 0 && !stage.socket.destroyed; left -= perBatch) {
    await writeAll(stage, left < perBatch ? batch.subarray(0, left * bytes.length) : batch)
    // Whoever takes everything at once would leave no turn to anybody else.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function sleep(ms: number, closed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([over, closed])
  clearTimeout(timer)
}
