import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import { temporaryDirectory } from '../../store/support.ts'
import { accounts, makeDatabase, tamper, verifyFile } from './scene.ts'
import { ledgerTamperings } from './tamper-ledger.ts'
import { requestTamperings } from './tamper-requests.ts'
import { findVictims, type Tampering, type Victims } from './victims.ts'

const count = 800
const folder = temporaryDirectory()
const clean = folder.file('clean.db')
let victims: Victims

beforeAll(async () => {
  await makeDatabase(clean, count)
  using db = new Database(clean, { readonly: true })
  victims = findVictims(db)
})
afterAll(() => folder[Symbol.dispose]())

test('a database with every kind of row agrees with itself', async () => {
  const { verified, found } = await verifyFile(clean)
  expect(found.map(describeDifference)).toEqual([])
  expect(verified).toMatchObject({
    isDamaged: false,
    requests: count + 3,
    accounts,
    reservations: 1,
  })
  using db = new Database(clean, { readonly: true })
  const sums = db
    .query('SELECT (SELECT count(*) FROM ledger) AS entries, sum(amount_nano) AS nano FROM request')
    .get() as { entries: number; nano: number }
  expect(verified.entries).toBe(sums.entries)
  expect(verified.chargedNano).toBe(BigInt(sums.nano))
  const kinds = db.query('SELECT DISTINCT ending FROM request UNION SELECT kind FROM ledger').all()
  expect(kinds).toHaveLength(8 + 4)
})

const file = (name: string) => folder.file(`${name.replaceAll(/\W+/g, '-')}.db`)

test.each(Object.entries({ ...requestTamperings, ...ledgerTamperings }))(
  'finds: %s',
  async (name: string, { change, expected, text }: Tampering) => {
    const path = file(name)
    tamper(clean, path, (db) => change(db, victims))
    const { found } = await verifyFile(path)
    const rows = found.map(({ kind, row }) => `${kind}: ${row}`).sort()
    expect(rows).toEqual([...expected(victims)].sort())
    expect(found.map(describeDifference).join('\n')).toMatch(text(victims))
  },
)
