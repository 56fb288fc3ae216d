import type { BackupResult, JobMessage, JobProgress, VerifyResult } from './messages.ts'

interface ChildParts {
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** What it is told beside them, where not all users of the machine can see it. */
  readonly env?: { readonly [name: string]: string }
  readonly onProgress: (progress: JobProgress) => void
  /** Ends the process; it cleans up after itself. */
  readonly signal: AbortSignal
}

/** Runs a job in a process of its own; rejects with its failure in words. */
export async function runChild(parts: ChildParts): Promise<VerifyResult | BackupResult> {
  const child = Bun.spawn([...parts.command], {
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    env: { ...process.env, ...parts.env },
  })
  const end = () => child.kill('SIGTERM')
  parts.signal.addEventListener('abort', end)
  let result: VerifyResult | BackupResult | undefined
  let failure: string | undefined
  const errors = new Response(child.stderr).text()
  try {
    for await (const line of linesOf(child.stdout)) {
      const message = JSON.parse(line) as JobMessage
      if ('progress' in message) parts.onProgress(message.progress)
      else if ('result' in message) result = message.result
      else failure = message.failure
    }
    await child.exited
  } finally {
    parts.signal.removeEventListener('abort', end)
    if (child.exitCode === null) child.kill()
  }
  parts.signal.throwIfAborted()
  if (result) return result
  throw new Error(failure ?? lastLine(await errors) ?? 'It ended without a result.')
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) || undefined

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
