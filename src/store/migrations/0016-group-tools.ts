/** Groups that allow some tools of the vendors' only. */
const column = `
-- Tools that the vendor may run: a list; NULL: all that have a price.
ALTER TABLE "group" ADD COLUMN tools TEXT`

export const groupTools = `${column} CHECK (tools IS NULL OR json_valid(tools));
`

export const postgresGroupTools = `${column} COLLATE "C" CHECK (tools IS NULL OR tools::json IS NOT NULL);
`
