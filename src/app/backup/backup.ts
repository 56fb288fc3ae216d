import { existsSync, type Stats, statSync } from 'node:fs'
import { open, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createDraftFile, type DraftFile } from '../../lib/draft-file.ts'
import { failureCode } from '../../lib/failure.ts'
import { humanBytes } from '../../lib/format.ts'
import type { Contents, DatabaseFile, InspectionStep } from '../../store/ports/copies.ts'
import { openDatabaseFile } from '../../store/sqlite/database-file.ts'
import { UserError } from '../user-error.ts'
import { type BackupSecret, createSecretPlan, type SecretPlan } from './secret.ts'

export interface BackupOptions {
  readonly database: string
  readonly file: string
  readonly force: boolean
  readonly withSecret: boolean
  /** Aborts the backup; the partial copy is removed at once. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CopyProgress) => void
}

/** Progress of a backup or restore; a backup's byte counts are estimates while it copies. */
export interface CopyProgress {
  readonly step: 'copy' | InspectionStep | 'update'
  readonly doneBytes: number
  readonly totalBytes: number
}

/** A complete backup in its place. */
export interface Backup {
  readonly database: string
  readonly file: string
  readonly sizeBytes: number
  readonly contents: Contents
  readonly secret: BackupSecret
}

/** Copies a database, also one in use, into a checked file; a failed copy leaves no file. */
export async function backUp(options: BackupOptions): Promise<Backup> {
  const { database } = options
  const file = resolve(options.file)
  requireDatabase(database)
  requireTarget(database, file, options.force)
  const secret = createSecretPlan(database, file, options.withSecret)
  const source = await openDatabaseFile(database)
  try {
    const totalBytes = await source.copyBytes()
    const draft = await draftWithRoom(file, totalBytes)
    options.signal?.addEventListener('abort', draft.discard)
    try {
      const before = await source.newest()
      await copy(source, draft, totalBytes, options)
      const contents = await check(draft, { ...options, file, totalBytes, secret, before })
      options.signal?.throwIfAborted()
      const { size } = await stat(draft.path)
      await place(draft, file, options.force, secret)
      return { database, file, sizeBytes: size, contents, secret: secret.outcome() }
    } catch (error) {
      throw explainWriting(error, dirname(file), totalBytes)
    } finally {
      options.signal?.removeEventListener('abort', draft.discard)
      draft.discard()
    }
  } finally {
    await source.close()
  }
}

async function draftWithRoom(file: string, totalBytes: number): Promise<DraftFile> {
  const folder = dirname(file)
  let draft: DraftFile | undefined
  try {
    draft = createDraftFile(file)
    await requireRoom(folder, totalBytes)
    return draft
  } catch (error) {
    draft?.discard()
    throw explainWriting(error, folder, totalBytes)
  }
}

const pollMs = 50

/**
 * SQLite reports no progress, so the growing copy is measured. Its bytes are synced to disk bit by bit: one
 * large sync would delay every other writer, the gateway's commits among them.
 */
async function copy(
  source: DatabaseFile,
  { path }: DraftFile,
  totalBytes: number,
  { onProgress }: BackupOptions,
): Promise<void> {
  await using written = await open(path, 'r+')
  let isCopying = true
  const copying = source.copyInto(path)
  const ended = copying
    .catch(() => undefined) // reported below
    .finally(() => {
      isCopying = false
    })
  while (isCopying) {
    const { size } = await written.stat()
    onProgress?.({ step: 'copy', doneBytes: size, totalBytes })
    await written.datasync()
    await Promise.race([ended, Bun.sleep(pollMs)])
  }
  await copying
}

interface CheckOptions extends BackupOptions {
  readonly totalBytes: number
  readonly secret: SecretPlan
  readonly before: Pick<Contents, 'newestRequest' | 'newestLedgerEntry'>
}

/** A damaged copy, or one that lacks what was stored before it began, gets no name. */
async function check(draft: DraftFile, options: CheckOptions): Promise<Contents> {
  const { database, file, totalBytes, secret, before, onProgress } = options
  const copied = await openDatabaseFile(draft.path, `copied to ${file}`)
  try {
    const onStep = (step: InspectionStep) =>
      onProgress?.({ step, doneBytes: totalBytes, totalBytes })
    const contents = await copied.inspect({ thorough: false, onStep })
    const { newestRequest, newestLedgerEntry } = contents
    if (newestRequest < before.newestRequest || newestLedgerEntry < before.newestLedgerEntry)
      throw new Error(`The copy lacks rows that were stored before it began: ${database}`)
    secret.try(await copied.sealedKeys())
    return contents
  } finally {
    await copied.close()
  }
}

async function place(draft: DraftFile, file: string, force: boolean, secret: SecretPlan) {
  // The secret first: a backup must never exist without what opens it.
  await secret.place()
  if ((await draft.place({ replace: force })) === 'taken') throw alreadyThere(file)
}

function requireDatabase(database: string): void {
  if (database === ':memory:')
    throw new UserError('The configured database is in memory only: there is nothing to back up.')
  if (!existsSync(database))
    throw new UserError(
      `There is no database ${database}. If it lies elsewhere, name its configuration with --config.`,
    )
}

/** Endings of the files that belong to a database. */
const companions = ['', '-wal', '-shm', '-journal', '.secret', '.serving']

/** Throws when a copy must not or can't be written to a path. */
function requireTarget(database: string, file: string, force: boolean): void {
  const own = companions.map((ending) => `${database}${ending}`)
  if (own.some((path) => isSameFile(path, file)))
    throw new UserError(
      `${file} belongs to the live database ${database}: a backup there would destroy it. Give ` +
        'another path.',
    )
  const found = lookAt(file)
  if (found?.isFile() === false)
    throw new UserError(`${file} is not a file. Give the path of the file to be made.`)
  if (found && !force) throw alreadyThere(file)
}

function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw explainWriting(error, dirname(file), 0)
  }
}

const alreadyThere = (file: string) =>
  new UserError(
    `${file} is there already and was left as it is. Give another path, or --force to replace it.`,
  )

function isSameFile(a: string, b: string): boolean {
  if (resolve(a) === b) return true
  const [one, other] = [a, b].map(lookAt)
  return one !== undefined && one.ino !== 0 && one.ino === other?.ino && one.dev === other.dev
}

/** Whether a disk, or a part of it that is this user's, is full. */
export const isFull = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(failureCode(error) ?? '')

/** Throws when a folder has less free space than needed. */
export async function requireRoom(folder: string, neededBytes: number): Promise<void> {
  const freeBytes = await freeIn(folder)
  if (freeBytes !== undefined && freeBytes < neededBytes)
    throw noRoom(folder, neededBytes, freeBytes)
}

/** Free bytes for this user; undefined: the system does not say. */
export async function freeIn(folder: string): Promise<number | undefined> {
  const { bavail, bsize, blocks } = await statfs(folder)
  return blocks === 0 ? undefined : bavail * bsize
}

function noRoom(folder: string, neededBytes: number, freeBytes?: number): UserError {
  const free = freeBytes === undefined ? '' : `, and ${humanBytes(freeBytes)} are free`
  return new UserError(
    `There is no room in ${folder}: ${humanBytes(neededBytes)} are needed${free}. Nothing was ` +
      'left there. Make room, or give a path on another disk.',
  )
}

/** Turns a failed write to a folder into an error that says what to do. */
export function explainWriting(error: unknown, folder: string, neededBytes: number): unknown {
  if (isFull(error)) return noRoom(folder, neededBytes)
  const code = failureCode(error)
  if (code === 'EFBIG' || code?.startsWith('SQLITE_IOERR_WRITE'))
    return new UserError(
      `The copy in ${folder} can't be written (${code}): ${humanBytes(neededBytes)} are needed. ` +
        'Nothing was left there. Check the disk, and limits on the size of files (ulimit -f).',
      { cause: error },
    )
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new UserError(
      `There is no folder ${folder}. Make it first (mkdir -p), or give another path.`,
      { cause: error },
    )
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new UserError(
      `The folder ${folder} is not writable for this user (${code}). Change its owner or its ` +
        'permissions, or give another path.',
      { cause: error },
    )
  return error
}
