import { existsSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cores } from './bench.ts'

const packages = { wrk: 'wrk', nginx: 'nginx', taskset: 'util-linux' } as const

/** What the measurement cannot do without and is not there, as a sentence; undefined: all is there. */
export function missingTools(): string | undefined {
  const missing = Object.entries(packages).filter(([tool]) => Bun.which(tool) === null)
  if (missing.length === 0) return undefined
  const [names, found] = [missing.map(([tool]) => tool), missing.map(([, name]) => name)]
  return `This needs ${names.join(' and ')} (Debian: apt-get install ${found.join(' ')}).`
}

/** Keeps this process, and what it starts from now on, off the subjects' core. */
export function leaveSubjectsCore(): void {
  const options = ['-a', '-c', '-p', String(cores.others), String(process.pid)]
  Bun.spawnSync(['taskset', ...options], { stdout: 'ignore', stderr: 'ignore' })
}

/**
 * Of the gateways that npm has, the one that installs by itself, needs no account or database and
 * takes chat completions for an address that it is told. Looked at and left out: @llmops/gateway (a
 * copy of this one), @khanglvm/llm-router and @nullplatform/llm-gateway (neither installs),
 * @musistudio/claude-code-router (for one client, of messages). Its streams fail on Node 20.
 */
const portkeyVersion = '1.15.2'

/** The Node gateway's start file, installed once for all runs; undefined where npm cannot. */
export function installPortkey(say: (line: string) => void): string | undefined {
  const folder = join(tmpdir(), 'tollgate-bench-cache', `portkey-${portkeyVersion}`)
  const file = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (existsSync(file)) return file
  const name = `@portkey-ai/gateway@${portkeyVersion}`
  say(`Installing ${name} into ${folder} …`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = Bun.which('npm')
  const code = npm && Bun.spawnSync([npm, 'install', ...flags, '--prefix', folder, name]).exitCode
  if (code === 0 && Bun.which('node') !== null) return file
  say('npm could not install it (see npm config get registry): the Node gateway is left out.')
  return undefined
}

/** What the figures were measured on. */
export function describeMachine(): Record<string, string | number> {
  const [first] = cpus()
  return {
    processor: first?.model ?? 'unknown',
    cores: cpus().length,
    kernel: release(),
    Bun: Bun.version,
  }
}
