import { sweepFunction } from './0008-postgres-budgets.ts'
import { byIndex } from './0008-postgres-spending.ts'

const text = 'text COLLATE "C"'

const tables = (id: string, int: string, json: string, end: string) => `
-- What vendors keep of answers, by their ids: a request may refer to its own account's alone.
CREATE TABLE kept_answer (
  answer_id ${id} NOT NULL,
  account_id ${int} NOT NULL,
  channel_id ${int} NOT NULL,
  key_mark ${id} NOT NULL,
  context_tokens ${int} NOT NULL,
  created_at ${int} NOT NULL,
  PRIMARY KEY (answer_id, account_id)
)${end};
CREATE INDEX kept_answer_created_at ON kept_answer (created_at);

-- Answers that are made in the background, until they are charged: the reservation of the same id is
-- held for them, whatever becomes of the process.
CREATE TABLE background_answer (
  request_id ${id} NOT NULL PRIMARY KEY,
  asked_id ${id} NOT NULL,
  answer_id ${id} NOT NULL,
  created_at ${int} NOT NULL,
  account_id ${int} NOT NULL,
  token_id ${int} NOT NULL,
  channel_id ${int} NOT NULL,
  key_mark ${id} NOT NULL,
  charge ${json} NOT NULL,
  -- When it is looked at next. Who looks puts this off first: so no two do at once.
  due_at ${int} NOT NULL
)${end};
CREATE INDEX background_answer_due ON background_answer (due_at);
CREATE INDEX background_answer_id ON background_answer (answer_id);
`

/** Answers that vendors keep, and those that they make in the background. */
export const sqliteAnswers = tables('TEXT', 'INTEGER', 'TEXT', ' STRICT, WITHOUT ROWID')

/**
 * Commits a batch whose settlements have answers with them. What is set aside for one that goes on in
 * the background is held for its charge, which has an id of its own. Rows are written in the order of
 * their keys: so calls that run at once wait for each other, and not for ever.
 */
const commitFunction = `
CREATE FUNCTION commit_answers(batch json, settled text[], released text[], of_accounts bigint[],
  of_tokens bigint[], at_ms bigint, today text, node bigint) RETURNS json
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
  INSERT INTO background_answer (request_id, asked_id, answer_id, created_at, account_id, token_id,
    channel_id, key_mark, charge, due_at)
  SELECT begun.*, now_ms() + (batch->>'dueInMs')::bigint FROM json_to_recordset(batch->'begun') AS begun
    ("requestId" text, "askedId" text, "answerId" text, "createdAt" bigint, "accountId" bigint,
    "tokenId" bigint, "channelId" bigint, "keyMark" text, charge text)
  WHERE NOT EXISTS (SELECT FROM request WHERE request_id = begun."requestId")
  ON CONFLICT (request_id) DO NOTHING;
  answer := commit_requests(batch, settled, released, of_accounts, of_tokens, at_ms, today, node);
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
`

/** What is held for an answer in the background is no node's: none of them was ended with it. */
const sweep = sweepFunction(` AND abs(now_ms() - created_at) >= silent_ms
      AND NOT EXISTS (SELECT FROM background_answer AS held WHERE held.request_id = reservation.request_id)`)

/** The same for PostgreSQL. */
export const postgresAnswers =
  tables(text, 'bigint', `${text} CHECK (charge::json IS NOT NULL)`, '') + commitFunction + sweep
