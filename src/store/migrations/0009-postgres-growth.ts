import { commitFunction } from './0008-postgres-budgets.ts'

/**
 * A batch whose answer was lost may be committed once more, or be taken for not done: what is set aside
 * is more then than who asks for more knows of (`fromNano`; nodes of the former version do not say it).
 * It grows by what is missing.
 */
const repeats = {
  asked: ', "fromNano" bigint',
  found: ', amount_nano',
  leave: `    IF one.amount_nano > one."fromNano" THEN
      one."byNano" := one."fromNano" + one."byNano" - one.amount_nano;
      CONTINUE WHEN one."byNano" <= 0;
    END IF;
`,
}

/** The same with what later versions add: nodes of the former version do not fill it. */
export const growingCommit = (
  added?: { readonly column: string; readonly field: string },
  alone?: Parameters<typeof commitFunction>[3],
): string => commitFunction('CREATE OR REPLACE FUNCTION', repeats, added, alone)

export const postgresGrowth = growingCommit()
