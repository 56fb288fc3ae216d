import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  releaseDatabaseOf,
  storeEnvironment,
  testEngine,
  testStore,
} from '../support/test-store.ts'

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
  /** What a command finds in its environment, for one that a test starts itself. */
  environment(args: readonly string[]): Promise<Record<string, string>>
  /** Starts a command and leaves it running. */
  start(args: readonly string[]): Promise<Bun.Subprocess<'ignore', 'pipe', 'pipe'>>
  /** A configuration that names no store gets the one that TOLLGATE_TEST_STORE asks for. */
  write(file: string, text: string): Promise<void>
}

/** Has commands keep their data where TOLLGATE_TEST_STORE says; in a file they do so anyway. */
function withStore(file: string, text: string): string {
  if (testEngine === 'sqlite' || !file.endsWith('.yaml') || /^store:/m.test(text)) return text
  if (!text.startsWith('{')) return `store: ${testStore}\n${text}`
  return JSON.stringify({ store: testStore, ...JSON.parse(text) })
}

export async function createWorkplace(): Promise<Workplace> {
  const path = await mkdtemp(join(tmpdir(), 'tollgate-cli-'))
  const command = (args: readonly string[]) => [...program, ...args]
  /** Only what a command needs: no variable of the machine can change a result. */
  const environment = async (args: readonly string[], more: RunOptions['env'] = {}) => ({
    PATH: process.env.PATH ?? '',
    ...(await storeEnvironment(args, path)),
    ...more,
  })
  return {
    path,
    environment,
    async run(args, { env, stdin } = {}) {
      const child = Bun.spawn(command(args), {
        cwd: path,
        env: await environment(args, env),
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
    start: async (args) =>
      Bun.spawn(command(args), {
        cwd: path,
        env: await environment(args),
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      }),
    write: (file, text) => writeFile(join(path, file), withStore(file, text)),
    async [Symbol.asyncDispose]() {
      await releaseDatabaseOf(path)
      await rm(path, { recursive: true, force: true })
    },
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
