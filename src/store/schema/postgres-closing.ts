import { backgroundFields, columnNames, typedFields } from './columns.ts'
import { tokenOf } from './lease.ts'
import { type Calls, parametersOf, passed } from './postgres-rows.ts'
import { byIndex } from './postgres-sums.ts'
import { interruptedFrom } from './records.ts'

/** Closes the reservations of dead nodes, and takes their leases back. */
export const sweepReservations = 'sweep_reservations_3'

// Commits a batch whose settlements have answers with them. Moves the reservation of a background answer to its charge, which has an id of its own. Rows are
// written in the order of their keys, so concurrent calls can't deadlock.
export const makeCommitAnswers = (of: Calls) => `
CREATE FUNCTION ${of.commitAnswers}(${parametersOf(of)}) RETURNS json
LANGUAGE plpgsql ${byIndex} SET jit = off AS $$
DECLARE
  answer json;
BEGIN
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  PERFORM FROM account WHERE id = ANY (of_accounts) ORDER BY id FOR NO KEY UPDATE;
  UPDATE reservation SET request_id = begun."requestId"
    FROM json_to_recordset(more->'begun') AS begun ("requestId" text, "askedId" text)
    WHERE reservation.request_id = begun."askedId"
      AND NOT EXISTS (SELECT FROM request WHERE request_id = begun."requestId");
  INSERT INTO background_answer (${columnNames(backgroundFields)}, due_at)
  SELECT begun.*, now_ms() + (more->>'dueInMs')::bigint
  FROM json_to_recordset(more->'begun') AS begun (${typedFields(backgroundFields)})
  WHERE NOT EXISTS (SELECT FROM request WHERE request_id = begun."requestId")
  ON CONFLICT (request_id) DO NOTHING;
  answer := ${of.commitRequests}(${passed});
  DELETE FROM background_answer
    WHERE request_id IN (SELECT json_array_elements_text(more->'ended'));
  INSERT INTO kept_answer (answer_id, account_id, channel_id, key_mark, context_tokens, created_at)
  SELECT DISTINCT ON (id, "accountId") * FROM json_to_recordset(more->'kept') AS kept (id text,
    "accountId" bigint, "channelId" bigint, "keyMark" text, "contextTokens" bigint,
    "createdAt" bigint)
  ORDER BY id, "accountId", "createdAt" DESC
  ON CONFLICT (answer_id, account_id) DO UPDATE SET channel_id = excluded.channel_id,
    key_mark = excluded.key_mark, context_tokens = excluded.context_tokens,
    created_at = excluded.created_at;
  RETURN answer;
END $$;
`

/**
 * Closes the reservations of nodes without a heartbeat for so long: their requests are interrupted and
 * cost nothing. Returns their number; a stored request stays as it is. Young reservations stay: a node
 * that reconnects reserves at once, and sends its heartbeat seconds later. Those of background answers
 * belong to no node. The leases of such nodes end.
 */
export const makeSweep = `
CREATE FUNCTION ${sweepReservations}(silent_ms bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lost text[];
  owners bigint[];
  given_up bigint[];
  added request[];
BEGIN
  LOCK TABLE account IN ROW EXCLUSIVE MODE;
  SELECT array_agg(request_id), array_agg(account_id) INTO lost, owners FROM reservation
    WHERE NOT EXISTS (SELECT FROM node WHERE id = node_id AND seen_at > now_ms() - silent_ms) AND abs(now_ms() - created_at) >= silent_ms
      AND NOT EXISTS (SELECT FROM background_answer AS held WHERE held.request_id = reservation.request_id);
  SELECT array_agg(purse), owners || array_agg(coalesce(account_id, purse)) INTO given_up, owners
    FROM lease LEFT JOIN token ON token.id = ${tokenOf('purse')}
    WHERE NOT EXISTS (SELECT FROM node WHERE id = node_id AND seen_at > now_ms() - silent_ms);
  IF cardinality(owners) > 0 THEN
    PERFORM FROM account WHERE id = ANY (owners) ORDER BY id FOR NO KEY UPDATE;
  ELSE
    RETURN 0;
  END IF;
  WITH gone AS (
    DELETE FROM lease WHERE purse = ANY (given_up)
      AND NOT EXISTS (SELECT FROM node WHERE id = node_id AND seen_at > now_ms() - silent_ms)
    RETURNING purse, amount_nano
  ), share AS (
    SELECT purse, sum(amount_nano) AS nano FROM gone GROUP BY 1
  ), freed_of_budgets AS (
    UPDATE token_spending SET reserved_nano = reserved_nano - nano
    FROM share WHERE token_id = ${tokenOf('share.purse')}
  ) UPDATE account SET reserved_nano = reserved_nano - nano
    FROM share WHERE account.id = share.purse;
  IF lost IS NULL THEN
    RETURN 0;
  END IF;
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
