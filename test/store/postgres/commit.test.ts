import { expect, test } from 'bun:test'
import { StoreError, UnansweredError } from '../../../src/store/ports/store-error.ts'
import { createCommit } from '../../../src/store/postgres/commit.ts'
import type { Connections } from '../../../src/store/postgres/connections.ts'
import { reservation } from '../sqlite/file-store.ts'
import { now, settlement } from '../support.ts'

const dayMs = 86_400_000

/** A commit whose second call to the database fails. */
function failingSecondly(error: Error) {
  let asked = 0
  const answer = { denied: [], overBudget: [], accounts: [[1, 5]], tokens: [] }
  const connections = {
    async query() {
      if (++asked > 1) throw error
      return { rows: [{ answer: JSON.stringify(answer) }] }
    },
  } as unknown as Connections
  return createCommit(
    connections,
    (work) => work(),
    () => now,
    () => 1,
  )
}

test('what is stored before midnight counts as perhaps stored where the rest of its batch fails', async () => {
  const yesterday = reservation({ requestId: 'late', createdAt: now - dayMs })
  const batch = { settle: [settlement({ requestId: 'a' })], reserve: [yesterday] }
  const failed = failingSecondly(new StoreError('The disk is full.'))(batch)
  expect(await failed.catch((error: unknown) => error)).toBeInstanceOf(UnansweredError)
  const misuse = failingSecondly(new RangeError('out of range'))(batch)
  expect(await misuse.catch((error: unknown) => error)).toBeInstanceOf(RangeError)
})
