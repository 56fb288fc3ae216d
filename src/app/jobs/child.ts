import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { JobView } from '../../admin/maintenance/schema.ts'

/** Passes a database address to a job: all users of a machine see command lines. */
export const jobUrlVariable = 'TOLLGATE_JOB_URL'

export type JobProgress = NonNullable<JobView['progress']>

export type JobResult = Partial<Pick<JobView, 'verify' | 'backup'>>

/** A line that a job's process writes. */
export type JobMessage =
  | { readonly progress: JobProgress }
  | { readonly result: JobResult }
  | { readonly failure: string }

interface ChildParts {
  readonly command: readonly string[]
  /** What other users of the machine must not see. */
  readonly env?: { readonly [name: string]: string }
  readonly onProgress: (progress: JobProgress) => void
  readonly signal: AbortSignal
}

/** Runs a job in a process of its own; rejects with its failure in words. */
export async function runChild(parts: ChildParts): Promise<JobResult> {
  const child = Bun.spawn([...parts.command], {
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    env: { ...process.env, ...parts.env },
  })
  const end = () => child.kill('SIGTERM')
  parts.signal.addEventListener('abort', end)
  let result: JobResult | undefined
  let failure: string | undefined
  const errors = new Response(child.stderr).text()
  try {
    for await (const line of createInterface(Readable.fromWeb(child.stdout as never))) {
      const message = JSON.parse(line) as JobMessage
      if ('progress' in message) parts.onProgress(message.progress)
      else if ('result' in message) result = message.result
      else failure = message.failure
    }
    await child.exited
  } finally {
    parts.signal.removeEventListener('abort', end)
    // A second signal would end it before it has removed its files.
    if (child.exitCode === null && !parts.signal.aborted) child.kill()
    await child.exited
  }
  parts.signal.throwIfAborted()
  if (result) return result
  throw new Error(failure ?? lastLine(await errors) ?? 'It ended without a result.')
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) || undefined
