import { Command } from 'commander'
import type { Group } from '../app/group/join.ts'
import { addAccountCommands } from './account.ts'
import { addApply, addPlan } from './apply.ts'
import { addAuditCommands } from './audit.ts'
import { addBackup, addRestore } from './backup.ts'
import { addChannelCommands } from './channel.ts'
import { addDemo } from './demo.ts'
import { requireDescriptors } from './descriptors.ts'
import { complain, type ExitCode, reportFailure } from './errors.ts'
import { addExport } from './export.ts'
import { addFeedCommands } from './feed.ts'
import { addGroupCommands } from './group.ts'
import { addInit } from './init.ts'
import { addJob } from './job.ts'
import { addMatrix } from './matrix.ts'
import { addMigrate } from './migrate.ts'
import { addPriceCommands } from './price.ts'
import { addReceipt } from './receipt.ts'
import { addReconcile } from './reconcile.ts'
import { addSchema } from './schema.ts'
import { addServe } from './serve.ts'
import { addStatus } from './status.ts'
import { addTokenCommands } from './token.ts'
import { addVerify } from './verify.ts'
import { addVersion, version } from './version.ts'

/**
 * Runs one command line (without the program's name); resolves when it is done. `group`: this process keeps the data
 * of a group.
 */
export async function run(args: readonly string[], group?: Group): Promise<ExitCode> {
  try {
    requireDescriptors()
    await createProgram(group).parseAsync(withCommand(args), { from: 'user' })
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

function createProgram(group: Group | undefined): Command {
  const program = new Command('tollgate')
    .description('An LLM gateway with a price on every model. Without a command: serve.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help')
    .showHelpAfterError('(add --help for what is possible)')
    .exitOverride()
    .configureOutput({ outputError: (text) => complain(text.trim().replace(/^error: /, '')) })
    .addHelpText('after', examples)
  addServe(program, group)
  addDemo(program)
  addInit(program)
  addPlan(program)
  addApply(program)
  addTokenCommands(program)
  addAccountCommands(program)
  addGroupCommands(program)
  addChannelCommands(program)
  addPriceCommands(program)
  addFeedCommands(program)
  addExport(program)
  addReceipt(program)
  addVerify(program)
  addAuditCommands(program)
  addBackup(program)
  addRestore(program)
  addMigrate(program)
  addReconcile(program)
  addSchema(program)
  addMatrix(program)
  addStatus(program)
  addVersion(program)
  addJob(program)
  return program
}

const examples = `
Examples:
  tollgate demo                        try it: built-in upstream, nothing to set up
  tollgate init                        write a tollgate.yaml to begin with
  tollgate serve --config tollgate.yaml`
