import { changeChannel } from './0007-postgres-triggers.ts'

/** Ends the word of a change that is of accounts and tokens alone: nothing else need be read again. */
export const ofAccounts = ' of accounts'

/** Says what has changed, so that a token that is made keeps no node busy. */
export const postgresKinds = `
CREATE OR REPLACE FUNCTION tell_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${changeChannel}', current_setting('application_name') ||
    CASE WHEN TG_TABLE_NAME IN ('token', 'account', 'credential', 'ledger') THEN '${ofAccounts}' ELSE '' END);
  RETURN NULL;
END $$;
`
