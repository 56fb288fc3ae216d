/** Groups that are not for everybody. */
const column = `
-- E-mails of the accounts that may use the group: a list; NULL: it is open to all.
ALTER TABLE "group" ADD COLUMN accounts TEXT`

export const groupAccounts = `${column} CHECK (accounts IS NULL OR json_valid(accounts));
`

/** Nodes keep in memory whether an account's address is vouched for, too. */
export const postgresGroupAccounts = `${column} COLLATE "C" CHECK (accounts IS NULL OR accounts::json IS NOT NULL);
CREATE TRIGGER tell_nodes_of_vouching AFTER UPDATE OF email_verified ON account
  EXECUTE FUNCTION tell_nodes();
`
