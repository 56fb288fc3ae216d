import {
  close,
  constants,
  fdatasync,
  fstatSync,
  ftruncate,
  openSync,
  readFileSync,
  write,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** The file of a spool. Nothing of it waits in this process: the event loop goes on meanwhile. */
export interface SpoolDisk {
  /** All of it. */
  read(): Uint8Array
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
export function openDisk(path: string): SpoolDisk {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  let isNamed = fstatSync(file).size > 0
  return {
    read: () => readFileSync(path),
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

/** Its folder, and where that is named: there this user may have no right to read, nor be bound to have. */
async function syncFolders(path: string): Promise<void> {
  if (process.platform === 'win32') return // folders are no files there
  const folder = dirname(path)
  await syncFolder(folder)
  await syncFolder(dirname(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
  })
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
