import { type DatabaseThread, openDatabaseThread } from './thread.ts'

/** How many commits go into the journal before it is moved: some megabytes of it. */
const commitsBetween = 256

const checkpoint = { sql: 'PRAGMA wal_checkpoint(PASSIVE)' }

/**
 * Moves the journal into the database from time to time, on a thread of its own: it waits for the
 * disk several times, and on this thread all requests would wait with it.
 */
export interface Checkpointer {
  /** To be called after each commit. */
  count(): void
  /**
   * Set for the last few milliseconds of a move: commits wait for it. Only a journal that was moved
   * to its last page begins anew; one that is written on all the while would only ever grow.
   */
  readonly lastStep: Promise<void> | undefined
  /** Ends the thread. To be called before the database is closed. */
  close(): Promise<void>
}

export function createCheckpointer(path: string): Checkpointer {
  let thread: Promise<DatabaseThread> | undefined
  let moving: Promise<void> | undefined
  let lastStep: Promise<void> | undefined
  let commits = 0

  async function run(): Promise<void> {
    try {
      thread ??= openDatabaseThread(path)
      await (await thread).run(checkpoint)
    } catch {
      // Nothing is lost: SQLite does it by itself when the journal has grown large.
      thread = undefined
    }
  }

  async function move(): Promise<void> {
    await run()
    lastStep = run()
    await lastStep
    lastStep = undefined
    moving = undefined
  }

  return {
    count() {
      commits++
      if (commits < commitsBetween || moving || path === ':memory:') return
      commits = 0
      moving = move()
    },
    get lastStep() {
      return lastStep
    },
    async close() {
      await moving
      await (await thread)?.close()
      thread = undefined
    },
  }
}
