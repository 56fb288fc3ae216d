import {
  backgroundFields,
  columnNames,
  firstAttemptFields,
  firstRequestFields,
  reservationFields,
  typedFields,
} from './columns.ts'
import { budget, byIndex, spentIn, sumFunctions } from './postgres-sums.ts'
import { interruptedFrom } from './records.ts'

/*
 * The functions that the program of the first version calls: its nodes may run beside those of this one,
 * which call the functions of `postgres-commit.ts`.
 */

const commitRequests = 'commit_requests_2'
const commitAnswers = 'commit_answers_2'
const sweepReservations = 'sweep_reservations_2'

const triedFields = Object.keys(firstAttemptFields)
  .map((field) => `tried."${field}"`)
  .join(', ')

/** A request that a sweep closed. */
const swept = "ending = 'interrupted'"

/**
 * Does what `commit` of the store does in one call, and so in one round trip. It locks the accounts in
 * the order of their ids and reads balances only then, so concurrent calls see each other's results.
 * A batch names each request at most once in each part, and reserves nothing for one that it releases.
 * `of_accounts` and `of_tokens` are the known owners of what it settles, reserves and grows. The ids
 * that it settles and reserves lie between `lowest` and `highest`, which prunes the partitions.
 */
export const functions = `${sumFunctions}
CREATE FUNCTION ${commitRequests}(batch json, settled text[], released text[], of_accounts bigint[],
  of_tokens bigint[], at_ms bigint, today text, node bigint, lowest text, highest text) RETURNS json
LANGUAGE plpgsql ${byIndex} AS $$
DECLARE
  ended text[] := settled || released;
  asked_of text[] := released;
  ids bigint[];
  balances bigint[];
  reserved bigint[];
  credits bigint[];
  added request[];
  covered text[] := '{}';
  denied text[] := '{}';
  over_budget text[] := '{}';
  busy text[] := '{}';
  opened bigint[] := '{}';
  is_stale boolean;
  -- Tokens with a budget, how much of it is free, and how much this call reserves of that.
  limited bigint[];
  rooms bigint[];
  taken bigint[];
  spent json;
  place int;
  budget int;
  one record;
BEGIN
  -- Locks: the table before its rows, so that a writer with the whole table can't deadlock with this.
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  IF json_array_length(batch->'grow') > 0 THEN
    asked_of := asked_of || ARRAY(SELECT asked->>'requestId' FROM json_array_elements(batch->'grow') AS asked);
  END IF;
  IF cardinality(asked_of) > 0 THEN
    SELECT of_accounts || array_agg(account_id), of_tokens || array_agg(token_id)
      INTO of_accounts, of_tokens FROM reservation WHERE request_id = ANY (asked_of);
  END IF;
  SELECT array_agg(id), array_agg(balance_nano), array_agg(reserved_nano), array_agg(credit_limit_nano)
    INTO ids, balances, reserved, credits FROM (
      SELECT id, balance_nano, reserved_nano, credit_limit_nano FROM account
      WHERE id = ANY (of_accounts) ORDER BY id FOR NO KEY UPDATE) AS locked;

  -- Budgets: the tokens that have one, with their sums of today.
  SELECT array_agg(id), bool_or(day IS DISTINCT FROM today OR ${budget} IS NULL)
    INTO limited, is_stale FROM token LEFT JOIN token_spending ON token_id = id
    WHERE id = ANY (of_tokens) AND (${budget} IS NOT NULL OR token_id IS NOT NULL);
  IF is_stale THEN
    limited := open_spending(limited, today);
  END IF;

  -- Released reservations.
  IF cardinality(ended) > 0 THEN
    FOR one IN WITH gone AS (
        DELETE FROM reservation WHERE request_id = ANY (ended) RETURNING account_id, token_id, amount_nano
      ) SELECT account_id, token_id, sum(amount_nano)::bigint AS nano FROM gone GROUP BY 1, 2
    LOOP
      place := array_position(ids, one.account_id);
      -- It was made after the accounts were locked: retry, with its account.
      IF place IS NULL OR one.token_id <> ALL (of_tokens) THEN RAISE serialization_failure; END IF;
      reserved[place] := reserved[place] - one.nano;
      IF one.token_id = ANY (limited) THEN
        UPDATE token_spending SET reserved_nano = reserved_nano - one.nano WHERE token_id = one.token_id;
      END IF;
    END LOOP;
  END IF;

  -- Settled requests. One that a sweep has closed is replaced: its node lives and knows what it delivered.
  IF cardinality(settled) > 0 THEN
    SELECT array_agg(request) INTO added FROM request
      WHERE request_id = ANY (settled) AND request_id BETWEEN lowest AND highest AND ${swept};
    IF added IS NOT NULL THEN
      PERFORM add_usage(added, -1);
      DELETE FROM request WHERE request_id = ANY (settled) AND ${swept};
    END IF;
    WITH stored AS (
      INSERT INTO request (${columnNames(firstRequestFields)})
      SELECT * FROM json_to_recordset(batch->'settle') AS request (${typedFields(firstRequestFields)})
      ON CONFLICT (request_id) DO NOTHING RETURNING request AS whole
    ) SELECT array_agg(whole) INTO added FROM stored;
  END IF;

  -- Their attempts, sums and charges.
  IF added IS NOT NULL THEN
    FOR one IN WITH tried AS (
        INSERT INTO attempt (request_row, position, request_id, ${columnNames(firstAttemptFields)})
        SELECT request.id, tried.position, request.request_id, ${triedFields}
        FROM json_to_recordset(batch->'attempts')
          AS tried ("requestId" text, position bigint, ${typedFields(firstAttemptFields)})
        -- LIMIT forces a lookup by id for each attempt.
        CROSS JOIN LATERAL (SELECT id, request_id FROM request WHERE request_id = tried."requestId"
          AND request_id BETWEEN lowest AND highest LIMIT 1) AS request
        WHERE cardinality(added) = cardinality(settled) OR request.id IN (SELECT id FROM unnest(added))
        RETURNING request_id, channel_id
      ) SELECT request_id FROM unnest(added) WHERE NOT (
        account_id = ANY (ids)
        AND EXISTS (SELECT FROM token WHERE token.id = token_id)
        AND EXISTS (SELECT FROM "group" WHERE "group".id = group_id)
        AND (channel_id IS NULL OR EXISTS (SELECT FROM channel WHERE channel.id = channel_id))
        AND (price_id IS NULL OR EXISTS (SELECT FROM model_price WHERE model_price.id = price_id)))
      UNION ALL SELECT request_id FROM tried
        WHERE NOT EXISTS (SELECT FROM channel WHERE channel.id = tried.channel_id)
    LOOP
      RAISE foreign_key_violation USING MESSAGE = format(
        'Request %s names an account, token, group, channel or price that does not exist.',
        one.request_id);
    END LOOP;

    PERFORM add_usage(added, 1);
    IF limited IS NOT NULL THEN
      UPDATE token_spending SET total_nano = total_nano + charged.total,
        month_nano = month_nano + charged.month, day_nano = day_nano + charged.day
      FROM (SELECT token_id, ${spentIn('utc_day(created_at)')} FROM unnest(added)
        WHERE token_id = ANY (limited) GROUP BY 1) AS charged
      WHERE token_spending.token_id = charged.token_id;
    END IF;

    FOR one IN WITH charged AS (
        INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, balance_after_nano)
        SELECT at_ms, account_id, 'charge', -amount_nano, request_id, account.nano
          - sum(amount_nano) OVER (PARTITION BY account_id ORDER BY stored.id)
        FROM unnest(added) AS stored JOIN unnest(ids, balances) AS account (id, nano) ON account.id = account_id
        WHERE amount_nano > 0 ORDER BY stored.id
        RETURNING account_id, amount_nano, request_id, balance_after_nano
      ) SELECT * FROM charged
    LOOP
      IF one.balance_after_nano < -9007199254740991 THEN
        RAISE numeric_value_out_of_range USING MESSAGE = format(
          'Request %s: charging %s nano-USD would take the balance of account %s out of the range that is counted exactly.',
          one.request_id, -one.amount_nano, one.account_id);
      END IF;
      place := array_position(ids, one.account_id);
      balances[place] := balances[place] + one.amount_nano;
    END LOOP;
  END IF;

  IF limited IS NOT NULL THEN
    SELECT array_agg(token_id), array_agg(least(budget_total_nano - total_nano,
        budget_month_nano - month_nano, budget_day_nano - day_nano) - reserved_nano),
        array_agg(0::bigint)
      INTO limited, rooms, taken FROM token_spending JOIN token ON id = token_id
      WHERE token_id = ANY (limited);
  END IF;

  -- New reservations.
  IF json_array_length(batch->'reserve') > 0 THEN
    FOR one IN SELECT asked.*,
        EXISTS (SELECT FROM reservation WHERE request_id = asked."requestId") AS is_repeat,
        EXISTS (SELECT FROM request WHERE request_id = asked."requestId"
          AND request_id BETWEEN lowest AND highest) AS has_ended
      FROM json_to_recordset(batch->'reserve')
        AS asked ("requestId" text, "accountId" bigint, "tokenId" bigint, "amountNano" bigint, "isOpen" smallint)
    LOOP
      place := array_position(ids, one."accountId");
      budget := array_position(limited, one."tokenId");
      IF one.is_repeat THEN
        CONTINUE;
      ELSIF one."isOpen" = 1 AND (one."accountId" = ANY (opened) OR EXISTS (
          SELECT FROM reservation WHERE account_id = one."accountId" AND is_open = 1)) THEN
        busy := busy || one."requestId";
      ELSIF place IS NULL OR one.has_ended OR (one."amountNano" > 0
          AND least(balances[place] + credits[place] - reserved[place], rooms[budget] - taken[budget])
            < one."amountNano") THEN
        denied := denied || one."requestId";
        IF rooms[budget] - taken[budget] < balances[place] + credits[place] - reserved[place] THEN
          over_budget := over_budget || one."requestId";
        END IF;
      ELSE
        reserved[place] := reserved[place] + one."amountNano";
        IF budget IS NOT NULL THEN
          taken[budget] := taken[budget] + one."amountNano";
        END IF;
        covered := covered || one."requestId";
        IF one."isOpen" = 1 THEN
          opened := opened || one."accountId";
        END IF;
      END IF;
    END LOOP;
    INSERT INTO reservation (${columnNames(reservationFields)}, is_open, node_id)
    SELECT asked.*, node FROM json_to_recordset(batch->'reserve')
      AS asked (${typedFields(reservationFields)}, "isOpen" smallint)
    WHERE asked."requestId" = ANY (covered);
  END IF;

  -- Grown reservations.
  FOR one IN SELECT asked.*, token_id, amount_nano FROM json_to_recordset(batch->'grow')
    AS asked ("requestId" text, "accountId" bigint, "byNano" bigint, "fromNano" bigint)
    LEFT JOIN reservation ON request_id = "requestId" AND account_id = "accountId"
  LOOP
    place := array_position(ids, one."accountId");
    budget := array_position(limited, one.token_id);
    IF one.token_id IS NOT NULL AND one.token_id <> ALL (of_tokens) THEN
      RAISE serialization_failure;
    END IF;
    -- A retried batch grows by what is missing.
    IF one.amount_nano > one."fromNano" THEN
      one."byNano" := one."fromNano" + one."byNano" - one.amount_nano;
      CONTINUE WHEN one."byNano" <= 0;
    END IF;
    IF place IS NULL OR one.token_id IS NULL OR (one."byNano" > 0
        AND least(balances[place] + credits[place] - reserved[place], rooms[budget] - taken[budget])
          < one."byNano") THEN
      denied := denied || one."requestId";
      IF rooms[budget] - taken[budget] < balances[place] + credits[place] - reserved[place] THEN
        over_budget := over_budget || one."requestId";
      END IF;
      CONTINUE;
    END IF;
    UPDATE reservation SET amount_nano = amount_nano + one."byNano" WHERE request_id = one."requestId";
    reserved[place] := reserved[place] + one."byNano";
    IF budget IS NOT NULL THEN
      taken[budget] := taken[budget] + one."byNano";
    END IF;
  END LOOP;

  -- Results.
  UPDATE account SET balance_nano = worked.balance, reserved_nano = worked.reserved
    FROM unnest(ids, balances, reserved) AS worked (id, balance, reserved)
    WHERE account.id = worked.id
      AND (balance_nano <> worked.balance OR reserved_nano <> worked.reserved);

  IF limited IS NOT NULL THEN
    IF 0 <> ANY (taken) THEN
      UPDATE token_spending SET reserved_nano = reserved_nano + nano
        FROM unnest(limited, taken) AS worked (id, nano) WHERE token_id = id;
    END IF;
    SELECT json_agg(json_build_array(token_id, total_nano, day_nano, month_nano)) INTO spent
      FROM token_spending WHERE token_id = ANY (limited);
  END IF;
  RETURN json_build_object('denied', denied, 'overBudget', over_budget, 'busy', busy, 'tokens', coalesce(spent, '[]'), 'accounts',
    (SELECT coalesce(json_agg(json_build_array(id, nano)), '[]') FROM unnest(ids, balances) AS worked (id, nano)));
END $$;

-- Moves the reservation of a background answer to its charge, which has an id of its own. Rows are
-- written in the order of their keys, so concurrent calls can't deadlock.
CREATE FUNCTION ${commitAnswers}(batch json, settled text[], released text[], of_accounts bigint[],
  of_tokens bigint[], at_ms bigint, today text, node bigint, lowest text, highest text) RETURNS json
LANGUAGE plpgsql ${byIndex} AS $$
DECLARE
  answer json;
BEGIN
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  PERFORM FROM account WHERE id = ANY (of_accounts) ORDER BY id FOR NO KEY UPDATE;
  UPDATE reservation SET request_id = begun."requestId"
    FROM json_to_recordset(batch->'begun') AS begun ("requestId" text, "askedId" text)
    WHERE reservation.request_id = begun."askedId"
      AND NOT EXISTS (SELECT FROM request WHERE request_id = begun."requestId");
  INSERT INTO background_answer (${columnNames(backgroundFields)}, due_at)
  SELECT begun.*, now_ms() + (batch->>'dueInMs')::bigint
  FROM json_to_recordset(batch->'begun') AS begun (${typedFields(backgroundFields)})
  WHERE NOT EXISTS (SELECT FROM request WHERE request_id = begun."requestId")
  ON CONFLICT (request_id) DO NOTHING;
  answer := ${commitRequests}(batch, settled, released, of_accounts, of_tokens, at_ms, today, node,
    lowest, highest);
  DELETE FROM background_answer
    WHERE request_id IN (SELECT json_array_elements_text(batch->'ended'));
  INSERT INTO kept_answer (answer_id, account_id, channel_id, key_mark, context_tokens, created_at)
  SELECT DISTINCT ON (id, "accountId") * FROM json_to_recordset(batch->'kept') AS kept (id text,
    "accountId" bigint, "channelId" bigint, "keyMark" text, "contextTokens" bigint,
    "createdAt" bigint)
  ORDER BY id, "accountId", "createdAt" DESC
  ON CONFLICT (answer_id, account_id) DO UPDATE SET channel_id = excluded.channel_id,
    key_mark = excluded.key_mark, context_tokens = excluded.context_tokens,
    created_at = excluded.created_at;
  RETURN answer;
END $$;

-- Closes the reservations of nodes without a heartbeat for so long: their requests are interrupted and
-- cost nothing. Returns their number; a stored request stays as it is. Young reservations stay: a node
-- that reconnects reserves at once, and sends its heartbeat seconds later. Those of background answers
-- belong to no node.
CREATE FUNCTION ${sweepReservations}(silent_ms bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lost text[];
  owners bigint[];
  added request[];
BEGIN
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  SELECT array_agg(request_id), array_agg(account_id) INTO lost, owners FROM reservation
    WHERE NOT EXISTS (SELECT FROM node WHERE id = node_id AND seen_at > now_ms() - silent_ms) AND abs(now_ms() - created_at) >= silent_ms
      AND NOT EXISTS (SELECT FROM background_answer AS held WHERE held.request_id = reservation.request_id);
  IF lost IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM FROM account WHERE id = ANY (owners) ORDER BY id FOR NO KEY UPDATE;
  WITH gone AS (
    DELETE FROM reservation WHERE request_id = ANY (lost) RETURNING *
  ), freed AS (
    UPDATE account SET reserved_nano = reserved_nano - nano
    FROM (SELECT account_id, sum(amount_nano) AS nano FROM gone GROUP BY 1) AS share
    WHERE account.id = share.account_id
  ), freed_of_budgets AS (
    UPDATE token_spending SET reserved_nano = reserved_nano - nano
    FROM (SELECT token_id AS id, sum(amount_nano) AS nano FROM gone GROUP BY 1) AS share
    WHERE token_id = share.id
  ), stored AS (
    ${interruptedFrom('gone ORDER BY request_id')} RETURNING request AS whole
  ) SELECT array_agg(whole) INTO added FROM stored;
  PERFORM add_usage(added, 1);
  RETURN coalesce(cardinality(added), 0);
END $$;
`
