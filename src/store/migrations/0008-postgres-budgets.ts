import { budget, byIndex, spendings, spentIn } from './0008-postgres-spending.ts'

/** A request that the sweep has closed: nobody knew more of it. */
const swept = "ending = 'interrupted'"

/**
 * The hot path's writing: what `commit` of the store does, in one call and so in one round trip.
 * Accounts are locked in the order of their ids, and what it decides by is read only then: of calls
 * that run at once, on whichever nodes, each sees what the former has left. A batch has each request
 * once in each of its parts, and sets nothing aside for one that it releases; `of_accounts` and
 * `of_tokens` name those of what it settles, reserves and grows, as far as they are known. Another
 * form of it gets another name, where it does not serve both alike: nodes of two versions run side by
 * side. `repeats`: what tells that something has grown before; see the next version. `added`: columns of later
 * versions. `alone`: what keeps an account from having two open reservations; see version 14.
 */
export const commitFunction = (
  create: string,
  repeats = { asked: '', found: '', leave: '' },
  added = { column: '', field: '' },
  alone = { names: '', asked: '', column: '', deny: '', note: '', answer: '' },
) => `
${create} commit_requests(batch json, settled text[], released text[], of_accounts bigint[],
  of_tokens bigint[], at_ms bigint, today text, node bigint) RETURNS json
LANGUAGE plpgsql ${byIndex} AS $$
DECLARE
  ended text[] := settled || released;
  asked_of text[] := released;
  ids bigint[];
  balances bigint[];
  reserved bigint[];
  credits bigint[];
  added bigint[];
  covered text[] := '{}';
  denied text[] := '{}';
  over_budget text[] := '{}';
${alone.names}  is_stale boolean;
  -- Tokens with a budget, what it leaves of each, and what this call takes of that.
  limited bigint[];
  rooms bigint[];
  taken bigint[];
  spent json;
  place int;
  budget int;
  one record;
BEGIN
  -- Before any row of it: who has the table alone must not wait for a row that waits for the table.
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
  SELECT array_agg(id), bool_or(day IS DISTINCT FROM today OR ${budget} IS NULL)
    INTO limited, is_stale FROM token LEFT JOIN token_spending ON token_id = id
    WHERE id = ANY (of_tokens) AND (${budget} IS NOT NULL OR token_id IS NOT NULL);
  IF is_stale THEN
    limited := open_spending(limited, today);
  END IF;

  IF cardinality(ended) > 0 THEN
    FOR one IN WITH gone AS (
        DELETE FROM reservation WHERE request_id = ANY (ended) RETURNING account_id, token_id, amount_nano
      ) SELECT account_id, token_id, sum(amount_nano)::bigint AS nano FROM gone GROUP BY 1, 2
    LOOP
      place := array_position(ids, one.account_id);
      -- It came after the accounts were locked: once more, with its account.
      IF place IS NULL OR one.token_id <> ALL (of_tokens) THEN RAISE serialization_failure; END IF;
      reserved[place] := reserved[place] - one.nano;
      IF one.token_id = ANY (limited) THEN
        UPDATE token_spending SET reserved_nano = reserved_nano - one.nano WHERE token_id = one.token_id;
      END IF;
    END LOOP;
  END IF;

  IF cardinality(settled) > 0 THEN
    -- Its node was taken for dead and has come back with what was delivered: that is what counts.
    added := ARRAY(SELECT id FROM request WHERE request_id = ANY (settled) AND ${swept});
    IF cardinality(added) > 0 THEN
      PERFORM add_usage(added, -1);
      DELETE FROM request WHERE id = ANY (added);
    END IF;
    WITH stored AS (
      INSERT INTO request (request_id, created_at, account_id, token_id, group_id, model,
        upstream_model, channel_id, client_protocol, upstream_protocol, operation, stream, status,
        cause, cause_text, ending, input_tokens, output_tokens, reasoning_tokens,
        cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, calls, estimated, clamped,
        usage_raw, price_id, tier_above, long_context_pricing, multiplier_millionths, amount_nano,
        first_byte_ms, duration_ms${added.column})
      SELECT * FROM json_to_recordset(batch->'settle') AS request ("requestId" text,
        "createdAt" bigint, "accountId" bigint, "tokenId" bigint, "groupId" bigint, model text,
        "upstreamModel" text, "channelId" bigint, "clientProtocol" text, "upstreamProtocol" text,
        operation text, stream smallint, status bigint, cause text, "causeText" text, ending text,
        "inputTokens" bigint, "outputTokens" bigint, "reasoningTokens" bigint,
        "cacheReadTokens" bigint, "cacheWriteTokens" bigint, "cacheWrite1hTokens" bigint,
        calls bigint, estimated smallint, clamped smallint, "usageRaw" text, "priceId" bigint,
        "tierAbove" bigint, "longContextPricing" smallint, "multiplierMillionths" bigint,
        "amountNano" bigint, "firstByteMs" bigint, "durationMs" bigint${added.field})
      ON CONFLICT (request_id) DO NOTHING RETURNING id
    ) SELECT array_agg(id) INTO added FROM stored;
  END IF;

  IF added IS NOT NULL THEN
    INSERT INTO attempt (request_row, position, channel_id, started_at, status, cause, first_byte_ms,
      duration_ms, upstream_request_id, usage_raw)
    SELECT request.id, tried.position, tried."channelId", tried."startedAt", tried.status,
      tried.cause, tried."firstByteMs", tried."durationMs", tried."upstreamRequestId", tried."usageRaw"
    FROM json_to_recordset(batch->'attempts') AS tried ("requestId" text, position bigint,
      "channelId" bigint, "startedAt" bigint, status bigint, cause text, "firstByteMs" bigint,
      "durationMs" bigint, "upstreamRequestId" text, "usageRaw" text)
    JOIN request ON request.request_id = tried."requestId" AND request.id = ANY (added);

    FOR one IN SELECT request_id FROM request WHERE id = ANY (added) AND NOT (
        account_id = ANY (ids)
        AND EXISTS (SELECT FROM token WHERE token.id = token_id)
        AND EXISTS (SELECT FROM "group" WHERE "group".id = group_id)
        AND (channel_id IS NULL OR EXISTS (SELECT FROM channel WHERE channel.id = channel_id))
        AND (price_id IS NULL OR EXISTS (SELECT FROM model_price WHERE model_price.id = price_id)))
      UNION ALL SELECT request_id FROM attempt JOIN request ON request.id = request_row
        WHERE request_row = ANY (added)
        AND NOT EXISTS (SELECT FROM channel WHERE channel.id = attempt.channel_id)
    LOOP
      RAISE foreign_key_violation USING MESSAGE = format(
        'Request %s names an account, token, group, channel or price that does not exist.',
        one.request_id);
    END LOOP;

    PERFORM add_usage(added, 1);
    IF limited IS NOT NULL THEN
      UPDATE token_spending SET total_nano = total_nano + charged.total,
        month_nano = month_nano + charged.month, day_nano = day_nano + charged.day
      FROM (SELECT token_id, ${spentIn('utc_day(created_at)')} FROM request
        WHERE id = ANY (added) AND token_id = ANY (limited) GROUP BY 1) AS charged
      WHERE token_spending.token_id = charged.token_id;
    END IF;

    FOR one IN WITH charged AS (
        INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, balance_after_nano)
        SELECT at_ms, account_id, 'charge', -amount_nano, request_id, account.nano
          - sum(amount_nano) OVER (PARTITION BY account_id ORDER BY request.id)
        FROM request JOIN unnest(ids, balances) AS account (id, nano) ON account.id = account_id
        WHERE request.id = ANY (added) AND amount_nano > 0 ORDER BY request.id
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

  IF json_array_length(batch->'reserve') > 0 THEN
    FOR one IN SELECT asked.*,
        EXISTS (SELECT FROM reservation WHERE request_id = asked."requestId") AS is_repeat,
        EXISTS (SELECT FROM request WHERE request_id = asked."requestId") AS has_ended
      FROM json_to_recordset(batch->'reserve')
        AS asked ("requestId" text, "accountId" bigint, "tokenId" bigint, "amountNano" bigint${alone.asked})
    LOOP
      place := array_position(ids, one."accountId");
      budget := array_position(limited, one."tokenId");
      IF one.is_repeat THEN
        CONTINUE;
${alone.deny}      ELSIF place IS NULL OR one.has_ended OR (one."amountNano" > 0
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
${alone.note}      END IF;
    END LOOP;
    INSERT INTO reservation (request_id, created_at, account_id, token_id, group_id, model,
      client_protocol, operation, stream, price_id, multiplier_millionths, amount_nano${alone.column}, node_id)
    SELECT asked.*, node FROM json_to_recordset(batch->'reserve') AS asked ("requestId" text,
      "createdAt" bigint, "accountId" bigint, "tokenId" bigint, "groupId" bigint, model text,
      "clientProtocol" text, operation text, stream smallint, "priceId" bigint,
      "multiplierMillionths" bigint, "amountNano" bigint${alone.asked})
    WHERE asked."requestId" = ANY (covered);
  END IF;

  FOR one IN SELECT asked.*, token_id${repeats.found} FROM json_to_recordset(batch->'grow')
    AS asked ("requestId" text, "accountId" bigint, "byNano" bigint${repeats.asked})
    LEFT JOIN reservation ON request_id = "requestId" AND account_id = "accountId"
  LOOP
    place := array_position(ids, one."accountId");
    budget := array_position(limited, one.token_id);
    IF one.token_id IS NOT NULL AND one.token_id <> ALL (of_tokens) THEN
      RAISE serialization_failure;
    END IF;
${repeats.leave}    IF place IS NULL OR one.token_id IS NULL OR (one."byNano" > 0
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
  RETURN json_build_object('denied', denied, 'overBudget', over_budget${alone.answer}, 'tokens', coalesce(spent, '[]'), 'accounts',
    (SELECT coalesce(json_agg(json_build_array(id, nano)), '[]') FROM unnest(ids, balances) AS worked (id, nano)));
END $$;
`

/** By this name nodes of the former version call it. */
const formerName = `
CREATE OR REPLACE FUNCTION commit_batch(batch json, at_ms bigint, today text, node bigint) RETURNS json
LANGUAGE sql AS $$
  SELECT commit_requests(batch,
    ARRAY(SELECT request->>'requestId' FROM json_array_elements(batch->'settle') AS request),
    ARRAY(SELECT json_array_elements_text(batch->'release')),
    array_agg(DISTINCT (named.part->>'accountId')::bigint),
    array_agg(DISTINCT (named.part->>'tokenId')::bigint), at_ms, today, node)
  FROM (
    SELECT json_array_elements(batch->'settle') AS part
    UNION ALL SELECT json_array_elements(batch->'reserve')
    UNION ALL SELECT json_array_elements(batch->'grow')
  ) AS named
$$;
`

/**
 * What is set aside for requests of a dead node is free again for budgets, too. `spared`: which of them
 * it leaves alone; see version 10.
 */
export const sweepFunction = (spared = '') => `
CREATE OR REPLACE FUNCTION sweep_reservations(silent_ms bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lost text[];
  owners bigint[];
  added bigint[];
BEGIN
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  SELECT array_agg(request_id), array_agg(account_id) INTO lost, owners FROM reservation
    WHERE NOT EXISTS (SELECT FROM node WHERE id = node_id AND seen_at > now_ms() - silent_ms)${spared};
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
    INSERT INTO request (request_id, created_at, account_id, token_id, group_id, model,
      client_protocol, operation, stream, status, cause, cause_text, ending, input_tokens,
      output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens,
      cache_write_1h_tokens, calls, estimated, clamped, price_id, long_context_pricing,
      multiplier_millionths, amount_nano, duration_ms)
    SELECT request_id, created_at, account_id, token_id, group_id, model, client_protocol,
      operation, stream, 500, 'interrupted',
      'The gateway was ended while this request was under way.', 'interrupted', 0, 0, 0, 0, 0, 0,
      0, 0, 0, price_id, 1, multiplier_millionths, 0, 0
    FROM gone ORDER BY request_id ON CONFLICT (request_id) DO NOTHING RETURNING id
  ) SELECT array_agg(id) INTO added FROM stored;
  PERFORM add_usage(added, 1);
  RETURN coalesce(cardinality(added), 0);
END $$;
`

/** Budgets of tokens are decided where balances are: in PostgreSQL, whichever node is asked. */
export const postgresBudgets =
  spendings + commitFunction('CREATE FUNCTION') + formerName + sweepFunction()
