import {
  type AccountRow,
  countOpen,
  type LedgerRow,
  type RequestRow,
  readAccounts,
  readLedger,
  readRequests,
} from './books.ts'
import { costOf } from './clients/asks.ts'
import type { Outcome } from './clients/crowd.ts'
import { emailOf, type Payer, payerNames } from './config.ts'
import type { Bill, Upstream } from './upstream/upstream.ts'
import type { Rows } from './world.ts'

// Whether the books are those that clients and upstreams would have kept. Nothing here is of src/.

export interface Judge {
  /** How many charges have been seen. */
  readonly charges: () => number
  /**
   * With nobody asking and every node ready: compares what was stored since the last time, and gives
   * what is wrong.
   */
  judge(outcomes: readonly Outcome[]): Promise<string[]>
  /** Whether leases that nobody uses end: gives those that do not. */
  judgeLeases(): Promise<string[]>
}

/** How long the judge waits for what must come, in milliseconds. */
export interface Patience {
  /**
   * Until nothing is under way. A dead node is noticed after 30 s of silence, by others every 5 s, but not
   * within 15 s of an absence of the database; what its clock has dated ahead is closed later by as much.
   */
  readonly restMs: number
  /** Until what clients have received is stored, once nothing is set aside. */
  readonly storedMs: number
}

export function createJudge(
  rows: Rows,
  upstream: Pick<Upstream, 'bills' | 'underWay'>,
  { restMs, storedMs }: Patience = { restMs: 90_000, storedMs: 10_000 },
): Judge {
  let lastRequest = 0n
  let lastEntry = 0n
  /** Of each account, by its entries that were seen. */
  const sums = new Map<string, { charges: bigint; charged: bigint; dearest: bigint }>()
  /** Ids of the requests that charged the answer to a prompt, by its number. */
  const chargedNumbers = new Map<number, string>()
  let charges = 0

  /** Waits until nothing is under way; what is then still open is told. */
  async function untilRest(outcomes: readonly Outcome[]): Promise<string[]> {
    const start = performance.now()
    const pastMs = () => performance.now() - start
    while (upstream.underWay() > 0 && pastMs() < restMs) await Bun.sleep(20)
    for (let open = await countOpen(rows); open > 0; open = await countOpen(rows)) {
      if (pastMs() > restMs) return [`${open} reservations are open, and nothing is under way`]
      await Bun.sleep(50)
    }
    const whole = outcomes.filter(({ ending }) => ending === 'whole').map(({ id }) => id)
    const end = performance.now() + storedMs
    while (performance.now() < end) {
      const stored = new Set((await readRequests(rows, lastRequest)).map(({ id }) => id))
      if (whole.every((id) => id === undefined || stored.has(id))) break
      await Bun.sleep(100)
    }
    return []
  }

  /** Adds what is new in the ledger up. */
  function count(entries: readonly LedgerRow[]): void {
    for (const { kind, email, amount } of entries) {
      if (kind !== 'charge') continue
      const sum = sums.get(email) ?? { charges: 0n, charged: 0n, dearest: 0n }
      const dearest = -amount > sum.dearest ? -amount : sum.dearest
      sums.set(email, { charges: sum.charges + 1n, charged: sum.charged - amount, dearest })
      charges++
    }
  }

  function checkAccount(account: AccountRow): string[] {
    const { email, balance, reserved, leased, limit, ledger } = account
    const sum = sums.get(email) ?? { charges: 0n, charged: 0n, dearest: 0n }
    return [
      ...fault(balance !== ledger, `${email}: balance ${balance}, sum of the ledger ${ledger}`),
      ...fault(
        reserved !== leased,
        `${email}: ${reserved} is set aside, ${leased} of it by leases, and nothing is under way`,
      ),
      ...fault(
        account.charges !== sum.charges || account.charged !== sum.charged,
        `${email}: ${account.charges} charges of ${account.charged} are stored; as they came ` +
          `there were ${sum.charges} of ${sum.charged}`,
      ),
      ...fault(
        balance + limit < -sum.dearest,
        `${email}: balance ${balance} is below its bound by more than its dearest answer, ${sum.dearest}`,
      ),
    ]
  }

  /** An entry is of one request, of just its amount, and for what an upstream has answered. */
  function checkCharge(entry: LedgerRow, requests: ReadonlyMap<string, RequestRow>): string[] {
    const request = entry.id === undefined ? undefined : requests.get(entry.id)
    if (request === undefined) return [`A charge without its request: ${text(entry)}`]
    const number = numberOf(request)
    if (number === undefined) return [] // that is for `checkNameless`
    const bills = upstream.bills.get(number) ?? []
    if (bills.length === 0) return [`Charged, and no upstream was asked: ${text(request)}`]
    const other = chargedNumbers.get(number)
    chargedNumbers.set(number, request.id)
    const [{ payer }] = bills as [Bill]
    return [
      ...fault(entry.email !== emailOf(payer), `${payer}'s answer is charged to ${text(entry)}`),
      ...fault(other !== undefined, `Answer ${number} is charged twice: ${other}, ${request.id}`),
      ...fault(
        entry.amount !== -request.amount || entry.email !== request.email,
        `A charge is not that of its request: ${text(entry)}, ${text(request)}`,
      ),
    ]
  }

  /**
   * Who leaves before the head of an answer comes pays for what its upstream was asked, and neither knows
   * the other's id: there are no more such charges than such clients.
   */
  function checkNameless(charged: readonly RequestRow[], outcomes: readonly Outcome[]): string[] {
    return payerNames.flatMap((payer) => {
      const mine = charged.filter(({ email }) => email === emailOf(payer))
      const left = outcomes.filter(
        ({ id, ask: { number, payer: asked } }) =>
          asked === payer &&
          id === undefined &&
          upstream.bills.has(number) &&
          !chargedNumbers.has(number),
      )
      const what = `${payer}: ${mine.length} charges for what no upstream has named, ${left.length} clients left early`
      return fault(mine.length > left.length, `${what}: ${text(mine.slice(0, 3))}`)
    })
  }

  return {
    charges: () => charges,
    async judgeLeases() {
      const leased = async () => (await readAccounts(rows)).filter((one) => one.leased !== 0n)
      const end = performance.now() + restMs
      while (performance.now() < end && (await leased()).length > 0) await Bun.sleep(200)
      return (await leased()).map((one) => `${one.email}: leases of ${one.leased} do not end`)
    },
    async judge(outcomes) {
      const unrest = await untilRest(outcomes)
      const found = await readRequests(rows, lastRequest)
      const entries = await readLedger(rows, lastEntry)
      lastRequest = found.at(-1)?.row ?? lastRequest
      lastEntry = entries.at(-1)?.row ?? lastEntry
      const requests = new Map(found.map((request) => [request.id, request]))
      count(entries)
      const charged = entries.filter(({ kind }) => kind === 'charge')
      const charge = new Map(charged.map((entry) => [entry.id, entry]))
      const due = found.filter(({ amount, id }) => amount > 0n && !charge.has(id))
      return [
        ...unrest,
        ...charged.flatMap((entry) => checkCharge(entry, requests)),
        ...checkNameless(
          found.filter((one) => one.amount > 0n && numberOf(one) === undefined),
          outcomes,
        ),
        ...due.map((request) => `Costs something, and is not charged: ${text(request)}`),
        ...outcomes.flatMap((outcome) => {
          const id = outcome.id ?? ''
          const bills = upstream.bills.get(outcome.ask.number) ?? []
          return checkOutcome(outcome, requests.get(id), charge.get(id), bills)
        }),
        ...(await readAccounts(rows)).flatMap(checkAccount),
      ]
    },
  }
}

/** What a client saw, held against what is stored of it and what the upstream billed. */
function checkOutcome(
  { ask, ending, id, status, told }: Outcome,
  request: RequestRow | undefined,
  charge: LedgerRow | undefined,
  bills: readonly Bill[],
): string[] {
  const { number, kind, payer, dialect, stream } = ask
  const seen = { number, kind, payer, dialect: dialect.name, stream, ending, id, status }
  const what = `${text(seen)} ${(told ?? '').slice(-120)}, stored ${text(request)}, charged ${charge?.amount}, billed ${text(bills)}`
  const charged = charge === undefined ? 0n : -charge.amount
  const wrong = (isWrong: boolean, promise: string) => fault(isWrong, `${promise}: ${what}`)
  switch (ending) {
    case 'odd':
      return wrong(true, 'Ended as if it were whole')
    case 'hung':
      return wrong(true, 'Never ended')
    case 'refused':
      // What the vendor bills is paid, though it could not be passed on.
      return wrong(charged !== 0n && !isDue(charged, payer, bills), 'Refused, and charged')
    case 'whole':
      return [
        ...wrong(id === undefined, 'Whole, and without an id'),
        ...wrong(charge === undefined, 'Received whole, and not charged'),
        ...wrong(charge !== undefined && !isDue(charged, payer, bills), 'Charged another sum'),
      ]
    default:
      return wrong(charged > most(payer, bills), 'Charged more than anyone could bill')
  }
}

/** The last call is the one whose answer was passed on. */
function isDue(charged: bigint, payer: Payer, bills: readonly Bill[]): boolean {
  const bill = bills.at(-1)
  if (bill === undefined || !bill.isWhole) return false
  if (bill.tokens !== undefined) return charged === costOf(payer, bill.tokens)
  return charged > 0n && charged <= costOf(payer, bill.mostTokens)
}

/** What all calls may have cost together, whatever was told of them. */
const most = (payer: Payer, bills: readonly Bill[]): bigint =>
  bills.reduce((sum, { tokens, mostTokens }) => {
    const told = tokens === undefined ? 0n : costOf(payer, tokens)
    const bound = costOf(payer, mostTokens)
    return sum + (told > bound ? told : bound)
  }, 0n)

/** The prompt's number, as the upstream's ids tell it. */
function numberOf({ upstream }: RequestRow): number | undefined {
  const found = /(?:^|,)upstream-(\d+)-/.exec(upstream.join())
  return found === null ? undefined : Number(found[1])
}

const fault = (isWrong: boolean, what: string): string[] => (isWrong ? [what] : [])

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)) ?? 'nothing'
