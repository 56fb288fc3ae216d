import { residentBytes } from '../../support/binary.ts'
import { freePort } from '../../support/free-port.ts'
import { pinnedTo } from '../streams/part.ts'
import { cpuSeconds, familyOf, sumOf } from '../streams/scene.ts'

/** A program that listens on a port while it is measured. */
export interface Program extends AsyncDisposable {
  readonly pid: number
  readonly port: number
  readonly url: string
  /** When it was started, by `performance.now`. */
  readonly startedTick: number
  /** Its processes. */
  pids(): readonly number[]
  /** The file that gets what it writes as errors. */
  readonly errorLog: string
  /** Processor time so far, in seconds, with that of its child processes. */
  cpuSeconds(): number
  /** With that of its child processes. */
  residentBytes(): number
}

export interface ProgramOptions {
  readonly command: (port: number) => readonly string[]
  readonly core: number
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The file that gets all it writes. */
  readonly log: string
}

/** What still runs when this process ends before its time. */
const running = new Set<Bun.Subprocess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const readyMs = 20_000
const endMs = 10_000

/** Starts a program on a core of its own and waits until it listens. */
export async function startProgram({ command, core, env, cwd, log }: ProgramOptions) {
  const port = await freePort()
  const startedTick = performance.now()
  const child = Bun.spawn([...pinnedTo(core), ...command(port)], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdin: 'ignore',
    stdout: Bun.file(log),
    stderr: Bun.file(`${log}.err`),
    ...(cwd !== undefined && { cwd }),
  })
  running.add(child)
  const program: Program = {
    pid: child.pid,
    port,
    url: `http://127.0.0.1:${port}`,
    startedTick,
    errorLog: `${log}.err`,
    pids: () => familyOf(child.pid),
    cpuSeconds: () => sumOf(familyOf(child.pid), cpuSeconds),
    residentBytes: () => sumOf(familyOf(child.pid), residentBytes),
    async [Symbol.asyncDispose]() {
      const lastResort = setTimeout(() => child.kill('SIGKILL'), endMs)
      child.kill('SIGTERM')
      await child.exited
      clearTimeout(lastResort)
      running.delete(child)
    },
  }
  if (await isListening(port, () => child.exitCode !== null)) return program
  await program[Symbol.asyncDispose]()
  const said = (await Bun.file(log).text()) + (await Bun.file(`${log}.err`).text())
  throw new Error(`${command(port).join(' ')} does not listen. It said:\n${said.slice(-2_000)}`)
}

/** Connects until somebody accepts; asks nothing, so that the first request stays the first. */
async function isListening(port: number, hasEnded: () => boolean): Promise<boolean> {
  const end = performance.now() + readyMs
  while (performance.now() < end && !hasEnded()) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
      socket.terminate()
      return true
    } catch {
      await Bun.sleep(1) // nobody listens yet
    }
  }
  return false
}
