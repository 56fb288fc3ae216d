import { UserError } from '../app/instance.ts'
import { UsageError } from './errors.ts'
import { ask } from './terminal.ts'

/**
 * Asks before something that can't be taken back. Throws unless the answer is yes; without a
 * terminal there is nobody to ask, so `--yes` must say it.
 */
export async function confirm(
  question: string,
  { yes }: { readonly yes?: boolean | undefined },
): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY)
    throw new UsageError(`${question} There is no terminal to ask on: add --yes to go ahead.`)
  const answer = await ask(`${question} [y/N]`)
  if (!/^y(es)?$/i.test(answer.trim())) throw new UserError('Nothing was changed.')
}
