import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Subprocess } from 'bun'
import { parseDocument } from 'yaml'
import { messageOf } from '../../lib/failure.ts'
import { humanDuration } from '../../lib/format.ts'
import { backUp, type CopyProgress } from '../backup/backup.ts'
import type { StoreConfig } from '../config/config.ts'
import { fileOf } from '../store-place.ts'
import { UserError } from '../user-error.ts'

/** What a program says of itself: `tollgate version --json`. */
const Identity = Type.Object({ version: Type.String(), schema_version: Type.Integer() })

const askMs = 60_000
const checkMs = 600_000

/** Asks a program who it is. Throws a `UserError` when it does not run here. */
export async function identify(program: string) {
  const { exitCode, end, stdout, stderr } = await runProgram(program, ['version', '--json'], askMs)
  try {
    const value: unknown = JSON.parse(stdout)
    if (exitCode === 0 && Value.Check(Identity, value))
      return { version: value.version, schemaVersion: value.schema_version }
  } catch {
    // Told below.
  }
  throw new UserError(
    `${program} does not run here, or is no Tollgate (${end}). Nothing was changed. It ` +
      `said: ${stderr.trim() || stdout.trim() || 'nothing'}`,
  )
}

export interface Gateway {
  readonly store: StoreConfig
  /** Undefined: all is default. */
  readonly configFile: string | undefined
}

interface TryParts extends Gateway {
  readonly program: string
  /**
   * For the copy; it goes with the folder. Beside the program, not the database: who serves may write there, and the one
   * who upgrades is often root.
   */
  readonly folder: string
  readonly onProgress: (at: CopyProgress) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Lets a program check, with `serve --check`, a copy of database and configuration; returns what it said. A database on
 * a server, which a check never changes, is checked in its place. Throws a `UserError` when it would not start.
 */
export async function tryProgram(parts: TryParts): Promise<string> {
  const { program, configFile = 'tollgate.yaml' } = parts
  const database = fileOf(parts.store)
  if (database === undefined || !existsSync(database)) return check(program, parts.configFile)
  const copy = join(parts.folder, 'tollgate.db')
  await copyDatabase(parts, database, copy)
  const config = join(parts.folder, 'tollgate.yaml')
  await writeFile(config, await configOf(parts.configFile, copy), { mode: 0o600 })
  return check(program, config, (text) =>
    text.replaceAll(copy, database).replaceAll(config, configFile),
  )
}

async function copyDatabase({ signal, onProgress }: TryParts, database: string, file: string) {
  try {
    const options = { database, file, force: false, withSecret: true, onProgress }
    await backUp({ ...options, ...(signal && { signal }) })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new UserError(
      `${database} could not be copied for the check, so nothing was changed: ` + messageOf(cause),
      { cause },
    )
  }
}

/** Paths in a configuration are relative to it. */
const pathsOf = [
  ['site', 'front_page'],
  ['server', 'spool'],
] as const

/** A configuration for another database, to be read in another folder. */
async function configOf(file: string | undefined, database: string): Promise<string> {
  const document = parseDocument(file === undefined ? '' : await readFile(file, 'utf8'))
  for (const path of pathsOf) {
    const value = document.getIn(path)
    if (typeof value === 'string' && value !== 'off')
      document.setIn(path, resolve(dirname(file ?? ''), value))
  }
  document.set('store', `sqlite:${database}`)
  return String(document)
}

async function check(
  program: string,
  config: string | undefined,
  shown = (text: string) => text,
): Promise<string> {
  const args = ['serve', '--check', ...(config === undefined ? [] : ['--config', config])]
  const { exitCode, end, stdout, stderr } = await runProgram(program, args, checkMs)
  if (exitCode === 0) return shown(stdout.replace(/\n\nIt can start:.*\n?$/, '')).trim()
  const said = shown((stderr || stdout).trim()).replace(/^tollgate: /gm, '')
  const hint = /environment variable/.test(said)
    ? '\nThe service may get variables that this shell lacks: set them here, too.'
    : ''
  throw new UserError(
    'It would not start here, so nothing was changed: the program stays as it is. ' +
      (said === '' ? `It said nothing (${end}).` : `It said:\n${said}${hint}`),
  )
}

async function runProgram(program: string, args: readonly string[], mostMs: number) {
  try {
    const child = Bun.spawn([program, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, mostMs)
    const [stdout, stderr, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]).finally(() => clearTimeout(timer))
    const end = isLate ? `it was ended after ${humanDuration(mostMs)}` : endOf(child)
    return { stdout, stderr, exitCode, end }
  } catch (error) {
    return {
      stdout: '',
      stderr: messageOf(error),
      ...{ exitCode: 126, end: 'it could not be started' },
    }
  }
}

/** How a program ended: one that is killed says nothing itself. */
const endOf = ({ exitCode, signalCode }: Subprocess): string =>
  signalCode === null
    ? `exit code ${exitCode}`
    : `it was ended by ${signalCode}${signalCode === 'SIGKILL' ? ', as where memory runs out' : ''}`
