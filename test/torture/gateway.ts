import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../e2e/until.ts'
import { environmentOf, type RunningBinary, requireBinary, startBinary } from '../support/binary.ts'
import type { TollgateYamlOptions } from '../support/tollgate-yaml.ts'
import { payers } from './asks.ts'
import { outliveOthers } from './outlive.ts'

/** What the accounts with plenty have, in USD: more than a torture can spend. */
const plenty = 1_000_000
/** What the other one has at first. */
const little = 0.3

/** The configuration of a torture: three accounts, four tokens, three groups, one channel. */
export function tortureOptions(upstream: string): TollgateYamlOptions {
  const { rich, draining, limited, poor } = payers
  return {
    upstream,
    balance: plenty,
    token: { name: 'rich', key: rich.key },
    moreGroups: [
      {
        name: 'draining',
        channels: ['main'],
        rate_multiplier: draining.multiplier,
        on_disconnect: 'drain',
      },
      { name: 'dear', channels: ['main'], rate_multiplier: poor.multiplier },
    ],
    moreAccounts: [
      {
        email: 'second@example.com',
        balance: plenty,
        tokens: [
          { name: 'draining', key: draining.key, group: 'draining' },
          { name: 'limited', key: limited.key, group: 'default', budget: { total: 0.05 } },
        ],
      },
      {
        email: 'poor@example.com',
        balance: little,
        tokens: [{ name: 'poor', key: poor.key, group: 'dear' }],
      },
    ],
  }
}

/**
 * Starts the compiled program on the database of `folder`, when those that served from it before have
 * ended; all that it logs of its start is there.
 */
export async function startGateway(
  folder: string,
  config: (listen: string) => string,
): Promise<RunningBinary> {
  await outliveOthers(folder)
  const gateway = await startBinary({ args: ['serve', '--log', 'json'], cwd: folder, config })
  await until('the line of its start', () =>
    logLines(gateway).some(({ message }) => message === 'listening'),
  )
  return gateway
}

/** Starts it on a configuration and kills it that soon, whatever it is doing then. */
export async function killDuringStart(
  folder: string,
  config: (listen: string) => string,
  afterMs: number,
): Promise<void> {
  const file = join(folder, 'tollgate.yaml')
  writeFileSync(file, config('127.0.0.1:0'), { mode: 0o600 })
  const args = ['serve', '--config', file]
  const env = await environmentOf(args)
  const child = Bun.spawn([requireBinary(), ...args], {
    cwd: folder,
    env,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await Bun.sleep(afterMs)
  child.kill('SIGKILL')
  await child.exited
}

/** A line that the gateway logged as JSON. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly interrupted?: number
}

export function logLines(gateway: RunningBinary): LogLine[] {
  return gateway.stdout
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
}
