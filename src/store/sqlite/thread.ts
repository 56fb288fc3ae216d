import { hasDescriptorsForThread, tooFewDescriptors } from '../../lib/process-state.ts'
import { StoreError } from '../ports/store-error.ts'
import { explainFailure } from './file.ts'

type SqlValue = string | number | null

/** A connection on a thread of its own, which runs one statement after the other. */
export interface DatabaseThread {
  /** Runs one statement. Rejects with a `StoreError` that names the path, where the cause is known. */
  all<Row>(sql: string, ...parameters: readonly SqlValue[]): Promise<readonly Row[]>
  /** Closes the connection, when its statement is done, and ends the thread. */
  close(): Promise<void>
}

/** What runs on the other thread: as text, for a compiled program has no files to begin it with. */
const program = `
import { Database } from 'bun:sqlite'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
let db
function lowerPriority() {
  if (process.platform !== 'linux') return
  try {
    // The number of this thread: on Linux a thread has a priority of its own.
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 19)
  } catch {
    // Where there is no /proc it works as other threads do.
  }
}
self.onmessage = ({ data: { open, isPatient, sql, parameters } }) => {
  try {
    if (open) {
      if (isPatient) lowerPriority()
      db = new Database(open, { readwrite: true })
      db.run('PRAGMA busy_timeout = 5000')
      postMessage({ rows: [] })
    } else if (sql) {
      const statement = db.prepare(sql)
      const rows = statement.all(...parameters)
      statement.finalize()
      postMessage({ rows })
    } else {
      db?.close()
      postMessage({ rows: [] })
    }
  } catch (error) {
    postMessage({ failure: { message: error.message, code: error.code } })
  }
}`

type Reply =
  | { readonly rows: readonly unknown[] }
  | { readonly failure: { readonly message: string; readonly code: string | undefined } }

/** Opens a database on a thread; `called` is its name in errors. Patient: of low priority. */
export async function openDatabaseThread(
  path: string,
  called = path,
  isPatient = false,
): Promise<DatabaseThread> {
  if (!hasDescriptorsForThread()) throw new StoreError(tooFewDescriptors)
  const source = URL.createObjectURL(new Blob([program], { type: 'application/javascript' }))
  const worker = new Worker(source, { smol: true })

  const waiting: { resolve(rows: readonly unknown[]): void; reject(error: unknown): void }[] = []

  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const asker = waiting.shift()
    if (waiting.length === 0) worker.unref()
    if ('rows' in data) asker?.resolve(data.rows)
    else asker?.reject(explainFailure(Object.assign(new Error(), data.failure), called))
  }
  worker.onerror = ({ message }) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(message))
  }

  function ask(message: object): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      // Only while it works does it keep the process going.
      worker.ref()
      worker.postMessage(message)
    })
  }

  try {
    await ask({ open: path, isPatient })
  } catch (error) {
    worker.terminate()
    throw error
  } finally {
    URL.revokeObjectURL(source)
  }
  return {
    all: async <Row>(sql: string, ...parameters: readonly SqlValue[]) =>
      (await ask({ sql, parameters })) as readonly Row[],
    async close() {
      await ask({})
      worker.terminate()
    },
  }
}
