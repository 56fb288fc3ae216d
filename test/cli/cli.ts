import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** What a command left behind. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly env?: { readonly [name: string]: string }
  readonly stdin?: string
}

/**
 * The program, without its arguments: the compiled one that TOLLGATE_BINARY names, which starts many
 * times sooner, else its sources.
 */
export const program: readonly string[] = process.env.TOLLGATE_BINARY
  ? [resolve(process.env.TOLLGATE_BINARY)]
  : [process.execPath, join(import.meta.dir, '../../src/main.ts')]

/** A directory of its own for commands to run in, as a user would. */
export interface Workplace extends AsyncDisposable {
  readonly path: string
  run(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** Starts a command and leaves it running. */
  start(args: readonly string[]): Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  write(file: string, text: string): Promise<void>
}

/** Only what a command needs: no variable of the machine can change a result. */
const environment = (more: RunOptions['env'] = {}) => ({ PATH: process.env.PATH ?? '', ...more })

export async function createWorkplace(): Promise<Workplace> {
  const path = await mkdtemp(join(tmpdir(), 'tollgate-cli-'))
  const command = (args: readonly string[]) => [...program, ...args]
  return {
    path,
    async run(args, { env, stdin } = {}) {
      const child = Bun.spawn(command(args), {
        cwd: path,
        env: environment(env),
        stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, err, code] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ])
      return { code, out, err }
    },
    start: (args) =>
      Bun.spawn(command(args), {
        cwd: path,
        env: environment(),
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      }),
    write: (file, text) => writeFile(join(path, file), text),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** Reads lines of a running command until one fits; fails when it ends before. */
export async function readUntil(
  stream: ReadableStream<Uint8Array>,
  fits: (text: string) => boolean,
): Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (!fits(text)) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`The command ended without what was waited for:\n${text}`)
      text += decoder.decode(value, { stream: true })
    }
    return text
  } finally {
    reader.releaseLock()
  }
}
