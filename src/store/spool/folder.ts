import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createClaim } from '../sqlite/claim.ts'
import { openDisk } from './disk.ts'
import { createSpoolFile, type SpoolFile } from './file.ts'
import { decodeLines } from './lines.ts'

/** A file of a spool that this process alone has. */
export interface ClaimedFile {
  readonly name: string
  readonly file: SpoolFile
  close(): Promise<void>
}

/** Processes that may have one folder at once. */
const mostProcesses = 64

/** What is taken at the start: room for some 3,000 settlements, but no more than a part of what is free. */
const reservedBytes = 4 * 1_048_576
const partOfFree = 0.1

/** `1.spool`, `2.spool` … */
const names = Array.from({ length: mostProcesses }, (_, at) => `${at + 1}.spool`)

/** Files that are claimed, and the names of those that were left alone. */
export interface Claimed {
  readonly claimed: readonly ClaimedFile[]
  /** They wait for another database than `origin`: two configurations may name one folder. */
  readonly foreign: readonly string[]
}

/**
 * Takes the first file of a folder that no other process has, and those that processes have left which
 * are no more, as far as something is in them, and not of another database. Throws as the system does.
 */
export function claimFiles(folder: string, origin: string): Claimed {
  const claimed: ClaimedFile[] = []
  const foreign: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const isOwn = claimed.length === 0
    if (!isOwn && !existsSync(path)) continue
    const claim = createClaim(path)
    if (!claim.claim()) continue
    const { entries, usedBytes } = decodeLines(existsSync(path) ? readFileSync(path) : empty)
    const isForeign = entries.some((one) => one.origin !== '' && one.origin !== origin)
    if (isForeign) foreign.push(name)
    if (isForeign || (!isOwn && usedBytes === 0)) {
      claim.release()
      continue
    }
    const file = createSpoolFile(openDisk(path))
    const close = async () => {
      await file.close()
      claim.release()
    }
    claimed.push({ name, file, close })
  }
  return { claimed, foreign }
}

/** Rejects when the disk has no room, or fails. */
export function reserveRoom(folder: string, file: SpoolFile): Promise<void> {
  const { bavail, bsize } = statfsSync(folder)
  return file.reserve(Math.min(reservedBytes, Math.floor(bavail * bsize * partOfFree)))
}

const empty = new Uint8Array(0)

/** How many settlements wait in a folder, whoever has its files; undefined: it can't be read. */
export function countWaiting(folder: string): number | undefined {
  try {
    if (!existsSync(folder)) return 0
    const ids = readdirSync(folder)
      .filter((name) => names.includes(name))
      .flatMap((name) => decodeLines(readFileSync(join(folder, name))).entries)
      .map(({ settlement }) => settlement.request.requestId)
    return new Set(ids).size
  } catch {
    return undefined // whoever serves says what is wrong
  }
}

/** Adds to a file, or makes it; resolves when that would outlive a power cut. */
export async function appendSynced(path: string, bytes: Uint8Array | string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    await file.appendFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
