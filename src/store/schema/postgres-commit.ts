import { silentNodeMs } from '../ports/nodes.ts'
import { dayColumns } from '../ports/verification.ts'
import { columnNames, reservationFields } from './columns.ts'
import { isOfAccount, purseOfBudget, tokenOf } from './lease.ts'
import { makeCommitAnswers, makeSweep } from './postgres-closing.ts'
import {
  type Calls,
  calls,
  leaseCalls,
  otherTypes,
  parametersOf,
  settledTypes,
} from './postgres-rows.ts'
import { budget, byIndex, openSpendingWithLeases, spentIn } from './postgres-sums.ts'

/** The error code for requests that are stored already. */
export const alreadyStored = '23T01'

/** The `NOTIFY` channel for purses whose leases are asked back: a list of them. */
export const recallChannel = 'tollgate_recall'

const days = dayColumns.join(', ')
const added = dayColumns.map((name) => `${name} = stored.${name} + excluded.${name}`).join(', ')

const reservationColumns = columnNames(reservationFields)

/** A lease grows by at most this part of what is free: the rule of `grant` in src/leases. */
const shareOfFree = 4

const isSwept = "ending = 'interrupted'"
const isWithin = 'request.request_id BETWEEN lowest AND highest'

const hasEnded = `EXISTS (SELECT FROM request
          WHERE request.request_id = entry.request_id AND ${isWithin})`

const isAlive = `EXISTS (SELECT FROM node AS living WHERE living.id = node
  AND living.seen_at > now_ms() - ${silentNodeMs})`

/** Whether a row is missing that one of the ids under this name of `more` is of. */
const isMissing = (table: string) =>
  `(SELECT count(*) FROM "${table}" JOIN json_array_elements_text(more->'named'->'${table}') ON id = value::bigint)
        < json_array_length(more->'named'->'${table}')`

/**
 * Stores a whole batch in one call, which is one round trip (`RecordStore.commit`). It locks the accounts in
 * the order of their ids and reads balances only then, so concurrent calls see each other's results.
 *
 * A batch names each request at most once in each part, and reserves nothing for one that it releases.
 * Where settled requests are stored already, it fails with `alreadyStored`: the node asks again without
 * them, and with those that a sweep has closed in `more.swept`. So it can add up itself what
 * all charge (`charges`, `sums`, `totals`, and for each of `of_accounts` what it is `charged`).
 * `purses` are those whose leases it uses or wishes for: how much each has `paid` (NULL: nothing was under it), and
 * the wish for it, in `wish_nos`, `wish_changes` and `owed` (NULL: there is none).
 *
 * `asked`: reservations to decide on; `unpriced`: those of nothing. `ended`: requests whose reservations end. `of_accounts` and `of_tokens`: the known owners of what it
 * settles, reserves and grows, and the tokens of leased budgets. The ids that it settles and reserves lie between `lowest` and
 * `highest`, which prunes the partitions. `more`: what few batches have; `named`: the ids by tables that
 * settled requests name and this node has not seen yet; `wished`: tokens that it names for their budgets alone.
 */
const makeCommitRequests = (of: Calls) => `
CREATE FUNCTION ${of.commitRequests}(${parametersOf(of)}) RETURNS json
LANGUAGE plpgsql ${byIndex} SET jit = off AS $$
DECLARE
  asked_of text[];
  ids bigint[];
  balances bigint[];
  reserved bigint[];
  credits bigint[];
  row_ids bigint[];
  swept request[];
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
  purse_of bigint;
  free bigint;
  held bigint;
  wish_no_held bigint;
  lent bigint;
  change bigint;
  leases bigint[] := '{}';
  -- Purses whose money did not suffice, and those of them with leases.
  short bigint[] := '{}';
  recalled bigint[];
  spendings json;
  nth int;
  budget int;
  one record;
BEGIN
  -- Locks: the table before its rows, so that a writer with the whole table can't deadlock with this.
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  IF more->'released' IS NOT NULL OR more->'grow' IS NOT NULL THEN
    asked_of := ARRAY(SELECT json_array_elements_text(more->'released'))
      || ARRAY(SELECT growth->>'requestId' FROM json_array_elements(more->'grow') AS growth);
    SELECT of_accounts || array_agg(account_id), of_tokens || array_agg(token_id)
      INTO of_accounts, of_tokens FROM reservation WHERE request_id = ANY (asked_of);
  END IF;
  IF more->'wished' IS NOT NULL THEN
    of_accounts := of_accounts || ARRAY(SELECT account_id FROM token
      WHERE id IN (SELECT value::bigint FROM json_array_elements_text(more->'wished')));
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
      nth := array_position(ids, one.account_id);
      -- It was made after the accounts were locked: retry, with its account.
      IF nth IS NULL OR one.token_id <> ALL (of_tokens) THEN RAISE serialization_failure; END IF;
      reserved[nth] := reserved[nth] - one.nano;
      IF one.token_id = ANY (limited) THEN
        UPDATE token_spending SET reserved_nano = reserved_nano - one.nano WHERE token_id = one.token_id;
      END IF;
    END LOOP;
  END IF;

  -- Settled requests. One that a sweep has closed is replaced: its node lives and knows what it delivered.
  IF cardinality(settled) > 0 THEN
    -- An insert that met the lock of one who makes partitions would not see them.
    LOCK TABLE ONLY request_default, ONLY attempt_default IN ROW EXCLUSIVE MODE;
    IF more->'swept' IS NOT NULL THEN
      WITH gone AS (DELETE FROM request WHERE ${isSwept} AND ${isWithin}
          AND request_id = ANY (ARRAY(SELECT json_array_elements_text(more->'swept')))
        RETURNING request AS whole) SELECT array_agg(whole) INTO swept FROM gone;
      PERFORM add_usage(swept, -1);
    END IF;
    WITH new AS (INSERT INTO request (${columnNames(of.requestFields)}) SELECT * FROM unnest(settled)
      ON CONFLICT (request_id) DO NOTHING RETURNING id) SELECT array_agg(id) INTO row_ids FROM new;
    IF row_ids IS NULL OR cardinality(row_ids) < cardinality(settled) THEN
      RAISE EXCEPTION USING ERRCODE = '${alreadyStored}', MESSAGE = 'Requests are stored already.';
    END IF;
    INSERT INTO attempt (request_row, position, request_id, ${columnNames(of.attemptFields)})
      SELECT row_ids[place], position, request_id, ${columnNames(of.attemptFields)} FROM unnest(tried);

    IF (of_accounts <@ ids) IS NOT TRUE OR more->'named' IS NOT NULL AND (${isMissing('token')}
        OR ${isMissing('group')} OR ${isMissing('channel')} OR ${isMissing('model_price')}) THEN
      FOR one IN SELECT request_id FROM unnest(settled) WHERE NOT (
          account_id = ANY (coalesce(ids, '{}'))
          AND EXISTS (SELECT FROM token WHERE token.id = token_id)
          AND EXISTS (SELECT FROM "group" WHERE "group".id = group_id)
          AND (channel_id IS NULL OR EXISTS (SELECT FROM channel WHERE channel.id = channel_id))
          AND (price_id IS NULL OR EXISTS (SELECT FROM model_price WHERE model_price.id = price_id)))
        UNION ALL SELECT request_id FROM unnest(tried)
          WHERE NOT EXISTS (SELECT FROM channel WHERE channel.id = channel_id)
      LOOP
        RAISE foreign_key_violation USING MESSAGE = format(
          'Request %s names an account, token, group, channel or price that does not exist.',
          one.request_id);
      END LOOP;
    END IF;

    INSERT INTO usage_day AS stored (token_id, day, model, ${days}) SELECT * FROM unnest(sums)
      ON CONFLICT (token_id, day, model) DO UPDATE SET ${added};
    INSERT INTO usage_total_part AS stored (part, day, model, ${days})
      SELECT pg_backend_pid() % 16, day, model, ${days} FROM unnest(totals)
      ON CONFLICT (day, model, part) DO UPDATE SET ${added};
    INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, balance_after_nano)
      SELECT at_ms, account_id, 'charge', -amount_nano, request_id,
        balances[array_position(ids, account_id)] - sum_nano FROM unnest(charges);
    FOR nth IN 1..coalesce(cardinality(ids), 0) LOOP
      balances[nth] := balances[nth] - coalesce(charged[array_position(of_accounts, ids[nth])], 0);
      IF balances[nth] < -9007199254740991 THEN
        FOR one IN SELECT request_id, amount_nano FROM ledger WHERE account_id = ids[nth]
          AND balance_after_nano < -9007199254740991 ORDER BY id LIMIT 1
        LOOP
          RAISE numeric_value_out_of_range USING MESSAGE = format(
            'Request %s: charging %s nano-USD would take the balance of account %s out of the range that is counted exactly.',
            one.request_id, -one.amount_nano, ids[nth]);
        END LOOP;
      END IF;
    END LOOP;
    IF limited IS NOT NULL THEN
      UPDATE token_spending SET total_nano = total_nano + spent.total,
        month_nano = month_nano + spent.month, day_nano = token_spending.day_nano + spent.day
      FROM (SELECT token_id, ${spentIn('day')} FROM unnest(sums)
        WHERE token_id = ANY (limited) GROUP BY 1) AS spent
      WHERE token_spending.token_id = spent.token_id;
    END IF;
  END IF;
  IF limited IS NOT NULL THEN
    SELECT array_agg(token_id), array_agg(least(budget_total_nano - total_nano,
        budget_month_nano - month_nano, budget_day_nano - day_nano) - reserved_nano),
        array_agg(0::bigint)
      INTO limited, rooms, taken FROM token_spending JOIN token ON id = token_id
      WHERE token_id = ANY (limited);
  END IF;

  -- Leases, as \`grant\` of src/leases says: what was charged under one lessens it; then it is changed
  -- as its node wishes, and grows by a part of what is free: of a token without a budget that is nothing.
  FOR place IN 1..coalesce(cardinality(purses), 0) LOOP
    purse_of := purses[place];
    nth := array_position(ids, purse_of);
    budget := array_position(limited, ${tokenOf('purse_of')});
    CONTINUE WHEN nth IS NULL AND ${isOfAccount('purse_of')};
    SELECT amount_nano, wish_no INTO held, wish_no_held FROM lease
      WHERE purse = purse_of AND node_id = node;
    lent := greatest(coalesce(held, 0) - coalesce(paid[place], 0), 0);
    IF wish_nos[place] > coalesce(wish_no_held, 0) THEN
      free := coalesce(balances[nth] + credits[nth] - reserved[nth], rooms[budget] - taken[budget], 0)
        + coalesce(held, 0) - lent;
      change := wish_changes[place];
      change := CASE
        WHEN change < 0 THEN greatest(change, -lent)
        WHEN NOT ${isAlive} THEN 0
        WHEN owed[place] = 1 THEN change
        ELSE least(change, greatest(free, 0) / ${shareOfFree}) END;
      lent := lent + change;
    END IF;
    IF nth IS NOT NULL THEN
      reserved[nth] := reserved[nth] + lent - coalesce(held, 0);
    ELSIF budget IS NOT NULL THEN
      taken[budget] := taken[budget] + lent - coalesce(held, 0);
    END IF;
    wish_nos[place] := greatest(wish_nos[place], coalesce(wish_no_held, 0));
    IF held IS NOT NULL THEN
      UPDATE lease SET amount_nano = lent, wish_no = wish_nos[place]
        WHERE purse = purse_of AND node_id = node;
    ELSIF wish_nos[place] > 0 AND node IS NOT NULL THEN
      INSERT INTO lease (purse, node_id, amount_nano, wish_no)
        VALUES (purse_of, node, lent, wish_nos[place]);
    END IF;
    leases := leases || ARRAY[[purse_of, lent, wish_nos[place]]];
  END LOOP;

  -- New reservations. Those of nothing, as under a lease, are only rows.
  IF cardinality(unpriced) > 0 THEN
    INSERT INTO reservation (${reservationColumns}, node_id)
      SELECT ${reservationColumns}, node FROM unnest(unpriced) AS entry
      WHERE account_id = ANY (ids) AND NOT ${hasEnded} ON CONFLICT (request_id) DO NOTHING;
    GET DIAGNOSTICS nth = ROW_COUNT;
    IF nth < cardinality(unpriced) THEN
      denied := ARRAY(SELECT request_id FROM unnest(unpriced) AS entry
        WHERE (account_id = ANY (ids)) IS NOT TRUE OR ${hasEnded});
    END IF;
  END IF;
  IF cardinality(asked) > 0 THEN
    FOR one IN SELECT request_id, account_id, token_id, amount_nano, is_open,
        EXISTS (SELECT FROM reservation WHERE reservation.request_id = entry.request_id) AS is_repeat,
        ${hasEnded} AS has_ended
      FROM unnest(asked) AS entry
    LOOP
      nth := array_position(ids, one.account_id);
      budget := array_position(limited, one.token_id);
      IF one.is_repeat THEN
        CONTINUE;
      ELSIF one.is_open = 1 AND (one.account_id = ANY (opened) OR EXISTS (
          SELECT FROM reservation WHERE account_id = one.account_id AND reservation.is_open = 1)) THEN
        busy := busy || one.request_id;
      ELSIF nth IS NULL OR one.has_ended OR (one.amount_nano > 0
          AND least(balances[nth] + credits[nth] - reserved[nth], rooms[budget] - taken[budget])
            < one.amount_nano) THEN
        denied := denied || one.request_id;
        IF rooms[budget] - taken[budget] < balances[nth] + credits[nth] - reserved[nth] THEN
          over_budget := over_budget || one.request_id;
          short := short || ${purseOfBudget('one.token_id')};
        ELSIF NOT one.has_ended THEN
          short := short || one.account_id;
        END IF;
      ELSE
        reserved[nth] := reserved[nth] + one.amount_nano;
        IF budget IS NOT NULL THEN
          taken[budget] := taken[budget] + one.amount_nano;
        END IF;
        covered := covered || one.request_id;
        IF one.is_open = 1 THEN
          opened := opened || one.account_id;
        END IF;
      END IF;
    END LOOP;
    INSERT INTO reservation (${reservationColumns}, is_open, node_id)
    SELECT ${reservationColumns}, is_open, node
    FROM unnest(asked) WHERE request_id = ANY (covered);
  END IF;

  -- Grown reservations.
  IF more->'grow' IS NOT NULL THEN
    FOR one IN SELECT growth.*, token_id, amount_nano FROM json_to_recordset(more->'grow')
      AS growth ("requestId" text, "accountId" bigint, "byNano" bigint, "fromNano" bigint)
      LEFT JOIN reservation ON request_id = "requestId" AND account_id = "accountId"
    LOOP
      nth := array_position(ids, one."accountId");
      budget := array_position(limited, one.token_id);
      IF one.token_id IS NOT NULL AND one.token_id <> ALL (of_tokens) THEN
        RAISE serialization_failure;
      END IF;
      -- A retried batch grows by what is missing.
      IF one.amount_nano > one."fromNano" THEN
        one."byNano" := one."fromNano" + one."byNano" - one.amount_nano;
        CONTINUE WHEN one."byNano" <= 0;
      END IF;
      IF nth IS NULL OR one.token_id IS NULL OR (one."byNano" > 0
          AND least(balances[nth] + credits[nth] - reserved[nth], rooms[budget] - taken[budget])
            < one."byNano") THEN
        denied := denied || one."requestId";
        IF rooms[budget] - taken[budget] < balances[nth] + credits[nth] - reserved[nth] THEN
          over_budget := over_budget || one."requestId";
          short := short || ${purseOfBudget('one.token_id')};
        ELSIF one.token_id IS NOT NULL THEN
          short := short || one."accountId";
        END IF;
        CONTINUE;
      END IF;
      UPDATE reservation SET amount_nano = amount_nano + one."byNano" WHERE request_id = one."requestId";
      reserved[nth] := reserved[nth] + one."byNano";
      IF budget IS NOT NULL THEN
        taken[budget] := taken[budget] + one."byNano";
      END IF;
    END LOOP;
  END IF;

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
    SELECT json_agg(json_build_array(token_id, total_nano, day_nano, month_nano)) INTO spendings
      FROM token_spending WHERE token_id = ANY (limited);
  END IF;
  IF cardinality(short) > 0 THEN
    recalled := ARRAY(SELECT DISTINCT purse FROM lease WHERE purse = ANY (short) AND amount_nano > 0);
    IF cardinality(recalled) > 0 THEN
      PERFORM pg_notify('${recallChannel}', array_to_json(recalled)::text);
    END IF;
  END IF;
  RETURN json_build_object('denied', denied, 'overBudget', over_budget, 'busy', busy,
    'tokens', coalesce(spendings, '[]'), 'ids', ids, 'balances', balances, 'leases', leases, 'recalled', recalled);
END $$;
`

/** With the types of their rows; the second takes what was settled with later columns. */
export const commitFunctions = `${settledTypes(leaseCalls)}${otherTypes(leaseCalls)}${openSpendingWithLeases}${makeCommitRequests(leaseCalls)}${makeCommitAnswers(leaseCalls)}${makeSweep}`
export const laterCommitFunctions = `${settledTypes(calls)}${makeCommitRequests(calls)}${makeCommitAnswers(calls)}`
