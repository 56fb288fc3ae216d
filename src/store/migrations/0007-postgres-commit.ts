const sums = [
  'requests',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'amount_nano',
  'failed',
  'begun',
  'first_byte_ms',
]
const added = (table: string) =>
  sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

/** Of requests: what a daily sum counts of them. */
const counted = [
  'count(*)',
  'sum(input_tokens)',
  'sum(output_tokens)',
  'sum(reasoning_tokens)',
  'sum(cache_read_tokens)',
  'sum(cache_write_tokens)',
  'sum(cache_write_1h_tokens)',
  'sum(amount_nano)',
  'count(cause)',
  'count(first_byte_ms)',
  'coalesce(sum(first_byte_ms), 0)',
]
  .map((sum) => `sign * ${sum}`)
  .join(', ')

/**
 * All rows are found by their keys, whatever the tables were like when the first call was planned: a
 * plan made for tables that were empty would read them whole when they have grown.
 */
const byIndex = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET plan_cache_mode = force_generic_plan`

/** A request that the sweep has closed: nobody knew more of it. */
const swept = "ending = 'interrupted'"

/** Models that have no price share the name '': clients make such names up. */
const pricedModel = "CASE WHEN price_id IS NULL THEN '' ELSE coalesce(model, '') END"

/**
 * The hot path's writing: what \`commit\` of the store does, in one call and so in one round trip.
 * Accounts are locked in the order of their ids, and what it decides by is read only then: of calls
 * that run at once, on whichever nodes, each sees what the former has left. A batch has each request
 * once in each of its parts, and sets nothing aside for one that it releases. Another form of it
 * gets another name: nodes of two versions run side by side.
 */
export const commitFunction = `
CREATE FUNCTION utc_day(at_ms bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(to_timestamp(at_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
$$;

-- Adds requests to the daily sums (sign 1), or takes them out again (sign -1).
CREATE FUNCTION add_usage(added bigint[], sign int) RETURNS void LANGUAGE plpgsql ${byIndex} AS $$
BEGIN
  INSERT INTO usage_day AS stored (token_id, day, model, ${sums.join(', ')})
    SELECT token_id, utc_day(created_at), ${pricedModel} AS priced, ${counted}
    FROM request WHERE id = ANY (added) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (token_id, day, model) DO UPDATE SET ${added('stored')};
  INSERT INTO usage_total_part AS stored (day, model, part, ${sums.join(', ')})
    SELECT utc_day(created_at), ${pricedModel} AS priced, pg_backend_pid() % 16, ${counted}
    FROM request WHERE id = ANY (added) GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (day, model, part) DO UPDATE SET ${added('stored')};
END $$;

CREATE FUNCTION commit_batch(batch json, at_ms bigint, today text, node bigint) RETURNS json
LANGUAGE plpgsql ${byIndex} AS $$
DECLARE
  settled text[];
  ended text[];
  wanted bigint[];
  ids bigint[];
  balances bigint[];
  reserved bigint[];
  credits bigint[];
  added bigint[];
  covered text[] := '{}';
  denied text[] := '{}';
  spent json;
  place int;
  one record;
BEGIN
  -- Before any row of it: who has the table alone must not wait for a row that waits for the table.
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  SELECT array_agg(request->>'requestId'), array_agg((request->>'accountId')::bigint)
    INTO settled, wanted FROM json_array_elements(batch->'settle') AS request;
  ended := settled || ARRAY(SELECT json_array_elements_text(batch->'release'));
  SELECT array_agg(id), array_agg(balance_nano), array_agg(reserved_nano), array_agg(credit_limit_nano)
    INTO ids, balances, reserved, credits FROM (
      SELECT id, balance_nano, reserved_nano, credit_limit_nano FROM account
      WHERE id = ANY (wanted
        || ARRAY(SELECT (asked->>'accountId')::bigint FROM json_array_elements(batch->'reserve') AS asked)
        || ARRAY(SELECT (asked->>'accountId')::bigint FROM json_array_elements(batch->'grow') AS asked)
        || ARRAY(SELECT account_id FROM reservation WHERE request_id = ANY (ended)))
      ORDER BY id FOR NO KEY UPDATE) AS locked;

  IF ended IS NOT NULL THEN
    FOR one IN WITH gone AS (
        DELETE FROM reservation WHERE request_id = ANY (ended) RETURNING account_id, amount_nano
      ) SELECT account_id, sum(amount_nano)::bigint AS nano FROM gone GROUP BY 1
    LOOP
      place := array_position(ids, one.account_id);
      -- It came after the accounts were locked: once more, with its account.
      IF place IS NULL THEN RAISE serialization_failure; END IF;
      reserved[place] := reserved[place] - one.nano;
    END LOOP;
  END IF;

  IF settled IS NOT NULL THEN
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
        first_byte_ms, duration_ms)
      SELECT * FROM json_to_recordset(batch->'settle') AS request ("requestId" text,
        "createdAt" bigint, "accountId" bigint, "tokenId" bigint, "groupId" bigint, model text,
        "upstreamModel" text, "channelId" bigint, "clientProtocol" text, "upstreamProtocol" text,
        operation text, stream smallint, status bigint, cause text, "causeText" text, ending text,
        "inputTokens" bigint, "outputTokens" bigint, "reasoningTokens" bigint,
        "cacheReadTokens" bigint, "cacheWriteTokens" bigint, "cacheWrite1hTokens" bigint,
        calls bigint, estimated smallint, clamped smallint, "usageRaw" text, "priceId" bigint,
        "tierAbove" bigint, "longContextPricing" smallint, "multiplierMillionths" bigint,
        "amountNano" bigint, "firstByteMs" bigint, "durationMs" bigint)
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

  IF json_array_length(batch->'reserve') > 0 THEN
    FOR one IN SELECT asked.*,
        EXISTS (SELECT FROM reservation WHERE request_id = asked."requestId") AS is_repeat,
        EXISTS (SELECT FROM request WHERE request_id = asked."requestId") AS has_ended
      FROM json_to_recordset(batch->'reserve')
        AS asked ("requestId" text, "accountId" bigint, "amountNano" bigint)
    LOOP
      place := array_position(ids, one."accountId");
      IF one.is_repeat THEN
        CONTINUE;
      ELSIF place IS NULL OR one.has_ended OR (one."amountNano" > 0
          AND balances[place] + credits[place] - reserved[place] < one."amountNano") THEN
        denied := denied || one."requestId";
      ELSE
        reserved[place] := reserved[place] + one."amountNano";
        covered := covered || one."requestId";
      END IF;
    END LOOP;
    INSERT INTO reservation (request_id, created_at, account_id, token_id, group_id, model,
      client_protocol, operation, stream, price_id, multiplier_millionths, amount_nano, node_id)
    SELECT asked.*, node FROM json_to_recordset(batch->'reserve') AS asked ("requestId" text,
      "createdAt" bigint, "accountId" bigint, "tokenId" bigint, "groupId" bigint, model text,
      "clientProtocol" text, operation text, stream smallint, "priceId" bigint,
      "multiplierMillionths" bigint, "amountNano" bigint)
    WHERE asked."requestId" = ANY (covered);
  END IF;

  FOR one IN SELECT * FROM json_to_recordset(batch->'grow')
    AS asked ("requestId" text, "accountId" bigint, "byNano" bigint)
  LOOP
    place := array_position(ids, one."accountId");
    IF place IS NULL OR (one."byNano" > 0
        AND balances[place] + credits[place] - reserved[place] < one."byNano") THEN
      denied := denied || one."requestId";
      CONTINUE;
    END IF;
    UPDATE reservation SET amount_nano = amount_nano + one."byNano"
      WHERE request_id = one."requestId" AND account_id = one."accountId";
    IF FOUND THEN
      reserved[place] := reserved[place] + one."byNano";
    ELSE
      denied := denied || one."requestId";
    END IF;
  END LOOP;

  UPDATE account SET balance_nano = worked.balance, reserved_nano = worked.reserved
    FROM unnest(ids, balances, reserved) AS worked (id, balance, reserved)
    WHERE account.id = worked.id
      AND (balance_nano <> worked.balance OR reserved_nano <> worked.reserved);

  IF settled IS NOT NULL THEN
    SELECT json_agg(json_build_array(token.id, spending.total, spending.day, spending.month))
      INTO spent FROM token, LATERAL (
        SELECT coalesce(sum(amount_nano), 0) AS total,
          coalesce(sum(amount_nano) FILTER (WHERE day = today), 0) AS day,
          coalesce(sum(amount_nano) FILTER (WHERE left(day, 7) = left(today, 7)), 0) AS month
        FROM usage_day WHERE token_id = token.id) AS spending
      WHERE token.id IN (SELECT (request->>'tokenId')::bigint FROM json_array_elements(batch->'settle') AS request)
        AND coalesce(budget_total_nano, budget_day_nano, budget_month_nano) IS NOT NULL;
  END IF;
  RETURN json_build_object('denied', denied, 'tokens', coalesce(spent, '[]'), 'accounts',
    (SELECT coalesce(json_agg(json_build_array(id, nano)), '[]') FROM unnest(ids, balances) AS worked (id, nano)));
END $$;

-- Closes the reservations of nodes that were not heard of for so long: their requests are interrupted
-- and cost nothing. Gives how many there were; a request that has its record already keeps it.
CREATE FUNCTION sweep_reservations(silent_ms bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lost text[];
  owners bigint[];
  added bigint[];
BEGIN
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  SELECT array_agg(request_id), array_agg(account_id) INTO lost, owners FROM reservation
    WHERE NOT EXISTS (SELECT FROM node WHERE id = node_id AND seen_at > now_ms() - silent_ms);
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

-- By the clock of the database, for those of nodes may differ.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;
`
