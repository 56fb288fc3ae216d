const tables = (id: string, int: string, bytes: string, end: string) => `
-- Translated responses, which no upstream keeps: what is in them is sealed.
CREATE TABLE response (
  id ${id} NOT NULL PRIMARY KEY,
  account_id ${int} NOT NULL,
  created_at ${int} NOT NULL,
  -- Of the row, with what it takes beside its contents.
  size_bytes ${int} NOT NULL,
  input ${bytes} NOT NULL,
  response ${bytes} NOT NULL
)${end};
CREATE INDEX response_account ON response (account_id, created_at);
CREATE INDEX response_created_at ON response (created_at);

-- What of them each account has: kept by triggers, in the statement that changes it.
CREATE TABLE response_share (
  account_id ${int} NOT NULL PRIMARY KEY,
  size_bytes ${int} NOT NULL
)${end};
CREATE INDEX response_share_size ON response_share (size_bytes);
`

const added = (row: string) => `
  INSERT INTO response_share (account_id, size_bytes) VALUES (${row}.account_id, ${row}.size_bytes)
    ON CONFLICT (account_id) DO UPDATE SET size_bytes = response_share.size_bytes + excluded.size_bytes;`
const removed = (row: string) => `
  UPDATE response_share SET size_bytes = size_bytes - ${row}.size_bytes
    WHERE account_id = ${row}.account_id;
  DELETE FROM response_share WHERE account_id = ${row}.account_id AND size_bytes <= 0;`

/** Translated responses that the gateway keeps. */
export const sqliteResponses = `${tables('TEXT', 'INTEGER', 'BLOB', ' STRICT')}
CREATE TRIGGER response_added AFTER INSERT ON response BEGIN${added('NEW')}
END;
CREATE TRIGGER response_removed AFTER DELETE ON response BEGIN${removed('OLD')}
END;
`

/** The same for PostgreSQL. */
export const postgresResponses = `${tables('text COLLATE "C"', 'bigint', 'bytea', '')}
CREATE FUNCTION count_response() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN${added('NEW')}
  ELSE${removed('OLD')}
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER response_counted AFTER INSERT OR DELETE ON response
  FOR EACH ROW EXECUTE FUNCTION count_response();
`
