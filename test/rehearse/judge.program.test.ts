import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync } from 'node:fs'
import { createTempDir } from '../support/temp-dir.ts'
import type { Outcome } from './clients/crowd.ts'
import { createJudge } from './judge.ts'
import { type OneNode, openRows, startSqliteWorld } from './sqlite-world.ts'

// Plants what must never be in the books of a gateway that went well, and sees that the judge finds it.

const folder = createTempDir('tollgate-judge')
const patience = { restMs: 200, storedMs: 200 }
/** The books when all was well. */
const well = folder.join('well.db')
let world: OneNode
const outcomes: Outcome[] = []

beforeAll(async () => {
  world = await startSqliteWorld({ folder: folder.path, seed: 1, clients: 12, longestS: 1 })
  while (!(await world.isReady())) await Bun.sleep(20)
  world.crowd.go()
  const isEnough = () => {
    outcomes.push(...world.crowd.take())
    return outcomes.filter(({ ending }) => ending === 'whole').length > 100
  }
  while (!isEnough()) await Bun.sleep(50)
  await world.crowd.rest()
  outcomes.push(...world.crowd.take())
  expect(await world.node.stop()).toBe(0)
  copyFileSync(world.database, well)
  expect(existsSync(`${world.database}-wal`)).toBe(false)
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  folder.remove()
})

/** What is found in books that differ from the good ones by some statements. */
async function findPlanted(name: string, ...statements: readonly string[]): Promise<string> {
  const path = folder.join(`${name.replaceAll(/\W/g, '-')}.db`)
  copyFileSync(well, path)
  change(path, statements)
  return (await createJudge(openRows(path), world.upstream, patience).judge(outcomes)).join('\n')
}

function change(path: string, statements: readonly string[]): void {
  using db = new Database(path)
  for (const sql of statements) db.run(sql)
}

/** The request of an answer that came whole to who has plenty, and another account. */
const chosen = () => {
  const found = outcomes.find(({ ending, ask }) => ending === 'whole' && ask.payer === 'rich')
  return `'${found?.id}'`
}
const other = "(SELECT id FROM account WHERE email = 'draining@example.com')"
/** Makes every balance the sum of its ledger again. */
const balanced =
  'UPDATE account SET balance_nano = (SELECT coalesce(sum(amount_nano), 0) FROM ledger WHERE account_id = account.id)'

test('finds nothing in books that are right', async () => {
  expect(await findPlanted('nothing')).toBe('')
})

describe('finds', () => {
  const plants: readonly (readonly [name: string, found: string, sql: () => string[]])[] = [
    [
      'a lost charge',
      'Received whole, and not charged',
      () => [`DELETE FROM ledger WHERE request_id = ${chosen()}`, balanced],
    ],
    [
      'a lost charge with its request',
      'Received whole, and not charged',
      () => [
        `DELETE FROM ledger WHERE request_id = ${chosen()}`,
        `UPDATE request SET amount_nano = 0 WHERE request_id = ${chosen()}`,
        balanced,
      ],
    ],
    [
      'a double charge under another id',
      'is charged twice',
      () => [
        `CREATE TEMP TABLE twin AS SELECT * FROM request WHERE request_id = ${chosen()}`,
        `UPDATE twin SET request_id = 'req_twin', id = (SELECT max(id) + 1 FROM request)`,
        'INSERT INTO request SELECT * FROM twin',
        `INSERT INTO attempt SELECT (SELECT id FROM twin), position, channel_id, started_at, status,
           cause, first_byte_ms, duration_ms, upstream_request_id, usage_raw, key_mark FROM attempt
           WHERE request_row = (SELECT id FROM request WHERE request_id = ${chosen()})`,
        `INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, balance_after_nano)
           SELECT created_at, account_id, kind, amount_nano, 'req_twin', balance_after_nano FROM ledger
           WHERE request_id = ${chosen()}`,
        balanced,
      ],
    ],
    [
      'a double charge of one request',
      'is charged twice',
      () => [
        'DROP INDEX ledger_request',
        `INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, balance_after_nano)
           SELECT created_at, account_id, kind, amount_nano, request_id, balance_after_nano FROM ledger
           WHERE request_id = ${chosen()}`,
        balanced,
      ],
    ],
    [
      'a charge to another account',
      "rich's answer is charged to",
      () => [
        `UPDATE ledger SET account_id = ${other} WHERE request_id = ${chosen()}`,
        `UPDATE request SET account_id = ${other} WHERE request_id = ${chosen()}`,
        balanced,
      ],
    ],
    [
      'a nano-dollar too much',
      'Charged another sum',
      () => [
        `UPDATE ledger SET amount_nano = amount_nano - 1 WHERE request_id = ${chosen()}`,
        `UPDATE request SET amount_nano = amount_nano + 1 WHERE request_id = ${chosen()}`,
        balanced,
      ],
    ],
    [
      'a charge that is not that of its request',
      'is not that of its request',
      () => [
        `UPDATE ledger SET amount_nano = amount_nano - 1 WHERE request_id = ${chosen()}`,
        balanced,
      ],
    ],
    [
      'a charge for what no upstream was asked',
      'no upstream was asked',
      () => [
        `UPDATE attempt SET upstream_request_id = 'upstream-99999999-1'
           WHERE request_row = (SELECT id FROM request WHERE request_id = ${chosen()})`,
      ],
    ],
    [
      'a charge for what was refused',
      'Refused, and charged',
      () => {
        const refused = outcomes.find(
          ({ ending, id, ask }) =>
            ending === 'refused' && id !== undefined && !world.upstream.bills.has(ask.number),
        )
        return [
          `UPDATE request SET amount_nano = 5 WHERE request_id = '${refused?.id}'`,
          `INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, balance_after_nano)
             SELECT created_at, account_id, 'charge', -5, request_id, 0 FROM request
             WHERE request_id = '${refused?.id}'`,
          balanced,
        ]
      },
    ],
    [
      'a balance that is not the sum of its ledger',
      'sum of the ledger',
      () => [`UPDATE account SET balance_nano = balance_nano + 1 WHERE id = ${other}`],
    ],
    [
      'an account far below its bound',
      'below its bound',
      () => [
        `INSERT INTO ledger (created_at, account_id, kind, amount_nano, balance_after_nano)
           SELECT 1, id, 'debit', -balance_nano - 1000000000000, -1000000000000 FROM account`,
        balanced,
      ],
    ],
    [
      'a reservation that stays open',
      'reservations are open',
      () => [
        `INSERT INTO reservation (request_id, created_at, account_id, token_id, group_id,
           client_protocol, operation, stream, multiplier_millionths, amount_nano)
           SELECT 'req_open', 1, account_id, token_id, group_id, 'chat', 'completions', 0, 1, 1
           FROM request LIMIT 1`,
      ],
    ],
    [
      'money that stays set aside',
      'is set aside',
      () => [`UPDATE account SET reserved_nano = 1 WHERE id = ${other}`],
    ],
  ]
  test.each(plants)('%s', async (name, found, sql) => {
    expect(await findPlanted(name, ...sql())).toContain(found)
  })

  test('a charge that is gone later', async () => {
    const path = folder.join('later.db')
    copyFileSync(well, path)
    const judge = createJudge(openRows(path), world.upstream, patience)
    expect(await judge.judge(outcomes)).toEqual([])
    change(path, [`DELETE FROM ledger WHERE request_id = ${chosen()}`, balanced])
    expect((await judge.judge([])).join('\n')).toContain('as they came there were')
  })
})
