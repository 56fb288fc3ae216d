import { commitFunction } from './0008-postgres-budgets.ts'

/**
 * A batch whose answer was lost may be committed once more, or be taken for not done: what is set aside
 * is more then than who asks for more knows of (`fromNano`; nodes of the former version do not say it).
 * It grows by what is missing.
 */
export const postgresGrowth = commitFunction('CREATE OR REPLACE FUNCTION', {
  asked: ', "fromNano" bigint',
  found: ', amount_nano',
  leave: `    IF one.amount_nano > one."fromNano" THEN
      one."byNano" := one."fromNano" + one."byNano" - one.amount_nano;
      CONTINUE WHEN one."byNano" <= 0;
    END IF;
`,
})
