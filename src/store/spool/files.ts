import {
  close,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncate,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
  write,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createMutex } from '../../lib/concurrency.ts'
import { syncFolder } from '../../lib/draft-file.ts'
import { createClaim } from '../sqlite/file.ts'
import { type Decoded, decodeLines, storedLine } from './lines.ts'

/** A spool file that this process has claimed. */
export interface ClaimedFile {
  readonly name: string
  readonly file: SpoolFile
  close(): Promise<void>
}

/** Processes that may have one folder at once. */
const mostProcesses = 64

/** Preallocated at the start, for some 3,000 settlements, but at most a part of the free space. */
const reservedBytes = 4 * 1_048_576
const partOfFree = 0.1

const names = Array.from({ length: mostProcesses }, (_, at) => `${at + 1}.spool`)

/** Claims a free file, and those of ended processes for the same database. */
export function claimFiles(folder: string, origin: string) {
  const claimed: ClaimedFile[] = []
  // They wait for another database than `origin`: two configurations may name one folder.
  const foreign: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const isOwn = claimed.length === 0
    if (!isOwn && !existsSync(path)) continue
    const claim = createClaim(path)
    if (!claim.claim()) continue
    const found = decodeLines(existsSync(path) ? readFileSync(path) : empty)
    const isForeign = found.entries.some((one) => one.origin !== '' && one.origin !== origin)
    if (isForeign) foreign.push(name)
    if (isForeign || (!isOwn && found.usedBytes === 0)) {
      claim.release()
      continue
    }
    const file = createSpoolFile(openDisk(path), found)
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

/** How many settlements wait in a folder; undefined: it can't be read. */
export function countWaiting(folder: string): number | undefined {
  try {
    if (!existsSync(folder)) return 0
    const ids = readdirSync(folder)
      .filter((name) => names.includes(name))
      .flatMap((name) => decodeLines(readFileSync(join(folder, name))).entries)
      .map(({ settlement }) => settlement.request.requestId)
    return new Set(ids).size
  } catch {
    return undefined // the gateway reports the fault
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

export interface SpoolFile {
  readonly found: Decoded
  /** Preallocates, so that a disk that fills up later still has room. */
  reserve(sizeBytes: number): Promise<void>
  /** Resolves when the lines are synced; rejects when they are not, and then they count for nothing. */
  append(lines: string): Promise<void>
  /** Forgets all lines, unless `isNeeded` by then. */
  clear(isNeeded: () => boolean): Promise<void>
  close(): Promise<void>
}

/** Some 50,000 settlements. */
const maxBytes = 64 * 1_048_576
const pieceBytes = 1_048_576

/** An append-only file with what was `found` in it. It keeps its size when it is cleared. */
export function createSpoolFile(disk: SpoolDisk, found: Decoded): SpoolFile {
  const inTurn = createMutex()
  let { sizeBytes } = found
  let reservedBytes = 0
  /** Where the next line goes; from there to `usedEnd` are remains of a failed one. */
  let end = found.endBytes
  let usedEnd = found.usedBytes

  async function put(data: Uint8Array, at: number): Promise<void> {
    sizeBytes = Math.max(sizeBytes, at + data.length)
    await disk.write(data, at)
    await disk.sync()
  }

  async function wipe(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += pieceBytes) {
      await disk.write(new Uint8Array(Math.min(pieceBytes, to - at)), at)
    }
    await disk.sync()
  }

  async function append(text: string): Promise<void> {
    const lines = Buffer.from(text)
    const next = end + lines.length
    if (next > maxBytes) throw new Error(`it is full: ${maxBytes} bytes`)
    usedEnd = Math.max(usedEnd, next)
    try {
      await put(Buffer.concat([lines, new Uint8Array(usedEnd - next)]), end)
      usedEnd = end = next
    } catch (error) {
      // The caller sees a failure: the lines must not be found later.
      await wipe(end, usedEnd).catch(() => {}) // else the next line does it
      throw error
    }
  }

  return {
    found,
    reserve: (wantedBytes) =>
      inTurn(async () => {
        reservedBytes = Math.max(sizeBytes, wantedBytes)
        if (sizeBytes < wantedBytes) await wipe(sizeBytes, wantedBytes)
        sizeBytes = reservedBytes
      }),
    append: (lines) => inTurn(() => append(lines)),
    clear: (isNeeded) =>
      inTurn(async () => {
        if (isNeeded() || usedEnd === 0) return
        // A crash at any moment leaves a mark or an empty file, never half a line.
        const last = end
        await append(storedLine).catch(() => {}) // no room: then without it
        await wipe(0, last)
        await wipe(last, usedEnd)
        end = usedEnd = 0
        if (sizeBytes <= reservedBytes) return
        await disk.cut(reservedBytes)
        sizeBytes = reservedBytes
      }),
    close: () => inTurn(disk.close),
  }
}

/** The file of a spool. All I/O is asynchronous. */
export interface SpoolDisk {
  write(bytes: Uint8Array, at: number): Promise<void>
  /** Resolves when all that was written outlives a power cut. */
  sync(): Promise<void>
  cut(sizeBytes: number): Promise<void>
  close(): Promise<void>
}

const [writeAt, syncData, truncate, closeFile] = [
  promisify(write),
  promisify(fdatasync),
  promisify(ftruncate),
  promisify(close),
]

/** Opens, or makes, the file; throws as the system does. */
function openDisk(path: string): SpoolDisk {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  let isNamed = fstatSync(file).size > 0
  return {
    async write(bytes, at) {
      for (let done = 0; done < bytes.length; ) {
        const written = await writeAt(file, bytes, done, bytes.length - done, at + done)
        done += typeof written === 'number' ? written : written.bytesWritten
      }
    },
    async sync() {
      await syncData(file)
      // A file that is new is found after a power cut only when its folder is synced, too.
      if (!isNamed) await syncFolders(path)
      isNamed = true
    },
    cut: (sizeBytes) => truncate(file, sizeBytes),
    close: () => closeFile(file),
  }
}

/** Its folder, and the parent folder, which this user may have no right to read. */
async function syncFolders(path: string): Promise<void> {
  const folder = dirname(path)
  await syncFolder(folder)
  await syncFolder(dirname(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
  })
}
