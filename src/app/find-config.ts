import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { codeOf } from '../lib/failure.ts'
import type { Config, StoreConfig } from './config/config.ts'
import {
  type FileWord,
  formatProblems,
  loadConfig,
  loadFileWord,
  loadStoreConfig,
} from './config/load.ts'
import { UserError } from './user-error.ts'

export const defaultConfigFile = 'tollgate.yaml'

export interface FoundConfig {
  readonly config: Config
  readonly warnings: readonly string[]
  /** Undefined: no file, all defaults. */
  readonly file: string | undefined
}

/** Reads the named file, `tollgate.yaml` or defaults. Throws a `UserError` with all problems. */
export async function findConfig(named: string | undefined): Promise<FoundConfig> {
  const { file, source } = await readConfig(named)
  const loaded = loadConfig(source)
  if (!loaded.ok) throw new UserError(formatProblems(loaded.problems))
  return {
    config: loaded.config,
    warnings: loaded.warnings.map((one) => formatProblems([one])),
    file,
  }
}

/** Reads only `store:`, so that commands on the data need no other environment variables. */
export async function findStore(named: string | undefined): Promise<StoreConfig> {
  const { source } = await readConfig(named)
  const loaded = loadStoreConfig(source)
  if (!loaded.ok) throw new UserError(formatProblems(loaded.problems))
  return loaded.store
}

/** What commands on the data use of the configuration, even of an invalid one. */
export async function findFileWord(named: string | undefined): Promise<FileWord> {
  const { source } = await readConfig(named)
  return loadFileWord(source)
}

async function readConfig(named: string | undefined) {
  const file = named ?? (existsSync(defaultConfigFile) ? defaultConfigFile : undefined)
  const text = file === undefined ? '' : await readConfigFile(file)
  return { file, source: { text, file: resolve(file ?? defaultConfigFile), env: process.env } }
}

async function readConfigFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const missing = codeOf(error) === 'ENOENT'
    throw new UserError(
      missing
        ? `There is no file ${file}. "tollgate init" writes one to begin with.`
        : `The configuration ${file} can't be read: ${String(error)}. Give a file that this user may read.`,
    )
  }
}
