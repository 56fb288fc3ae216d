import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createTempDir } from './temp-dir.ts'

/** Says that a test is left out, and why. */
export const skipped = (why: string): void => console.warn(`Skipped: ${why}`)

/** A file system of its own in memory, which ends with the test. */
export interface TinyDisk extends Disposable {
  readonly path: string
  /** Writes until nothing fits any more. */
  fill(): void
  /** Makes room again. */
  empty(): void
}

/** Undefined where mounting is not allowed: that takes root. */
export function mountTinyDisk(size: `${number}m`): TinyDisk | undefined {
  const folder = createTempDir('tollgate-tiny')
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder.path])
  if (mounted.status !== 0) {
    folder.remove()
    return undefined
  }
  const filler = join(folder.path, 'filler')
  return {
    path: folder.path,
    fill: () => fill(filler),
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      spawnSync('umount', [folder.path])
      folder.remove()
    },
  }
}

function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (const sizeBytes of [65_536, 4096]) {
      for (let hasRoom = true; hasRoom; ) hasRoom = tryWrite(file, sizeBytes)
    }
  } finally {
    closeSync(file)
  }
}

function tryWrite(file: number, sizeBytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(sizeBytes)) === sizeBytes
  } catch {
    return false // full: what is asked for
  }
}

/**
 * What to start a program through, so that a limit on the size of its files is an error of its
 * writing, as a full disk is, and does not kill it.
 */
export const heedingLimits = ['sh', '-c', `trap '' XFSZ; exec "$0" "$@"`] as const

/**
 * Limits how large the files of a running process may get, as only its owner (or root) may; undefined
 * lifts the limit. Takes no rights, but a Linux with `prlimit`.
 */
export function limitFileSize(pid: number, limitBytes: number | undefined): void {
  const limit = limitBytes === undefined ? 'unlimited' : String(limitBytes)
  const { status, error } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:`])
  if (status !== 0) throw new Error(`prlimit (of util-linux) failed: ${error ?? status}`)
}

/** Forbids all writing to files, also where they are open; what it gives allows it again. */
export function forbidWriting(files: readonly string[]): () => void {
  spawnSync('chattr', ['+i', ...files])
  return () => void spawnSync('chattr', ['-i', ...files])
}

/** Whether `forbidWriting` does that in a folder: it takes root, and a file system that heeds it. */
export function canForbidWriting(folder: string): boolean {
  const path = join(folder, 'probe')
  const file = openSync(path, 'w')
  const allow = forbidWriting([path])
  const isForbidden = !tryWrite(file, 1)
  allow()
  closeSync(file)
  rmSync(path)
  return isForbidden
}
