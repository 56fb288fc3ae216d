import type { DatabaseFile, SealedKey } from '../ports/copies.ts'
import { selectSealed } from '../queries/catalog.ts'
import { inspectDatabase, readNewest } from './inspect.ts'
import { openDatabaseThread } from './thread.ts'

const countCopyBytes = `
SELECT (page_count - freelist_count) * page_size AS bytes
FROM pragma_page_count, pragma_freelist_count, pragma_page_size`

/**
 * Opens a database file that is there, of any version, without changing its tables. `called` is its
 * name in errors.
 */
export async function openDatabaseFile(path: string, called = path): Promise<DatabaseFile> {
  const thread = await openDatabaseThread(path, called)
  return {
    async copyBytes() {
      const [row] = await thread.all<{ bytes: number }>(countCopyBytes)
      return row?.bytes ?? 0
    },
    newest: () => readNewest(thread),
    async copyInto(file) {
      await thread.run(
        // The caller makes the copy durable, at its own pace.
        { sql: 'PRAGMA synchronous = OFF' },
        { sql: 'VACUUM INTO ?', parameters: [file] },
        { sql: 'PRAGMA synchronous = FULL' },
      )
      try {
        // While the copy was read, the journal could only grow. Whoever commits next would have to
        // move all of it into the database before anything else: done here, no request waits for it.
        await thread.run({ sql: 'PRAGMA wal_checkpoint(PASSIVE)' })
      } catch {
        // A courtesy: the copy is whole without it, and the gateway's own commits do it, too.
      }
    },
    inspect: (options) => inspectDatabase(thread, called, options),
    sealedKeys: () => thread.all<SealedKey>(selectSealed),
    close: () => thread.close(),
  }
}
