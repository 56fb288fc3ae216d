import { accounts } from './scene.ts'
import { accountRow, dayRow, type Tamperings, totalRow } from './victims.ts'

const forge = (requestId: string | null) =>
  'INSERT INTO ledger (id, created_at, account_id, kind, amount_nano, request_id, ' +
  `balance_after_nano) SELECT 999999, 0, 3, 'charge', -7, ${requestId}, balance_nano ` +
  'FROM account WHERE id = 3'

const holdFor = (values: string) =>
  'INSERT INTO background_answer (request_id, asked_id, answer_id, created_at, account_id, token_id, ' +
  `channel_id, key_mark, charge, due_at) VALUES (${values}, 3, 1, 1, 'mark', '{}', 0)`

/** Falsified ledger entries, balances, sums and reservations. */
export const ledgerTamperings: Tamperings = {
  'ledger amount': {
    change: (db, { victim }) =>
      db.run('UPDATE ledger SET amount_nano = -5 WHERE id = ?', [victim.entry]),
    expected: ({ victim }) => [
      `charge_amount: ledger entry ${victim.entry}`,
      `balance_after: ledger entry ${victim.entry}`,
      `balance: ${accountRow(victim.account_id)}`,
    ],
    text: ({ victim: { entry, request_id, amount_nano } }) =>
      new RegExp(
        `^ledger entry ${entry}: amount_nano is -5, should be -${amount_nano}: ` +
          `by request ${request_id}$`,
        'm',
      ),
  },
  'ledger row deleted': {
    change: (db, { victim }) => db.run('DELETE FROM ledger WHERE id = ?', [victim.entry]),
    expected: ({ victim }) => [
      `charge_missing: request ${victim.request_id}`,
      `balance_after: ledger entry ${victim.next}`,
      `balance: ${accountRow(victim.account_id)}`,
    ],
    text: ({ victim }) =>
      new RegExp(`the ledger has no entry that charges its ${victim.amount_nano} nano-USD`),
  },
  'an answer in the background that is neither charged nor to be': {
    change: (db, { victim }) =>
      db.run("UPDATE request SET ending = 'background' WHERE request_id = ?", [victim.request_id]),
    expected: ({ victim }) => [`background: request ${victim.request_id}`],
    text: () => /was made in the background, and is neither charged nor to be/,
  },
  'an answer in the background that nobody looks at': {
    change: (db) => db.run(holdFor("'req_old_fetched', 'req_old', 'resp_1', 0")),
    expected: () => ['background: request req_old_fetched'],
    text: () => /should be charged by now/,
  },
  'an answer in the background that is charged, and still held': {
    change: (db, { victim }) =>
      db.run(holdFor(`'${victim.request_id}', 'req_asked', 'resp_1', ${8e15}`)),
    expected: ({ victim }) => [`background: request ${victim.request_id}`],
    text: () => /is still to be charged, but it is charged/,
  },
  'ledger charge without request': {
    change: (db) => {
      db.run('UPDATE account SET balance_nano = balance_nano - 7 WHERE id = 3')
      db.run(forge("'req_forged'"))
    },
    expected: () => ['charge_unfounded: ledger entry 999999'],
    text: () => /charges 7 nano-USD for request req_forged, which does not exist/,
  },
  'a charge that names no request': {
    change: (db) => {
      db.run('UPDATE account SET balance_nano = balance_nano - 7 WHERE id = 3')
      db.run(forge('NULL'))
    },
    expected: () => ['entry: ledger entry 999999'],
    text: () => /ledger entry 999999: is a charge without a request/,
  },
  'a request charged that was refused': {
    change: (db, { refused }) => {
      db.run('UPDATE account SET balance_nano = balance_nano - 7 WHERE id = 3')
      db.run(forge(`'${refused.request_id}'`))
    },
    expected: () => ['charge_unfounded: ledger entry 999999'],
    text: () => /charges 7 nano-USD for request req_\w+, which cost nothing/,
  },
  'ledger row moved to another account': {
    change: (db, { victim }) =>
      db.run('UPDATE ledger SET account_id = 39 WHERE id = ?', [victim.entry]),
    expected: ({ victim }) => [
      `charge_owner: ledger entry ${victim.entry}`,
      `balance_after: ledger entry ${victim.entry}`,
      `balance_after: ledger entry ${victim.next}`,
      `balance: ${accountRow(victim.account_id)}`,
      `balance: ${accountRow(39)}`,
    ],
    text: ({ victim }) => new RegExp(`account_id is 39, should be ${victim.account_id}`),
  },
  'request and ledger row moved to another account': {
    change: (db, { victim }) => {
      db.run('UPDATE ledger SET account_id = 39 WHERE id = ?', [victim.entry])
      db.run('UPDATE request SET account_id = 39 WHERE id = ?', [victim.id])
    },
    expected: ({ victim }) => [
      `owner: request ${victim.request_id}`,
      `balance_after: ledger entry ${victim.entry}`,
      `balance_after: ledger entry ${victim.next}`,
      `balance: ${accountRow(victim.account_id)}`,
      `balance: ${accountRow(39)}`,
    ],
    text: ({ victim }) =>
      new RegExp(
        `account_id is 39, should be ${victim.account_id}: the account of token ${victim.token_id}`,
      ),
  },
  'balance changed': {
    change: (db) => db.run('UPDATE account SET balance_nano = balance_nano + 1000 WHERE id = 5'),
    expected: () => [`balance: ${accountRow(5)}`],
    text: () => /balance_nano is \d+, should be \d+: the sum of its ledger entries/,
  },
  'balance of the last account': {
    change: (db) => db.run(`UPDATE account SET balance_nano = 0 WHERE id = ${accounts}`),
    expected: () => [`balance: ${accountRow(accounts)}`],
    text: () => /balance_nano is 0, should be \d+: the sum of its ledger entries/,
  },
  'balance of an account without entries': {
    change: (db) =>
      db.run(
        'INSERT INTO account (id, email, role, status, balance_nano, created_at) ' +
          "VALUES (777, 'account-777@example.com', 'user', 'active', 9, 0)",
      ),
    expected: () => [`balance: ${accountRow(777)}`],
    text: () => /balance_nano is 9, should be 0/,
  },
  'balance_after changed': {
    change: (db, { victim }) =>
      db.run('UPDATE ledger SET balance_after_nano = 1 WHERE id = ?', [victim.entry]),
    expected: ({ victim }) => [`balance_after: ledger entry ${victim.entry}`],
    text: ({ victim: { account_id, amount_nano } }) =>
      new RegExp(
        `balance_after_nano is 1, should be \\d+: -${amount_nano} after a balance of \\d+ ` +
          `of account ${account_id}`,
      ),
  },
  'credit with negative amount': {
    change: (db, { credit }) =>
      db.run('UPDATE ledger SET amount_nano = -amount_nano WHERE id = ?', [credit.id]),
    expected: ({ credit }) => [
      `entry: ledger entry ${credit.id}`,
      `balance_after: ledger entry ${credit.id}`,
      `balance: ${accountRow(credit.account_id)}`,
    ],
    text: () => /amount_nano is -5000000000, but with kind "credit" it is a whole number above 0/,
  },
  'an amount beyond all numbers': {
    change: (db, { credit }) =>
      db.run('UPDATE ledger SET amount_nano = 9223372036854775807 WHERE id = ?', [credit.id]),
    expected: ({ credit }) => [
      `entry: ledger entry ${credit.id}`,
      `balance_after: ledger entry ${credit.id}`,
      `balance: ${accountRow(credit.account_id)}`,
    ],
    text: () => /amount_nano is 9223372036854776000, but with kind "credit"/,
  },
  'a second opening balance': {
    change: (db, { credit }) =>
      db.run("UPDATE ledger SET kind = 'opening' WHERE id = ?", [credit.id]),
    expected: ({ credit }) => [`entry: ledger entry ${credit.id}`],
    text: () => /is an opening balance, but not the first entry of its account/,
  },
  'B12: the daily sum that a budget is held to (usage_day) changed': {
    change: (db, { victim: { token_id, day, model } }) =>
      db.run('UPDATE usage_day SET amount_nano = 0 WHERE token_id = ? AND day = ? AND model = ?', [
        token_id,
        day,
        model,
      ]),
    expected: ({ victim }) => [`day: ${dayRow(victim)}`],
    text: () => /amount_nano is 0, should be \d+: the sum of its requests/,
  },
  'usage_day deleted': {
    change: (db, { victim: { token_id, day, model } }) =>
      db.run('DELETE FROM usage_day WHERE token_id = ? AND day = ? AND model = ?', [
        token_id,
        day,
        model,
      ]),
    expected: ({ victim }) => [`day: ${dayRow(victim)}`],
    text: () => /is missing, though there are \d+ such requests, which cost \d+ nano-USD/,
  },
  'usage_day forged': {
    change: (db) =>
      db.run(
        "INSERT INTO usage_day VALUES (1, '2026-01-01', 'house', 1, 1, 1, 0, 0, 0, 0, 5, 0, 0, 0)",
      ),
    expected: () => ['day: usage_day of token 1, 2026-01-01, model "house"'],
    text: () => /there are no such requests/,
  },
  'the total of all tokens (usage_total) changed': {
    change: (db, { victim: { day, model } }) =>
      db.run('UPDATE usage_total SET requests = 0, amount_nano = 7 WHERE day = ? AND model = ?', [
        day,
        model,
      ]),
    expected: ({ victim }) => [`total: ${totalRow(victim)}`],
    text: ({ victim }) =>
      new RegExp(
        `^${totalRow(victim)}: requests is 0, should be [1-9]\\d*; amount_nano is 7, ` +
          'should be [1-9]\\d*: the sum of such rows in usage_day\\. .*put that into it',
        'm',
      ),
  },
  'usage_total deleted': {
    change: (db, { victim: { day, model } }) =>
      db.run('DELETE FROM usage_total WHERE day = ? AND model = ?', [day, model]),
    expected: ({ victim }) => [`total: ${totalRow(victim)}`],
    text: () =>
      /is missing, though usage_day has such rows, whose sum is requests [1-9]\d*, input_/,
  },
  'usage_total forged': {
    change: (db) =>
      db.run(
        "INSERT INTO usage_total VALUES ('2026-01-01', 'house', 1, 1, 1, 0, 0, 0, 0, 5, 0, 0, 0)",
      ),
    expected: () => ['total: usage_total of 2026-01-01, model "house"'],
    text: () => /usage_day has no such rows\. .*delete it/,
  },
  'a day of one token and the total changed alike': {
    change: (db, { victim: { token_id, day, model } }) => {
      db.run(
        'UPDATE usage_day SET amount_nano = amount_nano + 9 WHERE token_id = ? AND day = ? AND model = ?',
        [token_id, day, model],
      )
      db.run('UPDATE usage_total SET amount_nano = amount_nano + 9 WHERE day = ? AND model = ?', [
        day,
        model,
      ])
    },
    expected: ({ victim }) => [`day: ${dayRow(victim)}`],
    text: () => /amount_nano is \d+, should be \d+: the sum of its requests/,
  },
  'a day of one token and its total changed, each in its own way': {
    change: (db, { victim: { token_id, day, model } }) => {
      db.run('UPDATE usage_day SET begun = 77 WHERE token_id = ? AND day = ? AND model = ?', [
        token_id,
        day,
        model,
      ])
      db.run('UPDATE usage_total SET failed = 78 WHERE day = ? AND model = ?', [day, model])
    },
    expected: ({ victim }) => [`day: ${dayRow(victim)}`, `total: ${totalRow(victim)}`],
    text: ({ victim }) =>
      new RegExp(`^${totalRow(victim)}: failed is 78, should be \\d+: the sum`, 'm'),
  },
  'reservation changed': {
    change: (db) => db.run("UPDATE reservation SET amount_nano = 1 WHERE request_id = 'req_open'"),
    expected: () => [`reserved: ${accountRow(7)}`],
    text: () => /reserved_nano is 1000000, should be 1: the sum of its reservations/,
  },
  'reserved_nano changed': {
    change: (db) => db.run('UPDATE account SET reserved_nano = 12 WHERE id = 8'),
    expected: () => [`reserved: ${accountRow(8)}`],
    text: () => /reserved_nano is 12, should be 0/,
  },
  'a reservation whose request has ended': {
    change: (db, { refused }) =>
      db.run('UPDATE reservation SET request_id = ?', [refused.request_id]),
    expected: ({ refused }) => [`reservation: reservation ${refused.request_id}`],
    text: () => /is open, but its request has ended/,
  },
}
