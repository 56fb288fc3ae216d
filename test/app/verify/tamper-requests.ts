import type { Database } from 'bun:sqlite'
import { charge } from '../../../src/billing/charge.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import { dayRow, type Tampering, type Tamperings, type Victims } from './victims.ts'

/** A change of one row of `request`. */
const setRequest =
  (assignment: string, which: 'victim' | 'long' | 'refused' = 'victim'): Tampering['change'] =>
  (db, victims) =>
    db.run(`UPDATE request SET ${assignment} WHERE id = ${victims[which].id}`)

/** Cached tokens become fewer, and all that follows from them is made to fit. */
function hideCachedTokens(db: Database, { victim }: Victims): void {
  const { id, account_id, token_id, day, model, entry, price_id } = victim
  const row = db
    .query(
      'UPDATE request SET cache_read_tokens = cache_read_tokens - 100 WHERE id = ? RETURNING *',
    )
    .get(id) as { [column: string]: number }
  const price = db.query('SELECT terms FROM model_price WHERE id = ?').get(price_id)
  const { amountNano } = charge({
    terms: JSON.parse((price as { terms: string }).terms) as PriceTerms,
    usage: {
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      cacheReadTokens: Number(row.cache_read_tokens),
      cacheWriteTokens: Number(row.cache_write_tokens),
      cacheWrite1hTokens: Number(row.cache_write_1h_tokens),
    },
    calls: 1,
    multiplierMillionths: Number(row.multiplier_millionths),
    longContextPricing: true,
  })
  const less = victim.amount_nano - amountNano
  db.run('UPDATE request SET amount_nano = ? WHERE id = ?', [amountNano, id])
  db.run('UPDATE ledger SET amount_nano = ? WHERE id = ?', [-amountNano, entry])
  db.run(
    'UPDATE ledger SET balance_after_nano = balance_after_nano + ? ' +
      'WHERE account_id = ? AND id >= ?',
    [less, account_id, entry],
  )
  db.run('UPDATE account SET balance_nano = balance_nano + ? WHERE id = ?', [less, account_id])
  db.run(
    'UPDATE usage_day SET amount_nano = amount_nano - ?, ' +
      'cache_read_tokens = cache_read_tokens - 100 WHERE token_id = ? AND day = ? AND model = ?',
    [less, token_id, day, model],
  )
  db.run(
    'UPDATE usage_total SET amount_nano = amount_nano - ?, ' +
      'cache_read_tokens = cache_read_tokens - 100 WHERE day = ? AND model = ?',
    [less, day, model],
  )
}

/** Falsified requests and prices. */
export const requestTamperings: Tamperings = {
  'request amount': {
    change: setRequest('amount_nano = amount_nano + 1'),
    expected: ({ victim }) => [
      `amount: request ${victim.request_id}`,
      `charge_amount: ledger entry ${victim.entry}`,
      `day: ${dayRow(victim)}`,
    ],
    text: ({ victim: { request_id, amount_nano, price_id } }) =>
      new RegExp(
        `^request ${request_id}: amount_nano is ${amount_nano + 1}, should be ${amount_nano}: ` +
          `by its counts, its multiplier and price ${price_id}$`,
        'm',
      ),
  },
  'output count changed': {
    change: setRequest('output_tokens = output_tokens - 10, reasoning_tokens = 0'),
    expected: ({ victim }) => [
      `usage: request ${victim.request_id}`,
      `amount: request ${victim.request_id}`,
      `day: ${dayRow(victim)}`,
    ],
    text: ({ victim: { output_tokens } }) =>
      new RegExp(`output_tokens is ${output_tokens - 10}, should be ${output_tokens}\\b`),
  },
  'cached count changed together with every amount': {
    change: hideCachedTokens,
    expected: ({ victim }) => [`usage: request ${victim.request_id}`],
    text: () => /cache_read_tokens is \d+, should be \d+: by its usage_raw/,
  },
  'the upstream report taken away': {
    change: setRequest('usage_raw = NULL'),
    expected: ({ victim }) => [`usage: request ${victim.request_id}`],
    text: () => /should be 0: there is no usage_raw, and it is not estimated/,
  },
  'the upstream report made unreadable': {
    change: setRequest("usage_raw = 'nothing'"),
    expected: ({ victim }) => [`usage: request ${victim.request_id}`],
    text: () => /its usage_raw is not JSON/,
  },
  "a price row's terms": {
    change(db, { victim }) {
      const row = db.query('SELECT terms FROM model_price WHERE id = ?').get(victim.price_id)
      const terms = JSON.parse((row as { terms: string }).terms)
      terms.base.output = 1
      const values = [JSON.stringify(terms), victim.price_id]
      db.run('UPDATE model_price SET terms = ? WHERE id = ?', values)
    },
    expected: ({ ofPrice }) => ofPrice.map((id) => `amount: request ${id}`),
    text: ({ victim }) =>
      new RegExp(`request ${victim.request_id}: amount_nano is \\d+, should be \\d+`),
  },
  'a price row that says nothing': {
    change: (db, { victim }) =>
      db.run("UPDATE model_price SET terms = '{}' WHERE id = ?", [victim.price_id]),
    expected: ({ allOfPrice }) => allOfPrice.map((id) => `price: request ${id}`),
    text: ({ victim }) => new RegExp(`the terms of price ${victim.price_id} can't be read`),
  },
  'the price of another model': {
    change: (db, { victim }) =>
      db.run(
        'UPDATE request SET price_id = (SELECT id FROM model_price AS other ' +
          'WHERE other.model <> request.model AND other.valid_from < request.created_at LIMIT 1) ' +
          'WHERE id = ?',
        [victim.id],
      ),
    expected: ({ victim }) => [
      `price: request ${victim.request_id}`,
      `amount: request ${victim.request_id}`,
    ],
    text: ({ victim }) =>
      new RegExp(`price \\d+ is one of "[a-z-]+", but the request was for "${victim.model}"`),
  },
  'a price that came later': {
    change: (db, { victim }) =>
      db.run(
        'UPDATE request SET price_id = (SELECT max(id) FROM model_price AS later ' +
          'WHERE later.model = request.model) WHERE id = ?',
        [victim.id],
      ),
    expected: ({ victim }) => [
      `price: request ${victim.request_id}`,
      `amount: request ${victim.request_id}`,
    ],
    text: () => /price \d+ holds from 2026-\S+Z on, after this request had ended/,
  },
  'a price that was replaced': {
    change: (db, { late }) =>
      db.run(
        'UPDATE request SET price_id = (SELECT min(id) FROM model_price AS earlier ' +
          'WHERE earlier.model = request.model) WHERE id = ?',
        [late.id],
      ),
    expected: ({ late }) => [
      `price: request ${late.request_id}`,
      `amount: request ${late.request_id}`,
    ],
    text: () => /price \d+ was replaced at 2026-\S+Z, before this request came/,
  },
  'a price that does not exist': {
    change: setRequest('price_id = 4711'),
    expected: ({ victim }) => [
      `dangling: request id ${victim.id}`,
      `price: request ${victim.request_id}`,
      `amount: request ${victim.request_id}`,
    ],
    text: () => /price_id is 4711, but there is no such model_price/,
  },
  'multiplier changed': {
    change: setRequest('multiplier_millionths = 700000'),
    expected: ({ victim }) => [`amount: request ${victim.request_id}`],
    text: () => /by its counts, its multiplier and price/,
  },
  'tier changed': {
    change: setRequest('tier_above = 200000'),
    expected: ({ victim }) => [`tier: request ${victim.request_id}`],
    text: () => /tier_above is 200000, should be null/,
  },
  'long-context pricing switched off for one request': {
    change: setRequest('long_context_pricing = 0', 'long'),
    expected: ({ long }) => [
      `tier: request ${long.request_id}`,
      `amount: request ${long.request_id}`,
    ],
    text: () => /tier_above is 200000, should be null/,
  },
  'a refused request that costs something': {
    change: setRequest('amount_nano = 5', 'refused'),
    expected: ({ refused }) => [
      `amount: request ${refused.request_id}`,
      `charge_missing: request ${refused.request_id}`,
      `day: usage_day of token ${refused.token_id}, ${refused.day}, model ""`,
    ],
    text: () => /amount_nano is 5, should be 0/,
  },
  'a negative count': {
    change: setRequest('cache_read_tokens = -cache_read_tokens'),
    expected: ({ victim }) => [`counts: request ${victim.request_id}`, `day: ${dayRow(victim)}`],
    text: () => /cache_read_tokens is -\d+: not a count that can be charged for/,
  },
  'more reasoning than output': {
    change: setRequest('reasoning_tokens = output_tokens + 1'),
    expected: ({ victim }) => [`counts: request ${victim.request_id}`, `day: ${dayRow(victim)}`],
    text: () => /reasoning_tokens, part of output_tokens, is \d+/,
  },
  'request deleted': {
    change: (db, { victim }) => {
      db.run('DELETE FROM attempt WHERE request_row = ?', [victim.id])
      db.run('DELETE FROM request WHERE id = ?', [victim.id])
    },
    expected: ({ victim }) => [
      `charge_unfounded: ledger entry ${victim.entry}`,
      `day: ${dayRow(victim)}`,
    ],
    text: ({ victim }) => new RegExp(`for request ${victim.request_id}, which does not exist`),
  },
  'request deleted, its attempts left': {
    change: (db, { victim }) => db.run('DELETE FROM request WHERE id = ?', [victim.id]),
    expected: ({ victim }) => [
      `charge_unfounded: ledger entry ${victim.entry}`,
      `day: ${dayRow(victim)}`,
      `attempts: attempts of request row ${victim.id}`,
    ],
    text: () => /belong to a request that does not exist/,
  },
  'attempt deleted in the middle': {
    change: (db, { retried }) =>
      db.run('DELETE FROM attempt WHERE request_row = ? AND position = 1', [retried.id]),
    expected: ({ retried }) => [`attempts: request ${retried.request_id}`],
    text: () => /1 of its attempts from 0 to \d is missing/,
  },
  'first attempt deleted': {
    change: (db, { retried }) =>
      db.run('DELETE FROM attempt WHERE request_row = ? AND position = 0', [retried.id]),
    expected: ({ retried }) => [`attempts: request ${retried.request_id}`],
    text: () => /1 of its attempts from 0 to \d is missing/,
  },
  'an attempt before the first': {
    change: (db, { retried }) =>
      db.run('UPDATE attempt SET position = -1 WHERE request_row = ? AND position = 0', [
        retried.id,
      ]),
    expected: ({ retried }) => [`attempts: request ${retried.request_id}`],
    text: () => /its attempts begin at position -1/,
  },
  'a channel deleted from under its records': {
    change: (db, { retried }) =>
      db.run('UPDATE attempt SET channel_id = 4711 WHERE request_row = ? AND position = 1', [
        retried.id,
      ]),
    expected: ({ retried }) => [`dangling: attempt request_row ${retried.id}, position 1`],
    text: () => /channel_id is 4711, but there is no such channel/,
  },
}
