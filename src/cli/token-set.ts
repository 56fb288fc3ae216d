import type { Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import { tokenDetails } from '../app/report/resources.ts'
import { UsageError } from './errors.ts'
import { warnOfToken } from './file-word.ts'
import { addLimitOptions, type LimitOptions, namedLimits } from './limits.ts'
import { commandLine, findToken, tokenArgument } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { describeToken } from './token-text.ts'
import { orNull, parseExpiry, parseUsdOrNone } from './values.ts'

interface SetOptions extends ConfigOption, LimitOptions {
  readonly budget?: number | 'none'
  readonly budgetDay?: number | 'none'
  readonly budgetMonth?: number | 'none'
  readonly expires?: number | 'never'
  readonly strict?: boolean
  readonly json?: boolean
}

/** `tollgate token set`: what is not named stays as it is. */
export function addSet(token: Command): void {
  const command = token
    .command('set')
    .description('change what is named of a token, and nothing else')
    .addArgument(tokenArgument())
    .option('--budget <usd>', 'what may be spent with it in all; none: no limit', parseUsdOrNone)
    .option('--budget-day <usd>', 'the same in a UTC day', parseUsdOrNone)
    .option('--budget-month <usd>', 'the same in a UTC month', parseUsdOrNone)
    .option('--expires <time>', 'when it expires, ISO 8601 with offset, or never', parseExpiry)
    .option('--strict', 'refuse what translation between protocols would leave out')
    .option('--no-strict', 'leave it out, and name it in the answer')
    .option('--json', 'as JSON')
    .action((id: number, options: SetOptions) =>
      withStore(options, (instance) => setToken(instance, id, options)),
    )
  addLimitOptions(command)
  withExamples(
    withConfig(command),
    'tollgate token set 3 --budget-day 5 --budget-month 100',
    'tollgate token set 3 --budget none --expires 2027-01-31T12:00:00Z',
    'tollgate token set 3 --rpm 60 --tpm none --concurrency 4',
  )
}

async function setToken(instance: Instance, id: number, options: SetOptions): Promise<void> {
  const { budget: total, budgetDay: day, budgetMonth: month, expires, strict } = options
  const budget = {
    ...(total !== undefined && { totalNano: orNull(total) }),
    ...(day !== undefined && { dayNano: orNull(day) }),
    ...(month !== undefined && { monthNano: orNull(month) }),
  }
  const limits = namedLimits(options)
  const hasBudget = Object.keys(budget).length > 0
  if (!hasBudget && !limits && expires === undefined && strict === undefined)
    throw new UsageError(
      'Name what is to change: --budget, --budget-day, --budget-month, --rpm, --tpm, ' +
        '--concurrency, --expires or --strict.',
    )
  await findToken(instance, id)
  const { admin } = instance.store
  const others = {
    ...(limits && { limits }),
    ...(expires !== undefined && { expiresAt: orNull(expires) }),
    ...(strict !== undefined && { isStrict: strict }),
  }
  await admin.changeToken({ id, budget, ...others, actor: commandLine })
  const changed = await findToken(instance, id)
  const report = await tokenDetails(instance.store, changed)
  if (options.json) await writeJson(report)
  else await writeLines(describeToken(report))
  await warnOfToken(options, instance, changed)
}
