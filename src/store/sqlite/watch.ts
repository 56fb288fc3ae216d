import type { Database } from 'bun:sqlite'
import { type Stats, statSync } from 'node:fs'
import type { StoreFile } from '../ports/store.ts'
import { StoreError } from '../ports/store-error.ts'
import { type Access, explained } from './file.ts'

/** Looks whether the files of an open database are still those that were opened. */
export interface Watch {
  /** What is wrong, as a sentence without its end; undefined: nothing is. */
  look(): string | undefined
  /** Throws a `StoreError` when the last look has found something wrong. */
  require(): void
}

const endings = ['', '-wal', '-shm'] as const

const isSame = (one: Stats, other: Stats) => one.ino === other.ino && one.dev === other.dev

/** Compares inodes, for writes to a removed file succeed. Opens no file: closing it would end our locks. */
export function createWatch(db: Database, path: string): Watch {
  const opened = endings.flatMap((ending) => {
    const stats = find(path + ending)
    return stats ? [{ file: path + ending, stats }] : []
  })
  const countBytes = db.prepare<{ bytes: number }, []>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  )
  let leastBytes = 0
  let trouble: string | undefined

  function problem(): string | undefined {
    for (const { file, stats } of opened) {
      const found = find(file)
      if (found === undefined)
        return `${file} is gone: it was moved or deleted, or its disk is away`
      if (stats.ino !== 0 && !isSame(found, stats)) return `${file} was replaced by another file`
    }
    return isCutOff() ? `${path} was cut off` : undefined
  }

  /** The file only grows, unless it was vacuumed: then its page count is lower, too. */
  function isCutOff(): boolean {
    const { size = 0 } = find(path) ?? {}
    try {
      leastBytes = Math.min(leastBytes, countBytes.get()?.bytes ?? 0)
    } catch {
      return size < leastBytes // its first page can't be read: that may be why
    }
    if (size < leastBytes) return true
    leastBytes = size
    return false
  }

  return {
    look() {
      trouble = problem()
      return trouble
    },
    require() {
      if (trouble === undefined) return
      throw new StoreError(`The database ${path} can not be used: ${trouble}.`)
    },
  }
}

function find(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // its folder can't be entered any more
  }
}

/** The file of an open database, as the port has it. */
export function createStoreFile(
  db: Database,
  path: string,
  watch: Watch,
  access: Access,
): StoreFile {
  const selectRuns = db.prepare<{ runs: number | null }, []>('SELECT runs FROM program')
  return {
    path,
    trouble: watch.look,
    require: watch.require,
    // By the connection that is open: what it has opened is to be had by no path any more.
    rescueInto: (file) => explained(path, () => void db.run('VACUUM INTO ?', [file])),
    endedRuns: () => access(() => selectRuns.get()?.runs ?? null),
    countRun: () => access(() => void db.run('UPDATE program SET runs = runs + 1')),
  }
}
