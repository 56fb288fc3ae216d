import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { UsageFilter } from '../../../../src/store/ports/lists.ts'
import type { RequestRow } from '../../../../src/store/ports/records.ts'
import type { Store } from '../../../../src/store/ports/store.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/open.ts'
import {
  accountWrite,
  collect,
  now,
  priceWrite,
  seed,
  settlement,
  temporaryDirectory,
  tokenWrite,
} from '../../support.ts'
import { writeOldVersion } from '../old-version.ts'

const dayMs = 86_400_000
const [today, yesterday] = ['2026-11-21', '2026-11-20']
const whole = { sinceDay: '2026-01-01', untilDay: '2027-01-01' }
let directory: ReturnType<typeof temporaryDirectory>
let path: string
let store: Store
let time = now

beforeEach(async () => {
  time = now
  directory = temporaryDirectory()
  path = directory.file('gate.db')
  store = openSqliteStore({ path, clock: () => time })
  await seed(store)
  await store.admin.write({
    prices: [priceWrite('large', { unit: 'free' })],
    accounts: [accountWrite({ email: 'bob@example.com' })],
    tokens: [
      tokenWrite({ name: 'second', keyHash: 'hash-2' }),
      tokenWrite({ account: 'bob@example.com', keyHash: 'hash-3' }),
    ],
  })
})
afterEach(async () => {
  await store.close()
  directory[Symbol.dispose]()
})

let row = 0
const settle = (...changes: readonly Partial<RequestRow>[]) =>
  store.records.commit({
    settle: changes.map((change) => settlement({ requestId: `req_${++row}`, ...change })),
  })

const usage = async (filter: Partial<UsageFilter> = {}) => [
  ...(await store.lists.usage({ ...whole, ...filter })),
]
test('what a former version did not count is not known, and not zero', async () => {
  await settle({ createdAt: now - dayMs }, {})
  await store.close()
  const old = directory.file('old.db')
  writeOldVersion(3, path, old)
  store = openSqliteStore({ path: old, clock: () => time })
  const unknown = { failed: null, firstByteMs: null }
  expect(await usage()).toMatchObject([
    { day: yesterday, requests: 1, ...unknown },
    { day: today, requests: 1, ...unknown },
  ])
  await settle({}, { model: 'large' }, { createdAt: now + dayMs })
  expect(await usage({ sinceDay: today })).toMatchObject([
    { model: 'small', requests: 2, ...unknown },
    { model: 'large', requests: 1, failed: 0, firstByteMs: 12 },
    { model: 'small', requests: 1, failed: 0, firstByteMs: 12 },
  ])
  expect(await store.lists.totals(today, '2026-11-22')).toMatchObject([
    { requests: 3, ...unknown },
    { requests: 1, failed: 0, firstByteMs: 12 },
  ])
  expect(await usage({ sinceDay: today, untilDay: today, models: 0 })).toMatchObject([
    { model: 'other', requests: 3, ...unknown },
  ])
  expect(await oddDays()).toEqual([])
})

async function oddDays() {
  const pages = await collect(
    store.verification.oddDays(await store.verification.extent(undefined)),
  )
  return pages.flatMap(({ rows }) => rows)
}
