/**
 * All rows are found by their keys, whatever the tables were like when the first call was planned: a
 * plan made for tables that were empty would read them whole when they have grown.
 */
export const byIndex = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET plan_cache_mode = force_generic_plan`

/** Of a token: NULL where there is none. */
export const budget = 'coalesce(budget_total_nano, budget_day_nano, budget_month_nano)'

/** Charges in all, of a month and of a day, of rows that each have a day. */
export const spentIn = (day: string) => `coalesce(sum(amount_nano), 0)::bigint AS total,
  coalesce(sum(amount_nano) FILTER (WHERE left(${day}, 7) = left(today, 7)), 0)::bigint AS month,
  coalesce(sum(amount_nano) FILTER (WHERE ${day} = today), 0)::bigint AS day`

/**
 * What tokens with a budget have spent, and what is set aside for their requests: sums of `usage_day`
 * and `reservation`, so that no call has to sum them up. Whoever has locked a token's account keeps its
 * row, as long as there is one; it is made when the first request with a budget comes, and made anew
 * by the first one after the budget was taken away for a time.
 */
export const spendings = `
CREATE TABLE token_spending (
  token_id bigint PRIMARY KEY,
  -- The UTC day that day_nano counts; month_nano: those of its month.
  day text COLLATE "C" NOT NULL,
  total_nano bigint NOT NULL,
  month_nano bigint NOT NULL,
  day_nano bigint NOT NULL,
  reserved_nano bigint NOT NULL
) WITH (fillfactor = 50);

-- Brings the rows of some tokens to a day, a later one or, by a clock that is behind, an earlier one.
-- Gives those that have a budget.
CREATE FUNCTION open_spending(wanted bigint[], today text) RETURNS bigint[] LANGUAGE plpgsql
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
  INSERT INTO token_spending SELECT token.id, today, spent.*, (
      SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE token_id = token.id)
    FROM token, LATERAL (
      SELECT ${spentIn('day')} FROM usage_day WHERE token_id = token.id
    ) AS spent
    WHERE token.id = ANY (wanted) AND ${budget} IS NOT NULL
      AND NOT EXISTS (SELECT FROM token_spending WHERE token_id = token.id);
  RETURN ARRAY(SELECT token_id FROM token_spending WHERE token_id = ANY (wanted));
END $$;
`
