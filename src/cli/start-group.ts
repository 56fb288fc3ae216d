import type { FoundConfig } from '../app/find-config.ts'
import { type StarterRole, withRole } from '../app/group/role.ts'
import type { LogForm } from '../app/open-log.ts'
import { ownProgram } from '../app/own-program.ts'
import { UserError } from '../app/user-error.ts'

/** Beyond the delay and the grace time of a stop (see data/docs/en/01-begin.md). */
const settleMs = 24_000

interface GroupStart {
  readonly found: FoundConfig
  readonly workers: number
  readonly log: LogForm
}

/** Becomes the starter of a group, as the same process. */
export function becomeStarter({ found, workers, log }: GroupStart): never {
  const { host, port, shutdownDelayMs, shutdownGraceMs } = found.config.server
  const name = crypto.randomUUID()
  const role: StarterRole = {
    ...{ role: 'starter', workers, host, port, log, secret: crypto.randomUUID() },
    ...{ pages: `\0tollgate-${name}-pages`, link: `\0tollgate-${name}-link` },
    stopMs: shutdownDelayMs + shutdownGraceMs + settleMs,
  }
  const [program = process.execPath, ...words] = [...ownProgram(), ...process.argv.slice(2)]
  process.execve?.(program, [program, ...words], withRole(role))
  throw new UserError('This system starts no group of processes: write server.workers: 1.')
}
