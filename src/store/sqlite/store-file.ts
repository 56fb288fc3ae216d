import type { Database } from 'bun:sqlite'
import type { StoreFile } from '../ports/store.ts'
import { explained } from './failures.ts'
import type { Watch } from './watch.ts'

/** The file of an open database, as the port has it. */
export function createStoreFile(db: Database, path: string, watch: Watch): StoreFile {
  const selectRuns = db.prepare<{ runs: number | null }, []>('SELECT runs FROM program')
  return {
    path,
    trouble: watch.look,
    require: watch.require,
    // By the connection that is open: what it has opened is to be had by no path any more.
    rescueInto: (file) => explained(path, () => void db.run('VACUUM INTO ?', [file])),
    endedRuns: async () => explained(path, () => selectRuns.get()?.runs ?? null),
    async countRun() {
      watch.require()
      explained(path, () => db.run('UPDATE program SET runs = runs + 1'))
    },
  }
}
