import { open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createDraftFile, type DraftFile } from '../../lib/draft-file.ts'
import type { Contents, DatabaseFile, InspectionStep } from '../../store/ports/copies.ts'
import { openDatabaseFile } from '../../store/sqlite/database-file.ts'
import { type BackupSecret, createSecretPlan, type SecretPlan } from './backup-secret.ts'
import { alreadyThere, requireDatabase, requireTarget } from './backup-target.ts'
import { explainWriting, requireRoom } from './space.ts'

export interface BackupOptions {
  /** Path of the live database. */
  readonly database: string
  /** Where the copy is to be. */
  readonly file: string
  /** Replaces a file that is there. */
  readonly force: boolean
  /** False: leaves the secret out. */
  readonly withSecret: boolean
  /** Ends the work: what there is of the copy is removed at once. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: BackupProgress) => void
}

/** How far it is. While it copies, bytes of about so many. */
export interface BackupProgress {
  readonly step: 'copy' | InspectionStep
  readonly doneBytes: number
  readonly totalBytes: number
}

/** A backup that is whole and in its place. */
export interface Backup {
  readonly database: string
  readonly file: string
  readonly sizeBytes: number
  readonly contents: Contents
  readonly secret: BackupSecret
}

/**
 * Copies a database, also one that a gateway is working on, into a file that is either whole and
 * checked or not there at all.
 */
export async function backUp(options: BackupOptions): Promise<Backup> {
  const { database } = options
  const file = resolve(options.file)
  requireDatabase(database)
  requireTarget(database, file, options.force)
  const secret = createSecretPlan({ ...options, file })
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

/** Only what will fit is begun. */
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

/** How often the growing copy is looked at. */
const pollMs = 50

/**
 * SQLite tells nothing until it has done: how far it is shows in how large the copy is. What it has
 * written is brought to the disk bit by bit: all at once would hold up every other writer of the
 * disk, the gateway's commits among them.
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
    .catch(() => undefined) // it is told below
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
  /** What was stored before the copy began. */
  readonly before: Pick<Contents, 'newestRequest' | 'newestLedgerEntry'>
}

/** A copy that is not sound, or lacks what was stored before it began, gets no name. */
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
  // The secret first: where there is a backup, there is what opens it.
  await secret.place()
  if ((await draft.place({ replace: force })) === 'taken') throw alreadyThere(file)
}
