import { formatNano, overdrawnNano } from '../../billing/money.ts'
import { type Clock, dayMs, utcDay } from '../../lib/clock.ts'
import type { StoredAccount } from '../../store/ports/admin.ts'
import type { ModelDayUsage, UsageFilter, UsageSums } from '../../store/ports/lists.ts'
import type { ReadingStore } from '../../store/ports/store.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { readList } from '../paging.ts'
import type {
  ChartQuery,
  FirstStep,
  GatewayNow,
  GatewayOverview,
  Overview,
  UsageChart,
  UsageRange,
} from './schema.ts'
import { spanOf, sumUp, usageChart } from './split.ts'

interface OverviewParts {
  readonly store: Pick<ReadingStore, 'admin' | 'lists'>
  readonly clock: Clock
  /** The default threshold below which a balance counts as low. */
  readonly usuallyLowNano: () => Promise<number>
  readonly now: () => Promise<GatewayNow>
}

export type OverviewService = ReturnType<typeof createOverview>

/** Models with their own colour in charts; the others are summed up. */
const shownModels = 9
const usualDays = 30
const mostCounted = 10_000
const shownOverdrawn = 5

export function createOverview(parts: OverviewParts) {
  const { store, clock } = parts

  /** Of one account, or of all. */
  async function readUsage(accountId: number | undefined, count: number) {
    const days = daysUntil(clock(), count)
    const today = utcDay(clock())
    const [sinceDay = today] = days
    const month = monthOf(today)
    const whose = accountId === undefined ? {} : { accountId }
    const ask = (filter: Omit<UsageFilter, 'accountId' | 'untilDay'>) =>
      readList(() => store.lists.usage({ ...whose, untilDay: today, ...filter }))
    const rows = await ask({ sinceDay, models: shownModels })
    const ofMonth = month < sinceDay ? await ask({ sinceDay: month, models: 1 }) : rows
    return {
      spent_today: sumOfMoney(rows.filter(({ day }) => day === today)),
      spent_this_month: sumOfMoney(ofMonth.filter(({ day }) => day >= month)),
      usage: usageRange(rows, days),
    }
  }

  /** Without a number of days: 30, or the last 24 hours where nothing is older than today. */
  async function readChart(
    { by = 'model', days, list = 0 }: ChartQuery,
    accountId?: number,
  ): Promise<UsageChart> {
    const whose = accountId === undefined ? {} : { accountId }
    const read = async (span: ReturnType<typeof spanOf>) => {
      const { unit, since } = span
      const filter = { ...whose, by, unit, since, parts: Math.max(list, shownModels) }
      const shown = { ...span, by, drawn: shownModels, listed: list }
      return usageChart(await readList(() => store.lists.split(filter)), shown)
    }
    const chart = await read(spanOf(clock(), days ?? usualDays))
    const isNew = chart.times.slice(0, -1).every(({ requests }) => requests === 0)
    return days === undefined && isNew ? read(spanOf(clock(), 1)) : chart
  }

  return {
    chart: readChart,

    async own({ accountId, email }: SignedIn, days: number): Promise<Overview> {
      const [account] = await store.admin.accountsNamed([email])
      if (!account) throw new ApiError('not_signed_in', 'This account is gone. Sign in again.')
      const tokens = await readList(() => store.lists.tokens({ accountId }, { size: 1 }))
      const usage = await readUsage(accountId, days)
      return {
        ...standingOf(account, await parts.usuallyLowNano()),
        tokens: tokens.total,
        ...usage,
      }
    },

    async gateway(days: number): Promise<GatewayOverview> {
      const now = await parts.now()
      const { accounts, tokens } = await store.admin.counts(mostCounted)
      const overdrawn = await store.admin.overdrawn({ atMost: shownOverdrawn })
      const used = await readUsage(undefined, days)
      const done: Readonly<Record<FirstStep, boolean>> = {
        channel: now.channels > 0,
        group: now.groups > 0,
        price: now.models > 0,
        // The administrator who reads this has an account, too.
        account: accounts > 1,
        token: tokens > 0,
        request: used.usage.sum.requests > 0,
      }
      return {
        now,
        accounts,
        tokens,
        counts_are_exact: accounts < mostCounted && tokens < mostCounted,
        overdrawn: {
          count: overdrawn.count,
          accounts: overdrawn.accounts.map((account) => ({
            ...{ id: account.id, email: account.email, request_id: account.requestId },
            overdrawn: formatNano(overdrawnNano(account)),
          })),
        },
        steps: (Object.keys(done) as FirstStep[]).map((step) => ({ step, is_done: done[step] })),
        ...used,
      }
    },
  }
}

function standingOf(account: StoredAccount, usuallyLowNano: number) {
  const { balanceNano, reservedNano, creditLimitNano } = account
  const lowNano = account.balanceLowNano ?? usuallyLowNano
  const isUsedUp = balanceNano + creditLimitNano <= 0
  return {
    balance: formatNano(balanceNano),
    reserved: formatNano(reservedNano),
    credit_limit: formatNano(creditLimitNano),
    balance_low_below: formatNano(lowNano),
    balance_state: isUsedUp ? 'used_up' : balanceNano < lowNano ? 'low' : 'good',
  } as const
}

/** The last `count` UTC days up to `now`, oldest first. */
export const daysUntil = (now: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => utcDay(now - (count - 1 - index) * dayMs))

/** The first day of the UTC month of a day. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`

/** Sums of a whole gateway may exceed safe integers. */
const costOf = (rows: readonly Pick<UsageSums, 'amountNano'>[]): bigint =>
  rows.reduce((sum, { amountNano }) => sum + BigInt(amountNano), 0n)

const sumOfMoney = (rows: readonly Pick<UsageSums, 'amountNano'>[]) => formatNano(costOf(rows))

/** Arranges sums by day and model; days without a row had no request. */
export function usageRange(rows: readonly ModelDayUsage[], days: readonly string[]): UsageRange {
  const byDay = Map.groupBy(rows, ({ day }) => day)
  // A model may be called `other`.
  const byModel = Map.groupBy(rows, ({ model, isOther }) => `${isOther}${model}`)
  const ranked = [...byModel.values()].map((own) => ({ cost: costOf(own), ...modelOf(own, days) }))
  ranked.sort((a, b) => Number(a.is_other) - Number(b.is_other) || (a.cost < b.cost ? 1 : -1))
  return {
    today: days.at(-1) ?? '',
    days: days.map((day) => ({ day, ...sumUp(byDay.get(day) ?? []) })),
    models: ranked.map(({ cost: _, ...model }) => model),
    sum: sumUp(rows),
  }
}

function modelOf(rows: readonly ModelDayUsage[], days: readonly string[]) {
  const [first] = rows
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return {
    model: first?.model ?? '',
    is_other: first?.isOther ?? false,
    ...sumUp(rows),
    days: days.map((day) => {
      const row = byDay.get(day)
      return { amount: formatNano(row?.amountNano ?? 0), first_byte_ms: row?.firstByteMs ?? null }
    }),
  }
}
