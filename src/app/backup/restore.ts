import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { systemClock } from '../../lib/clock.ts'
import { createDraftFile, type DraftFile } from '../../lib/draft-file.ts'
import { failureCode } from '../../lib/failure.ts'
import type { Contents, InspectionStep } from '../../store/ports/copies.ts'
import { openDatabaseFile } from '../../store/sqlite/database-file.ts'
import { checkHeader, checkPlace, createClaim } from '../../store/sqlite/file.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import { UserError } from '../user-error.ts'
import { type CopyProgress, explainWriting, requireRoom } from './backup.ts'
import { copySecretFile, findSecret, type RestoreSecret, secretFileOf } from './secret.ts'

interface RestoreOptions {
  readonly file: string
  readonly database: string
  /** Aborts the restore; the partial database is removed at once. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CopyProgress) => void
}

/** A restored database, ready to be served. */
export interface Restored {
  readonly file: string
  readonly database: string
  readonly contents: Contents
  /** Requests that were under way at the backup, now recorded as interrupted. */
  readonly interrupted: number
  readonly secret: RestoreSecret
}

/** Restores a checked backup into an empty place and upgrades it; a failure leaves nothing. */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { database } = options
  const file = resolve(options.file)
  requireEmpty(database)
  requireBackup(file)
  checkPlace(database)
  // A gateway that serves from here holds the claim even after its file was moved away.
  const claim = createClaim(database)
  if (!claim.claim())
    throw new UserError(
      `A gateway is running with the database ${database}, though the file is gone: stop it first.`,
    )
  try {
    return await restoreInto(database, file, options)
  } finally {
    claim.release()
  }
}

async function restoreInto(
  database: string,
  file: string,
  { signal, onProgress }: RestoreOptions,
): Promise<Restored> {
  const folder = dirname(resolve(database))
  const totalBytes = statSync(file).size
  const draft = createDraftFile(database)
  signal?.addEventListener('abort', draft.discard)
  const tell = (step: CopyProgress['step'], doneBytes = totalBytes) =>
    onProgress?.({ step, doneBytes, totalBytes })
  try {
    await requireRoom(folder, totalBytes)
    await copyBytes(file, draft, (doneBytes) => tell('copy', doneBytes))
    const { contents, secret } = await check(draft, { file, database, onStep: tell })
    tell('update')
    signal?.throwIfAborted()
    const interrupted = await bringUpToDate(draft)
    signal?.throwIfAborted()
    await place(draft, { database, secret })
    return { file, database, contents, interrupted, secret }
  } catch (error) {
    throw explainWriting(error, folder, totalBytes)
  } finally {
    signal?.removeEventListener('abort', draft.discard)
    draft.discard()
  }
}

const blockBytes = 1024 * 1024

async function copyBytes(
  from: string,
  { path }: DraftFile,
  onCopied: (doneBytes: number) => void,
): Promise<void> {
  await using source = await open(from, 'r')
  await using target = await open(path, 'r+')
  const block = Buffer.allocUnsafe(blockBytes)
  let doneBytes = 0
  while (true) {
    const { bytesRead } = await source.read(block, 0, blockBytes, doneBytes)
    if (bytesRead === 0) return
    for (let written = 0; written < bytesRead; ) {
      const left = bytesRead - written
      written += (await target.write(block, written, left, doneBytes + written)).bytesWritten
    }
    doneBytes += bytesRead
    onCopied(doneBytes)
  }
}

interface CheckOptions {
  readonly file: string
  readonly database: string
  readonly onStep: (step: InspectionStep) => void
}

async function check(draft: DraftFile, { file, database, onStep }: CheckOptions) {
  const copied = await openDatabaseFile(draft.path, file)
  try {
    const contents = await copied.inspect({ thorough: true, onStep })
    return { contents, secret: findSecret(file, database, await copied.sealedKeys()) }
  } finally {
    await copied.close()
  }
}

/** Closing the store merges the journal into one file. */
async function bringUpToDate({ path }: DraftFile): Promise<number> {
  const store = openSqliteStore({ path, clock: systemClock })
  try {
    return await store.records.sweep()
  } finally {
    await store.close()
  }
}

async function place(
  draft: DraftFile,
  { database, secret }: { readonly database: string; readonly secret: RestoreSecret },
): Promise<void> {
  const taken = (path: string) =>
    new UserError(`${path} has appeared meanwhile and was left as it is: nothing was restored.`)
  // The secret first: without it a new one would be created, which opens nothing.
  if (secret.status === 'brought') {
    const target = secretFileOf(database)
    const placed = await copySecretFile(secret.file, target)
    if (placed === 'taken') throw taken(target)
  }
  requireEmpty(database)
  if ((await draft.place({ replace: false })) === 'taken') throw taken(database)
}

function requireEmpty(database: string): void {
  if (database === ':memory:')
    throw new UserError('The configured database is in memory only: nothing can be restored there.')
  const there = ['', '-wal', '-shm', '-journal']
    .map((ending) => `${database}${ending}`)
    .filter((path) => existsSync(path))
  if (there.length === 0) return
  throw new UserError(
    `There is something in the place of the database, and nothing is overwritten: ` +
      `${there.join(', ')}. Stop the gateway if it runs, then move all of that away ` +
      `(mv ${there.join(' ')} ELSEWHERE/), or name a configuration with another "store:".`,
  )
}

/** Throws when a file can't be our backup; the file is not opened and stays unchanged. */
function requireBackup(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new UserError(`There is no file ${file}. Give the path of a backup.`)
  const journal = `${file}-wal`
  if (statSync(journal, { throwIfNoEntry: false })?.size)
    throw new UserError(
      `${file} has a journal beside it (${journal}): it is no backup but a database in use, or one ` +
        'whose gateway was killed. Name it as the "store:" of a configuration and make a backup ' +
        'of it first.',
    )
  try {
    checkHeader(file)
  } catch (cause) {
    if (failureCode(cause) === undefined) throw cause
    throw new UserError(`${file} can't be read (${cause}). Make it readable for this user.`, {
      cause,
    })
  }
}
