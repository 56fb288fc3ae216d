/** Groups and accounts that serve some countries only. */
const column = `
-- Countries that are served: {"allow": […]} or {"deny": […]}, of codes; NULL: all.
ADD COLUMN regions TEXT`

const tables = ['"group"', 'account']

export const regionsSqlite = tables
  .map(
    (table) =>
      `ALTER TABLE ${table} ${column} CHECK (regions IS NULL OR json_valid(regions));
`,
  )
  .join('')

/** Nodes keep in memory what an account says, too; of a group they are told already. */
export const regionsPostgres = `${tables
  .map(
    (table) =>
      `ALTER TABLE ${table} ${column} COLLATE "C" CHECK (regions IS NULL OR regions::json IS NOT NULL);
`,
  )
  .join('')}CREATE TRIGGER tell_nodes_of_regions AFTER UPDATE OF regions ON account
  EXECUTE FUNCTION tell_nodes();
`
