import type { Command } from 'commander'
import { findFileWord } from '../app/find-config.ts'
import { UserError } from '../app/user-error.ts'
import { reachableHost } from '../lib/addresses.ts'
import { messageOf } from '../lib/failure.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { writeLines } from './output.ts'

interface HealthOptions extends ConfigOption {
  readonly ready?: boolean
}

/** Shorter than the time that container engines give a health check. */
const limitMs = 2_500

/** `tollgate health`: for a health check of a container, which has no other program. */
export function addHealth(program: Command): void {
  const command = program
    .command('health')
    .description(
      'ask the gateway on this machine whether it lives, for health checks of containers',
    )
    .option(
      '--ready',
      'whether it takes requests, too: not while it stops, or its database is away',
    )
    .action(showHealth)
  withConfig(command, 'tollgate health', 'tollgate health --ready --config tollgate.yaml')
}

async function showHealth({ config, ready = false }: HealthOptions): Promise<void> {
  const { listen } = await findFileWord(config)
  const path = ready ? '/readyz' : '/livez'
  const url = `http://${reachableHost(listen.host)}:${listen.port}${path}`
  const { status, text } = await ask(url)
  if (status !== 200)
    throw new UserError(
      `${url} answers ${status}: ${text.slice(0, 200)}. "tollgate status" and the log say more.`,
    )
  await writeLines([`${url} answers 200`])
}

async function ask(url: string) {
  try {
    const signal = AbortSignal.timeout(limitMs)
    const answer = await fetch(url, { signal, proxy: false, redirect: 'manual' } as RequestInit)
    return { status: answer.status, text: (await answer.text()).trim() }
  } catch (cause) {
    const why = messageOf(cause)
    throw new UserError(
      `${url} does not answer: ${why}. "tollgate serve" is to run on server.listen of this configuration.`,
      { cause },
    )
  }
}
