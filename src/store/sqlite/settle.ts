import { type Database, SQLiteError } from 'bun:sqlite'
import type { Clock } from '../../lib/clock.ts'
import type { AttemptRow, RequestRow, SettledBalance, Settlement } from '../ports/records.ts'
import { explainFailure } from './failures.ts'
import { attemptColumns, insertText, requestColumns } from './request-columns.ts'

/** A row as named parameters: an interface has no index signature, a mapped type may have one. */
type Named<Row> = { [Name in keyof Row]: Row[Name] }

const addUsage = `
INSERT INTO usage_day VALUES ($tokenId, $day, $pricedModel, 1, $inputTokens, $outputTokens,
  $reasoningTokens, $cacheReadTokens, $cacheWriteTokens, $cacheWrite1hTokens, $amountNano)
ON CONFLICT (token_id, day, model) DO UPDATE SET
  requests = requests + 1,
  input_tokens = input_tokens + excluded.input_tokens,
  output_tokens = output_tokens + excluded.output_tokens,
  reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
  cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
  cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
  cache_write_1h_tokens = cache_write_1h_tokens + excluded.cache_write_1h_tokens,
  amount_nano = amount_nano + excluded.amount_nano`

const takeFromBalance =
  'UPDATE account SET balance_nano = balance_nano - $amountNano WHERE id = $accountId ' +
  'RETURNING balance_nano AS balanceNano'

const addCharge =
  'INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id, balance_after_nano) ' +
  "VALUES ($now, $accountId, 'charge', -$amountNano, $requestId, $balanceNano)"

const readBalance = 'SELECT balance_nano AS balanceNano FROM account WHERE id = ?'

function prepareStatements(db: Database) {
  return {
    insertRequest: db.prepare<{ id: number }, [Named<RequestRow>]>(
      `${insertText('request', requestColumns)} ON CONFLICT (request_id) DO NOTHING RETURNING id`,
    ),
    insertAttempt: db.prepare<
      void,
      [Named<AttemptRow & { request_row: number; position: number }>]
    >(insertText('attempt', attemptColumns, ['request_row', 'position'])),
    addUsage: db.prepare<void, [Named<RequestRow & { day: string; pricedModel: string }>]>(
      addUsage,
    ),
    takeFromBalance: db.prepare<{ balanceNano: number }, [Named<RequestRow>]>(takeFromBalance),
    addCharge: db.prepare<void, [Named<RequestRow & { now: number; balanceNano: number }>]>(
      addCharge,
    ),
    readBalance: db.prepare<{ balanceNano: number }, [number]>(readBalance),
  }
}

/** The UTC day of a time, `2026-11-21`; the day of the last call is remembered. */
function createDayName(): (timeMs: number) => string {
  let number = Number.NaN
  let name = ''
  return (timeMs) => {
    const day = Math.floor(timeMs / 86_400_000)
    if (day !== number) {
      number = day
      name = new Date(timeMs).toISOString().slice(0, 10)
    }
    return name
  }
}

/** How soon a commit is tried again while another process is writing. */
const retryMs = 5

/**
 * Does `work` as soon as no other process is writing, for as long as the database's busy timeout.
 * SQLite itself would wait with the whole process standing still, open streams included.
 */
function createPatience(db: Database) {
  const setTimeoutTo = (ms: number) => db.prepare(`PRAGMA busy_timeout = ${ms}`)
  const { timeout } = db.query<{ timeout: number }, []>('PRAGMA busy_timeout').get() ?? {}
  const patienceMs = timeout ?? 0
  const [impatient, patient] = [setTimeoutTo(0), setTimeoutTo(patienceMs)]
  return async <Result>(work: () => Result): Promise<Result> => {
    const deadline = performance.now() + patienceMs
    while (true) {
      impatient.run()
      try {
        return work()
      } catch (error) {
        const isBusy = error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')
        if (!isBusy || performance.now() >= deadline) throw explainFailure(error, db.filename)
      } finally {
        patient.run()
      }
      await Bun.sleep(retryMs)
    }
  }
}

/**
 * The hot path's writing, in prepared statements. Settling throws and stores nothing when a charge
 * is no whole number of nano-USD or a balance would leave the integers that are exact.
 */
export function createSettle(
  db: Database,
  clock: Clock,
): (batch: readonly Settlement[]) => Promise<SettledBalance[]> {
  const statements = prepareStatements(db)
  const dayName = createDayName()

  function charge(request: RequestRow, now: number): number {
    const balanceNano = statements.takeFromBalance.get(request)?.balanceNano
    if (balanceNano === undefined || !Number.isSafeInteger(balanceNano)) {
      throw new RangeError(
        `Request ${request.requestId}: charging ${request.amountNano} nano-USD would take the ` +
          `balance of account ${request.accountId} out of the range that is counted exactly.`,
      )
    }
    statements.addCharge.run({ ...request, now, balanceNano })
    return balanceNano
  }

  /** Returns the account's new balance; undefined when nothing was charged. */
  function store({ request, attempts }: Settlement, now: number): number | undefined {
    const { amountNano } = request
    if (!Number.isSafeInteger(amountNano) || amountNano < 0) {
      throw new RangeError(
        `Request ${request.requestId}: its charge is ${amountNano} nano-USD, but a charge is a ` +
          'whole number from 0 to 2^53 - 1.',
      )
    }
    const row = statements.insertRequest.get(request)
    if (row === null) return undefined
    attempts.forEach((attempt, position) => {
      statements.insertAttempt.run({ ...attempt, request_row: row.id, position })
    })
    const pricedModel = request.priceId === null ? '' : (request.model ?? '')
    statements.addUsage.run({ ...request, day: dayName(request.createdAt), pricedModel })
    return amountNano > 0 ? charge(request, now) : undefined
  }

  const settleAll = db.transaction((batch: readonly Settlement[]): SettledBalance[] => {
    const balances = new Map<number, number | undefined>()
    const now = clock()
    for (const settlement of batch) {
      const { accountId } = settlement.request
      balances.set(accountId, store(settlement, now) ?? balances.get(accountId))
    }
    return [...balances].map(([accountId, balanceNano]) => ({
      accountId,
      balanceNano: balanceNano ?? statements.readBalance.get(accountId)?.balanceNano ?? 0,
    }))
  })

  const patiently = createPatience(db)
  return async (batch) => (batch.length === 0 ? [] : patiently(() => settleAll.immediate(batch)))
}
