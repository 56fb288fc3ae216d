import { commitFunction } from './0008-postgres-budgets.ts'

/**
 * A batch whose answer was lost is committed once more. What had grown then is told by what it was set
 * aside before, as far as it is said (`fromNano`: not by nodes of the former version): it grows once.
 */
export const postgresGrowth = commitFunction('CREATE OR REPLACE FUNCTION', {
  asked: ', "fromNano" bigint',
  found: ', amount_nano',
  leave: `    IF one.amount_nano >= one."fromNano" + one."byNano" THEN
      CONTINUE;
    END IF;
`,
})
