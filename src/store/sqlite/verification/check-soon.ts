import { statSync } from 'node:fs'
import type { FileFault } from '../../ports/verification.ts'
import { type DatabaseThread, openDatabaseThread } from '../thread.ts'
import { faultOf, selectTables } from './file.ts'

/** Above this size the tables of requests are left out: they are most of it, and only ever grow. */
const largeBytes = 256 * 1024 * 1024
const largeTables = ['request', 'attempt', 'ledger']

/**
 * SQLite's quick check, table by table, and the references of small tables, on a thread that gives way
 * to all others: a gateway that has begun to serve goes on undisturbed. Ends early with the signal.
 */
export async function checkSoon(path: string, signal: AbortSignal): Promise<readonly FileFault[]> {
  if (path === ':memory:') return []
  const thread = await openDatabaseThread(path, path, true)
  try {
    return await checkTables(thread, statSync(path).size > largeBytes, signal)
  } finally {
    await thread.close()
  }
}

async function checkTables(thread: DatabaseThread, isLarge: boolean, signal: AbortSignal) {
  const faults: FileFault[] = []
  for (const { name } of await thread.all<{ name: string }>(selectTables)) {
    if (isLarge && largeTables.includes(name)) continue
    if (signal.aborted) break
    const lines = await thread.all<{ text: string }>(
      'SELECT quick_check AS text FROM pragma_quick_check(?)',
      name,
    )
    faults.push(...lines.filter(({ text }) => text !== 'ok').map(({ text }) => faultOf(name, text)))
  }
  return faults
}
