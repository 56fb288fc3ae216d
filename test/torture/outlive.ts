import { until } from '../e2e/until.ts'
import { openTables } from '../support/tables.ts'
import { testEngine } from '../support/test-store.ts'

/**
 * Makes the time pass after which gateways that were killed on the database of `folder` are forgotten
 * by others. A server first ends what they had asked of it. A file has one gateway at a time.
 */
export async function outliveOthers(folder: string): Promise<void> {
  if (testEngine === 'sqlite') return
  await using tables = openTables(folder)
  await until('the server to be done with the dead', async () => {
    const connected = `SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'tollgate %'`
    return (await tables.one(connected)) === 0
  })
  await tables.change('DELETE FROM node')
}
