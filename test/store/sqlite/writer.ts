/** Settles without end and prints the ids of what is committed; run as a process of its own. */
import { writeSync } from 'node:fs'
import { createRequestId } from '../../../src/lib/ids.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { settlement } from '../support.ts'

const store = openSqliteStore({ path: process.argv[2] ?? '', clock: Date.now })
try {
  while (true) {
    const batch = [1, 2, 3].map((amountNano) =>
      settlement({ requestId: createRequestId(), amountNano }),
    )
    await store.records.commit({ settle: batch })
    writeSync(1, batch.map(({ request }) => `${request.requestId}\n`).join(''))
  }
} catch (error) {
  console.error(String(error))
  process.exit(1)
}
