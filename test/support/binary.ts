import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { createTempDir } from './temp-dir.ts'
import { releaseDatabaseOf, storeEnvironment } from './test-store.ts'

/** The compiled program: TOLLGATE_BINARY, or dist/tollgate of this project. */
export const binaryPath = resolve(
  process.env.TOLLGATE_BINARY || join(import.meta.dir, '../../dist/tollgate'),
)

/** Fails with the way out when the program has not been built. */
export function requireBinary(): string {
  if (!existsSync(binaryPath))
    throw new Error(
      `No compiled tollgate at ${binaryPath}: run ./compile.sh, or set TOLLGATE_BINARY.`,
    )
  return binaryPath
}

const inherited = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
}

/** What a command finds in its environment: no more than it needs. */
export async function environmentOf(
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Record<string, string>> {
  return { ...inherited, ...(await storeEnvironment(args, cwd)), ...env }
}

/** Runs a command of the binary to its end. */
export async function runBinary(
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly env?: Record<string, string>
    readonly stdin?: string
  } = {},
) {
  const child = Bun.spawn([requireBinary(), ...args], {
    ...(options.cwd && { cwd: options.cwd }),
    env: await environmentOf(args, options),
    stdin: new Blob([options.stdin ?? '']),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  return { stdout, stderr, exitCode }
}

/** How a program is started. */
export interface StartOptions {
  /** Command and options; default `['serve']`. `--config FILE` is added when there is a config. */
  readonly args?: readonly string[]
  /** Text of tollgate.yaml for the address it must listen on. */
  readonly config?: (listen: string) => string
  readonly env?: Record<string, string>
  /** A command that gets the program and its arguments as its last words, and becomes it. */
  readonly through?: readonly string[]
  /** Where it runs, and where its config and database lie; default a fresh folder, deleted by `stop`. */
  readonly cwd?: string
  readonly port?: number
  readonly readyMs?: number
}

/** A running program. */
export interface RunningBinary extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly cwd: string
  /** Milliseconds from the start of the process to its first answer. */
  readonly readyAfterMs: number
  /** Lines so far; the arrays grow. */
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  readonly exited: Promise<number>
  /** Resident memory in bytes, from /proc. */
  residentBytes(): number
  /** Sends a signal and waits for the end; gives the exit code. */
  kill(signal?: NodeJS.Signals): Promise<number>
  /** SIGTERM, SIGKILL when it has not ended after 10 s; deletes a folder of its own. */
  stop(): Promise<number>
}

/** Starts the compiled program on a free port and waits until it answers there. */
export async function startBinary(options: StartOptions = {}): Promise<RunningBinary> {
  const program = requireBinary()
  const port = options.port ?? (await freePort())
  const own = options.cwd === undefined ? createTempDir() : undefined
  const cwd = own?.path ?? options.cwd ?? '.'
  const args = [...(options.args ?? ['serve'])]
  if (options.config !== undefined) {
    const file = join(cwd, 'tollgate.yaml')
    writeFileSync(file, options.config(`127.0.0.1:${port}`), { mode: 0o600 })
    args.push('--config', file)
  }
  const env = await environmentOf(args, { cwd, ...(options.env && { env: options.env }) })
  const startedAt = performance.now()
  const child = Bun.spawn([...(options.through ?? []), program, ...args], {
    cwd,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const stdout = collectLines(child.stdout)
  const stderr = collectLines(child.stderr)
  const kill = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const code = await child.exited
    await Promise.all([stdout.whole, stderr.whole])
    return code
  }
  const stop = async () => {
    const lastResort = setTimeout(() => child.kill('SIGKILL'), 60_000)
    const code = await kill('SIGTERM')
    clearTimeout(lastResort)
    if (own) await releaseDatabaseOf(own.path)
    own?.remove()
    return code
  }
  const url = `http://127.0.0.1:${port}`
  const limitMs = options.readyMs ?? 60_000
  const trouble = await untilReady(url, child.exited, limitMs)
  if (trouble !== undefined) {
    await stop()
    const said = [...stdout.lines, ...stderr.lines].join('\n')
    throw new Error(`tollgate ${args.join(' ')} ${trouble}. It said:\n${said}`)
  }
  return {
    url,
    port,
    pid: child.pid,
    cwd,
    readyAfterMs: performance.now() - startedAt,
    stdout: stdout.lines,
    stderr: stderr.lines,
    exited: child.exited,
    residentBytes: () => residentBytes(child.pid),
    kill,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}

/** Asks until there is any answer; gives the reason when there will be none. */
async function untilReady(url: string, exited: Promise<number>, limitMs: number) {
  let exitCode: number | undefined
  void exited.then((code) => {
    exitCode = code
  })
  const end = performance.now() + limitMs
  while (performance.now() < end) {
    if (exitCode !== undefined) return `ended with exit code ${exitCode} before it answered`
    try {
      const answer = await fetch(url, {
        signal: AbortSignal.timeout(1000),
        proxy: false,
      })
      await answer.body?.cancel()
      return undefined
    } catch {
      await Bun.sleep(5) // nobody listens yet
    }
  }
  return `did not answer on ${url} within ${limitMs} ms`
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024
}

/** Lines as they come; `whole` settles at the end of the stream. */
function collectLines(stream: ReadableStream<Uint8Array>) {
  const lines: string[] = []
  const read = async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    }
    if (rest !== '') lines.push(rest)
  }
  return { lines, whole: read() }
}
