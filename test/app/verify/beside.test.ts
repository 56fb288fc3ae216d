import { expect, test } from 'bun:test'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import type { Settlement } from '../../../src/store/ports/records.ts'
import type { Page, VerificationStore } from '../../../src/store/ports/verification.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { temporaryDirectory } from '../../store/support.ts'
import { madeStart, makeSettlements } from '../../support/made-ledger.ts'
import { accounts, makeDatabase, reservation, verifyStore } from './scene.ts'

// Several pages of everything: what is written comes between them.
const before = 2_500
const perPage = 40

/** Does some work before each page is read. */
async function* interrupted<Row>(
  pages: AsyncIterable<Page<Row>>,
  work: () => Promise<void>,
): AsyncGenerator<Page<Row>> {
  await work()
  for await (const page of pages) {
    yield page
    await work()
  }
}

test('nothing differs while requests are settled, reserved, grown and released beside', async () => {
  using folder = temporaryDirectory()
  const path = folder.file('busy.db')
  await makeDatabase(path, before)
  const writer = openSqliteStore({ path, clock: () => madeStart })
  const reader = openSqliteStore({ path, clock: () => madeStart })
  const more = makeSettlements(20_000, { accounts })
  let written = 0

  /** What a gateway stores in a moment: some requests end, others begin. */
  async function moment(): Promise<void> {
    const settle: Settlement[] = []
    while (settle.length < perPage) {
      const { value } = more.next()
      if (!value) throw new Error('more pages than requests to settle beside them')
      const requestId = `req_beside${written++}`
      settle.push({ ...value, request: { ...value.request, requestId } })
    }
    const accountId = 1 + (written % accounts)
    const open = `req_open${written}`
    await writer.records.commit({ settle, reserve: [reservation(open, accountId)] })
    await writer.records.commit({ grow: [{ requestId: open, accountId, tokenId: 1, byNano: 500 }] })
    if (written % 3 === 0) await writer.records.commit({ release: [open] })
    const parts = { account: `account-${accountId}@example.com`, reason: 'gift', actor: 'x' }
    await writer.admin.adjust({ ...parts, kind: 'credit', amountNano: 9, idempotencyKey: null })
  }

  const { verification } = reader
  const busy: VerificationStore = {
    ...verification,
    requests: (extent) => interrupted(verification.requests(extent), moment),
    entries: (extent) => interrupted(verification.entries(extent), moment),
    oddDays: (extent) => interrupted(verification.oddDays(extent), moment),
    oddAttempts: (extent) => interrupted(verification.oddAttempts(extent), moment),
    oddBalances: (extent) => interrupted(verification.oddBalances(extent), moment),
    oddReserved: () => interrupted(verification.oddReserved(), moment),
    leftReservations: () => interrupted(verification.leftReservations(), moment),
  }
  try {
    for (const since of [undefined, madeStart + 86_400_000]) {
      const { verified, found } = await verifyStore(busy, since)
      expect(found.map(describeDifference)).toEqual([])
      expect(verified.requests).toBeGreaterThan(1_000)
      expect(verified.entries).toBeGreaterThan(1_000)
    }
    expect(written).toBeGreaterThan(10 * perPage)
  } finally {
    await reader.close()
    await writer.close()
  }
})
