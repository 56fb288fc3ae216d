import type { Command } from 'commander'
import { findConfig } from '../app/find-config.ts'
import type { Group } from '../app/group/join.ts'
import { countWorkers } from '../app/group/worker-count.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { holdHangUps } from './lifecycle.ts'
import { logOption } from './log-option.ts'
import { becomeStarter } from './start-group.ts'

export interface ServeOptions extends ConfigOption {
  readonly check?: boolean
  readonly copy: boolean
  readonly newDatabase?: boolean
  readonly log: 'pretty' | 'json' | 'off'
}

/** `tollgate serve`: the gateway itself. `group`: this process is its keeper. */
export function addServe(program: Command, group?: Group): void {
  const command = program
    .command('serve')
    .description('run the gateway (default); applies the configuration file first')
    .addOption(
      logOption('how requests are logged; off leaves warnings and errors', [
        'pretty',
        'json',
        'off',
      ]),
    )
    .option('--check', 'say what a start would do, and whether it could; nothing is changed')
    .option('--no-copy', 'upgrade a database file without keeping a copy of it as it was')
    .option('--new-database', 'make a new database file where there was one before')
    .addHelpText('after', aboutMemory)
    .action((options: ServeOptions) => runServe(options, group))
  withConfig(
    command,
    'tollgate serve --config tollgate.yaml',
    'tollgate serve --check    after an update of the program: what an upgrade would do',
    'kill -HUP PID     read the configuration again',
    'kill -TERM PID    stop when open streams have ended; twice: end them now; three times: exit',
  )
}

const aboutMemory = `
Memory for requests is what the container is given, or half of what the machine has, or server.memory;
less 80 MB, and four fifths of that. Beyond it requests wait some seconds, and then get 429.

With server.workers (Linux; auto: from three cores on) several processes answer requests on one port. This
process starts them, passes signals on, and starts again what dies; each gets an equal part of the memory.`

/** Loads the gateway only where it runs: what becomes the starter of a group needs nothing of it. */
async function runServe(options: ServeOptions, group?: Group): Promise<void> {
  const hasHungUp = group ? () => false : holdHangUps()
  const found = await findConfig(options.config)
  const { workers, warning } = countWorkers(found.config.server.workers)
  if (workers > 1 && !group && !options.check) becomeStarter({ found, workers, log: options.log })
  const { check, serveGateway } = await import('./serve-gateway.ts')
  if (options.check) return check(found, options)
  await serveGateway({ found, options, group, workers, warning, hasHungUp })
}
