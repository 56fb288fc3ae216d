import { type DayColumn, dayColumns } from '../ports/verification.ts'
import { purseOfBudget } from './lease.ts'

/** Finds all rows by their keys: a plan made for empty tables would read them whole when they have grown. */
export const byIndex = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET plan_cache_mode = force_generic_plan`

/** Of a token: NULL where there is none. */
export const budget = 'coalesce(budget_total_nano, budget_day_nano, budget_month_nano)'

/** Charges in all, of a month and of a day, of rows that each have a day. */
export const spentIn = (day: string) => `coalesce(sum(amount_nano), 0)::bigint AS total,
  coalesce(sum(amount_nano) FILTER (WHERE left(${day}, 7) = left(today, 7)), 0)::bigint AS month,
  coalesce(sum(amount_nano) FILTER (WHERE ${day} = today), 0)::bigint AS day`

const added = dayColumns.map((name) => `${name} = stored.${name} + excluded.${name}`).join(', ')

const counts: { readonly [column in DayColumn]?: string } = {
  requests: 'count(*)',
  failed: 'count(cause)',
  begun: 'count(first_byte_ms)',
  first_byte_ms: 'coalesce(sum(first_byte_ms), 0)',
}

const counted = dayColumns.map((name) => `sign * ${counts[name] ?? `sum(${name})`}`).join(', ')

const pricedModel = "CASE WHEN price_id IS NULL THEN '' ELSE coalesce(model, '') END"

const reservedOf = (tokenId: string) =>
  `(SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE token_id = ${tokenId})`
const leasedOf = (tokenId: string) =>
  `(SELECT coalesce(sum(amount_nano), 0) FROM lease WHERE purse = ${purseOfBudget(tokenId)})`

/**
 * Moves the rows of some tokens to a day: a later one or, by a slow clock, an earlier one. Returns the
 * tokens that have a budget. `held`: what is set aside of a token's budget.
 */
const makeOpenSpending = (held: (tokenId: string) => string) => `
CREATE OR REPLACE FUNCTION open_spending(wanted bigint[], today text) RETURNS bigint[] LANGUAGE plpgsql
${byIndex} SET jit = off AS $$
BEGIN
  DELETE FROM token_spending USING token
    WHERE token_id = ANY (wanted) AND id = token_id AND ${budget} IS NULL;
  UPDATE token_spending SET day = today, month_nano = spent.month, day_nano = spent.day
    FROM token, LATERAL (
      SELECT ${spentIn('day')} FROM usage_day
      WHERE token_id = token.id AND day >= left(today, 7) AND day < left(today, 7) || '.'
    ) AS spent
    WHERE token_spending.token_id = ANY (wanted) AND token.id = token_spending.token_id
      AND token_spending.day <> today;
  INSERT INTO token_spending SELECT token.id, today, spent.*, ${held('token.id')}
    FROM token, LATERAL (
      SELECT ${spentIn('day')} FROM usage_day WHERE token_id = token.id
    ) AS spent
    WHERE token.id = ANY (wanted) AND ${budget} IS NOT NULL
      AND NOT EXISTS (SELECT FROM token_spending WHERE token_id = token.id);
  RETURN ARRAY(SELECT token_id FROM token_spending WHERE token_id = ANY (wanted));
END $$;
`

/** Of nodes of the first version, too: a lease of a budget is set aside. */
export const openSpendingWithLeases = makeOpenSpending(
  (tokenId) => `${reservedOf(tokenId)} + ${leasedOf(tokenId)}`,
)

/** The clock, and the sums that commits keep: of days, and of what tokens with a budget have spent. */
export const sumFunctions = `
-- By the clock of the database: those of nodes may differ.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

CREATE FUNCTION utc_day(at_ms bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(to_timestamp(at_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
$$;

-- Adds requests to the daily sums (sign 1), or takes them out again (sign -1).
CREATE FUNCTION add_usage(added request[], sign int) RETURNS void LANGUAGE plpgsql ${byIndex} AS $$
BEGIN
  INSERT INTO usage_day AS stored (token_id, day, model, ${dayColumns.join(', ')})
    SELECT token_id, utc_day(created_at), ${pricedModel} AS priced, ${counted}
    FROM unnest(added) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (token_id, day, model) DO UPDATE SET ${added};
  INSERT INTO usage_total_part AS stored (day, model, part, ${dayColumns.join(', ')})
    SELECT utc_day(created_at), ${pricedModel} AS priced, pg_backend_pid() % 16, ${counted}
    FROM unnest(added) GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (day, model, part) DO UPDATE SET ${added};
END $$;
${makeOpenSpending(reservedOf)}`
