import { Command } from 'commander'
import type { Group } from '../app/group/join.ts'
import { version } from '../lib/build-info.ts'
import { compileAsUsual } from '../lib/jit.ts'
import { yieldToOthers } from '../lib/scheduling.ts'
import { requireDescriptors } from './descriptors.ts'
import { complain, type ExitCode, reportFailure } from './errors.ts'

/**
 * Runs one command line (without the program's name); resolves when it is done. `group`: this process keeps the data
 * of a group.
 */
export async function run(args: readonly string[], group?: Group): Promise<ExitCode> {
  try {
    requireDescriptors()
    const words = withCommand(args)
    if (yielding.has(words[0] ?? '')) yieldToOthers()
    const program = await createProgram(words, group)
    // The gateway is loaded later, and says itself when it serves.
    if (words[0] !== 'serve') compileAsUsual()
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    return reportFailure(error)
  }
}

const ofProgram = new Set(['-h', '--help', '-V', '--version'])

/** Adds `serve` where no command is named. Commander's default would take misspelt commands too. */
function withCommand(args: readonly string[]): readonly string[] {
  const [first] = args
  const serves = first === undefined || (first.startsWith('-') && !ofProgram.has(first))
  return serves ? ['serve', ...args] : args
}

/** Commands that read a whole database, maybe beside a gateway. */
const yielding = new Set(['backup', 'export', 'job', 'reconcile', 'verify'])

/** Adds a command to the program. */
type Adding = (program: Command, group?: Group) => unknown

/** Commands by name. Only the named command is loaded; for help, or an unknown name, all are. */
const commands: ReadonlyMap<string, () => Promise<Adding>> = new Map([
  ['serve', async () => (await import('./serve.ts')).addServe],
  ['demo', async () => (await import('./demo.ts')).addDemo],
  ['init', async () => (await import('./init.ts')).addInit],
  ['plan', async () => (await import('./apply.ts')).addPlan],
  ['apply', async () => (await import('./apply.ts')).addApply],
  ['token', async () => (await import('./token.ts')).addTokenCommands],
  ['account', async () => (await import('./account.ts')).addAccountCommands],
  ['group', async () => (await import('./group.ts')).addGroupCommands],
  ['channel', async () => (await import('./channel.ts')).addChannelCommands],
  ['price', async () => (await import('./price.ts')).addPriceCommands],
  ['feed', async () => (await import('./feed.ts')).addFeedCommands],
  ['export', async () => (await import('./export.ts')).addExport],
  ['receipt', async () => (await import('./receipt.ts')).addReceipt],
  ['verify', async () => (await import('./verify.ts')).addVerify],
  ['audit', async () => (await import('./audit.ts')).addAuditCommands],
  ['backup', async () => (await import('./backup.ts')).addBackup],
  ['restore', async () => (await import('./backup.ts')).addRestore],
  ['migrate', async () => (await import('./migrate.ts')).addMigrate],
  ['reconcile', async () => (await import('./reconcile.ts')).addReconcile],
  ['schema', async () => (await import('./schema.ts')).addSchema],
  ['matrix', async () => (await import('./matrix.ts')).addMatrix],
  ['status', async () => (await import('./status.ts')).addStatus],
  ['upgrade', async () => (await import('./upgrade.ts')).addUpgrade],
  ['health', async () => (await import('./health.ts')).addHealth],
  ['version', async () => (await import('./version.ts')).addVersion],
  ['job', async () => (await import('./job.ts')).addJob],
])

/** All commands, for what is made from them: completions, man pages. */
export const allCommands = (): Promise<Command> => createProgram([], undefined)

async function createProgram(args: readonly string[], group: Group | undefined): Promise<Command> {
  const program = new Command('tollgate')
    .description('An LLM gateway with a price on every model. Without a command: serve.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help')
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
    .configureOutput({ outputError: (text) => complain(text.trim().replace(/^error: /, '')) })
    .addHelpText('after', examples)
  const named = commands.get(args[0] ?? '')
  for (const load of named ? [named] : commands.values()) {
    const add = await load()
    add(program, group)
  }
  return program
}

const examples = `
Examples:
  tollgate demo                        try it: built-in upstream, nothing to set up
  tollgate init                        write a tollgate.yaml to begin with
  tollgate serve --config tollgate.yaml`
