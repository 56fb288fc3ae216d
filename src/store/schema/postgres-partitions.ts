/**
 * Requests and their attempts are partitioned by ranges of the request id, a quarter of a year (UTC)
 * each: an id begins with the time at which it was made. So the index of one partition makes an id
 * unique, and old requests can be dropped as tables. Other ids, and those of times without a partition,
 * are in the default one. Shorter ranges would slow lists down: row numbers are searched in each.
 */
export const partitions = `
CREATE TABLE IF NOT EXISTS request_default PARTITION OF request DEFAULT;
CREATE TABLE IF NOT EXISTS attempt_default PARTITION OF attempt DEFAULT;
CREATE INDEX IF NOT EXISTS request_row ON request (id);

-- Makes the partitions of these times (milliseconds since 1970), and moves their rows out of the
-- default one. While that is in use, or without the right to make tables, it does nothing: call it again.
CREATE FUNCTION make_partitions(times bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  quarter timestamp;
  ends text[];
  parent text;
  made text;
BEGIN
  FOR quarter IN SELECT DISTINCT date_trunc('quarter', to_timestamp(at_ms / 1000) AT TIME ZONE 'UTC')
    FROM unnest(times) AS at_ms WHERE at_ms BETWEEN ${Date.UTC(2020, 0)} AND now_ms() + ${62 * 86_400_000}
  LOOP
    CONTINUE WHEN to_regclass(to_char(quarter, '"attempt"_YYYY"_q"Q')) IS NOT NULL;
    ends := ARRAY(SELECT 'req_' || lpad(to_hex((extract(epoch FROM one) * 1000)::bigint), 12, '0')
      FROM unnest(ARRAY[quarter, quarter + interval '3 months']) AS one);
    BEGIN
      LOCK TABLE ONLY request, ONLY attempt IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
      LOCK TABLE request_default, attempt_default IN ACCESS EXCLUSIVE MODE NOWAIT;
      FOREACH parent IN ARRAY ARRAY['request', 'attempt'] LOOP
        made := parent || to_char(quarter, '_YYYY"_q"Q');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', made, parent);
        EXECUTE format('WITH gone AS (DELETE FROM %I WHERE request_id >= %L AND request_id < %L RETURNING *)
          INSERT INTO %I SELECT * FROM gone', parent || '_default', ends[1], ends[2], made);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          parent, made, ends[1], ends[2]);
      END LOOP;
    EXCEPTION WHEN lock_not_available OR duplicate_table OR insufficient_privilege THEN
      RETURN;
    END;
  END LOOP;
END $$;
`

/** Makes the partitions of now and the next four weeks; nodes call it every few seconds. */
export const partitionsAhead = `make_partitions(ARRAY[now_ms(), now_ms() + ${28 * 86_400_000}])`
