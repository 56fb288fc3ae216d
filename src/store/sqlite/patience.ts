import { type Database, SQLiteError } from 'bun:sqlite'
import { explainFailure } from './failures.ts'

/** How soon a transaction is tried again while another process is writing. */
const retryMs = 5

/**
 * Does `work` as soon as no other process is writing, for as long as the database's busy timeout.
 * SQLite itself would wait with the whole process standing still, open streams included.
 */
export function createPatience(db: Database) {
  const setTimeoutTo = (ms: number) => db.prepare(`PRAGMA busy_timeout = ${ms}`)
  const { timeout } = db.query<{ timeout: number }, []>('PRAGMA busy_timeout').get() ?? {}
  const patienceMs = timeout ?? 0
  const [impatient, patient] = [setTimeoutTo(0), setTimeoutTo(patienceMs)]
  // SQLite obeys these when it compiles them, and compiles them anew for each run but the first.
  for (const statement of [impatient, patient]) statement.run()
  return async <Result>(work: () => Result): Promise<Result> => {
    const deadline = performance.now() + patienceMs
    while (true) {
      impatient.run()
      try {
        return work()
      } catch (error) {
        const isBusy = error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')
        if (!isBusy || performance.now() >= deadline) throw explainFailure(error, db.filename)
      } finally {
        patient.run()
      }
      await Bun.sleep(retryMs)
    }
  }
}
