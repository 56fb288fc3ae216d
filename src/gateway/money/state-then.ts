import type { CoolingRow } from '../../store/ports/counters.ts'
import type { StateThen } from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { Option } from '../admit/options.ts'
import type { RequestCause } from '../failures/failures.ts'

interface Judged {
  readonly caller: Pick<Caller, 'account' | 'token' | 'spending'> | undefined
  readonly coolings: StateThen['cooling']
  readonly neededNano: number | undefined
}

const moneyCauses: ReadonlySet<RequestCause> = new Set(['balance', 'budget', 'balance_used_up'])

/** What a failed request was judged by, for its row; null: nothing beyond the row itself. */
export function stateThen(
  { caller, coolings, neededNano }: Judged,
  cause: RequestCause | null,
): string | null {
  if (cause === null) return null
  const isShort = caller !== undefined && moneyCauses.has(cause)
  if (!isShort && coolings === undefined) return null
  const state: StateThen = {
    ...(isShort && { money: moneyOf(caller, neededNano) }),
    ...(coolings && { cooling: coolings }),
  }
  return JSON.stringify(state)
}

function moneyOf(
  { account, token, spending }: NonNullable<Judged['caller']>,
  neededNano = null as number | null,
): NonNullable<StateThen['money']> {
  const { balanceNano, creditLimitNano } = account
  return {
    balanceNano,
    creditLimitNano,
    budget: token.budget,
    spent: spending?.spent ?? null,
    neededNano,
  }
}

/** So many cooldowns are kept with a request. */
const mostCoolings = 5

/** Cooldowns of what could answer that had begun before a moment; undefined: there were none. */
export function coolingsBefore(
  all: readonly CoolingRow[],
  options: readonly Option[],
  moment: number,
): StateThen['cooling'] {
  const found = all.filter(
    ({ channelId, model, since }) =>
      since < moment &&
      options.some(
        (one) => one.channel.id === channelId && (model === '' || model === one.upstreamModel),
      ),
  )
  if (found.length === 0) return undefined
  return found.slice(0, mostCoolings).map(({ rounds: _, ...row }) => row)
}
