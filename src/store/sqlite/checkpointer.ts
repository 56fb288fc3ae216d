import { type DatabaseThread, openDatabaseThread } from './thread.ts'

/** How many commits go into the journal before it is moved: some megabytes of it. */
const commitsBetween = 256

/** After a move that has failed so many more go into it before the next. */
const patience = 10 * commitsBetween

const checkpoint = 'PRAGMA wal_checkpoint(PASSIVE)'

/** Moves the journal into the database from time to time, on a thread of its own. */
export interface Checkpointer {
  /** To be called after each commit. */
  count(): void
  /** Set for the last milliseconds of a move: commits wait, so that the journal begins anew. */
  readonly lastStep: Promise<unknown> | undefined
  /** Ends the thread. To be called before the database is closed. */
  close(): Promise<void>
}

export function createCheckpointer(path: string): Checkpointer {
  let thread: Promise<DatabaseThread> | undefined
  let moving: Promise<void> | undefined
  let lastStep: Promise<unknown> | undefined
  let commits = 0

  function open(): Promise<DatabaseThread> {
    thread ??= openReading(path).catch((error: unknown) => {
      thread = undefined
      throw error
    })
    return thread
  }

  /** Whether all moved that was in the journal as it began; not so while a long reader needs an older state. */
  async function run(): Promise<boolean> {
    const [row] = await (await open()).all<{ log: number; checkpointed: number }>(checkpoint)
    return row !== undefined && row.log === row.checkpointed
  }

  async function move(): Promise<void> {
    try {
      if (!(await run())) return
      lastStep = run()
      await lastStep
    } catch {
      // Nothing is lost: SQLite moves a large journal itself, and reports the fault.
      commits = -patience
    } finally {
      lastStep = undefined
      moving = undefined
    }
  }

  return {
    count() {
      if (path === ':memory:') return
      commits++
      // Opened at the first commit, so that its files are open early; `move` meets a failure again.
      if (commits === 1) open().catch(() => {})
      if (commits < commitsBetween || moving) return
      commits = 0
      moving = move()
    },
    get lastStep() {
      return lastStep
    },
    async close() {
      await moving
      const opened = await thread?.catch(() => undefined)
      await opened?.close()
      thread = undefined
    },
  }
}

/** Reads once: only then all files are open that it needs. */
async function openReading(path: string): Promise<DatabaseThread> {
  const thread = await openDatabaseThread(path)
  try {
    await thread.all('SELECT count(*) FROM sqlite_schema')
    return thread
  } catch (error) {
    await thread.close()
    throw error
  }
}
