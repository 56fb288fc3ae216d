/**
 * The processes that serve from a database, and which of them a reservation belongs to. Times are
 * milliseconds since 1970 (UTC).
 */
export const nodes = `
CREATE TABLE node (
  id INTEGER PRIMARY KEY,
  -- Where it runs, for people.
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  -- When it was last heard of.
  seen_at INTEGER NOT NULL,
  -- What it is doing: an object.
  load TEXT NOT NULL CHECK (json_valid(load))
) STRICT;
-- NULL: of a process that is in no list.
ALTER TABLE reservation ADD COLUMN node_id INTEGER;
`
