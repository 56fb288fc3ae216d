import { growingCommit } from './0009-postgres-growth.ts'
import { extrasAdded } from './0011-charged-extras.ts'

/**
 * A request that can come to more than is set aside for it is its account's only one, on whichever node
 * (nodes of the former version do not say it). Who has locked the account sees all that others have set
 * aside.
 */
const alone = {
  names: `  busy text[] := '{}';
  opened bigint[] := '{}';
`,
  asked: ', "isOpen" smallint',
  column: ', is_open',
  deny: `      ELSIF one."isOpen" = 1 AND (one."accountId" = ANY (opened) OR EXISTS (
          SELECT FROM reservation WHERE account_id = one."accountId" AND is_open = 1)) THEN
        busy := busy || one."requestId";
`,
  note: `        IF one."isOpen" = 1 THEN
          opened := opened || one."accountId";
        END IF;
`,
  answer: ", 'busy', busy",
}

/** Which reservations are open, and that an account has one of them at a time. */
export const postgresOpen = `
ALTER TABLE reservation ADD COLUMN is_open smallint;
CREATE INDEX reservation_open ON reservation (account_id) WHERE is_open = 1;
${growingCommit(extrasAdded, alone)}`
