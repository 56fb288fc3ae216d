/** What a changed row is told of by: `NOTIFY` on this channel, with who changed it. */
export const changeChannel = 'tollgate_changed'

export const onStatement = (table: string, events: string) =>
  `CREATE TRIGGER tell_nodes AFTER ${events} ON ${table} EXECUTE FUNCTION tell_nodes();\n`

export const anyChange = 'INSERT OR UPDATE OR DELETE'

/** Tables that nodes keep in memory. */
const kept = [
  'channel',
  '"group"',
  'group_channel',
  'token',
  'model_price',
  'setting',
  'credential',
  'document',
]

/** What requests change of an account is none of it: balances are asked for by each commit. */
const accountColumns =
  'email, role, status, credit_limit_nano, balance_low_nano, rpm, tpm, concurrency, deleted_at'

/**
 * Tells all nodes at once when a transaction commits that has changed what they keep in memory,
 * whoever wrote it. Notices of one transaction that are alike become one.
 */
export const changeTriggers = `
CREATE FUNCTION tell_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${changeChannel}', current_setting('application_name'));
  RETURN NULL;
END $$;
${kept.map((table) => onStatement(table, anyChange)).join('')}${onStatement('account', `INSERT OR DELETE OR UPDATE OF ${accountColumns}`)}
CREATE TRIGGER tell_nodes_of_money AFTER INSERT ON ledger
  FOR EACH ROW WHEN (NEW.kind <> 'charge') EXECUTE FUNCTION tell_nodes();
`
