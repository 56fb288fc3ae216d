import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CopyProgress } from '../app/backup/backup.ts'
import { defaultConfigFile, findFileWord, findStore } from '../app/find-config.ts'
import { isCompiled, isReplaced } from '../app/own-program.ts'
import { fileOf } from '../app/store-place.ts'
import { complainOfAge, type Wanted } from '../app/updates/find-release.ts'
import { configOption } from '../app/updates/go-back.ts'
import { findInstaller } from '../app/updates/installation.ts'
import { isReleaseAddress, type Release } from '../app/updates/release.ts'
import { previousOf, requireInUse } from '../app/updates/replace-program.ts'
import { seenBeside } from '../app/updates/seen.ts'
import { type Prepared, prepareBack, prepareNewer } from '../app/updates/upgrade.ts'
import { UserError } from '../app/user-error.ts'
import { releaseKey, target, version } from '../lib/build-info.ts'
import { humanBytes } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { isServed } from '../store/sqlite/file.ts'
import { confirm, requireAnswer } from './ask.ts'
import { describeProgress } from './backup.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { UsageError } from './errors.ts'
import { interruptible } from './lifecycle.ts'
import { writeLines } from './output.ts'
import { createProgress } from './progress.ts'

interface UpgradeOptions extends ConfigOption {
  readonly from?: string
  readonly back?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

/** `tollgate upgrade`: replaces this program by the newest release, or by the one before. */
export function addUpgrade(program: Command): void {
  const command = program
    .command('upgrade')
    .description('fetch the newest release, check it, and replace this program by it')
    .option('--from <url>', 'address of a latest.json; default: updates of the configuration')
    .option('--back', 'exchange this program and the one before, which was kept')
    .option('--dry-run', 'fetch and check all of it, and replace nothing')
    .option('-y, --yes', 'do not ask')
    .action(runUpgrade)
    .addHelpText('after', about)
  withConfig(
    command,
    'tollgate upgrade --dry-run',
    'tollgate upgrade --config /etc/tollgate/tollgate.yaml',
    'tollgate upgrade --back',
  )
}

const about = `
The list of releases must be signed, and the archive must be the one that it names. The new program then
runs "serve --check" on a copy of database and configuration. If that is right, it gets the place of this
one, which is kept beside it. A gateway that is running goes on with the old program until it is restarted.`

async function runUpgrade(options: UpgradeOptions): Promise<void> {
  const program = await findProgram()
  const address = options.back ? undefined : await findAddress(options)
  if (!options.dryRun) requireAnswer(questionOf(program), options)
  const configFile =
    options.config ?? (existsSync(defaultConfigFile) ? defaultConfigFile : undefined)
  const store = await findStore(options.config)
  const database = fileOf(store)
  if (configFile === undefined && database !== undefined && !existsSync(database))
    throw new UserError(
      `There is neither a ${defaultConfigFile} nor a database here to try a program on: name the ` +
        'configuration of your gateway with --config.',
    )
  const line = createProgress()
  let list: Release | undefined
  const onList = (release: Release) => {
    list = release
  }
  const replaced = await interruptible(async (signal) => {
    const parts = {
      ...{ program, configFile, store, installed: version, isReplaced, signal },
      onProgress: line.show,
      onCopy: (at: CopyProgress) => line.show(describeProgress(at)),
    }
    const prepared = await (address
      ? newer(address, { ...parts, onList })
      : prepareBack(parts)
    ).finally(line.done)
    if (prepared === undefined) {
      await writeLines([`Tollgate ${version} is the newest release${byList(list)}`])
      return undefined
    }
    try {
      await show(prepared, options)
      if (options.dryRun) return undefined
      await confirm(questionOf(program), options)
      prepared.replace()
      return prepared
    } finally {
      prepared.discard()
    }
  }, 'the program is as it was')
  if (replaced) await writeLines(nextSteps(replaced, { program, database, configFile }))
}

const questionOf = (program: string) => `Replace ${program}?`

/** This program's file. Throws where it is for somebody else to replace it. */
async function findProgram(): Promise<string> {
  if (!isCompiled)
    throw new UserError(
      'This runs from its source: get the newer one with "git pull", and ./compile.sh',
    )
  const program = resolve(process.execPath)
  requireInUse(program)
  if (process.platform === 'win32')
    throw new UserError(
      `Windows does not let a running program be replaced: unpack the newer archive beside ${program}, ` +
        'stop the gateway, and exchange the two files. "tollgate serve --check" of the new one says before ' +
        'what it would do.',
    )
  const installer = await findInstaller(program)
  if (installer !== undefined)
    throw new UserError(
      `${program} was put there by ${installer.name}, which replaces it, too: ${installer.command}`,
    )
  return program
}

/** Who keeps news back can still show an old list: its age tells. */
function byList(list: Release | undefined): string {
  if (list === undefined) return '.'
  const complaint = complainOfAge(list, Date.now())
  return `, by a list of ${list.made_at.slice(0, 10)}.${complaint === undefined ? '' : `\nBut ${complaint}.`}`
}

type Parts = Parameters<typeof prepareBack>[0] & Pick<Wanted, 'onList'>

/** Where the list of releases is. */
async function findAddress({ from, config }: UpgradeOptions): Promise<URL> {
  const given = from ?? (await findFileWord(config)).updates
  const address = URL.parse(given ?? '')
  if (given === undefined)
    throw new UserError(
      'There is no address to look at: name that of a latest.json with --from, or as updates: in the ' +
        'configuration.',
    )
  if (address === null || !isReleaseAddress(address))
    throw new UsageError(`--from: "${given}" is no address of releases: write one with https://`)
  return address
}

function newer(address: URL, parts: Parts) {
  return prepareNewer({
    ...{ ...parts, address, target, key: releaseKey(), seen: seenBeside(parts.store) },
    onFound: (release, archiveBytes) =>
      writeLines([
        `Tollgate ${release.version} is out; this is ${version}. To fetch: ${humanBytes(archiveBytes)}.`,
        ...(release.notes_url === undefined ? [] : [`What is new: ${release.notes_url}`]),
      ]),
  })
}

async function show({ version, findings }: Prepared, { back, dryRun }: UpgradeOptions) {
  const what = back ? 'the one that was kept' : 'its signature and hash are right'
  await writeLines([
    '',
    `Tollgate ${version}: ${what}. Its "serve --check" says:`,
    ...findings.split('\n').map((text) => `  ${text}`),
    '',
    ...(dryRun ? ['Nothing was replaced (--dry-run).'] : []),
  ])
}

const units = ['/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'].map(
  (folder) => `${folder}/tollgate.service`,
)

interface Where {
  readonly program: string
  readonly database: string | undefined
  readonly configFile: string | undefined
}

function nextSteps(replaced: Prepared, { program, database, configFile }: Where) {
  const config = configOption(configFile)
  const hasUnit = existsSync('/run/systemd/system') && units.some((file) => existsSync(file))
  const restart = hasUnit
    ? 'systemctl restart tollgate'
    : `stop it (kill -TERM PID), then start it again: ${program} serve${config}`
  const runs = database !== undefined && isServed(database)
  const former = runs ? 'The gateway runs with the former program until it is restarted' : undefined
  return [
    ...formatPairs([
      ['Replaced', `${program}: it is Tollgate ${replaced.version} now`],
      ['Kept', `${previousOf(program)}: Tollgate ${version}`],
    ]),
    '',
    `${former ?? 'Restart the gateway'}: ${restart}`,
    `To exchange the two again: ${program} upgrade --back${config}`,
  ]
}
