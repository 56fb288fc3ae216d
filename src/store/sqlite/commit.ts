import type { Database } from 'bun:sqlite'
import type { Clock } from '../../lib/clock.ts'
import type {
  AttemptRow,
  Batch,
  Committed,
  Growth,
  RequestRow,
  Reservation,
  Settlement,
  TokenSpending,
} from '../ports/records.ts'
import { createPatience } from './patience.ts'
import {
  attemptColumns,
  insertText,
  requestColumns,
  reservationColumns,
} from './request-columns.ts'
import { createDayName, createSpending } from './spending.ts'

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

const setAside =
  'UPDATE account SET reserved_nano = reserved_nano + $byNano WHERE id = $accountId ' +
  'AND balance_nano + credit_limit_nano - reserved_nano >= $byNano'

const setFree =
  'UPDATE account SET reserved_nano = reserved_nano - $amountNano WHERE id = $accountId'

const endReservation =
  'DELETE FROM reservation WHERE request_id = ? ' +
  'RETURNING account_id AS accountId, amount_nano AS amountNano'

const growReservation =
  'UPDATE reservation SET amount_nano = amount_nano + $byNano WHERE request_id = $requestId'

type Share = { readonly accountId: number; readonly amountNano: number }

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
    setAside: db.prepare<void, [{ accountId: number; byNano: number }]>(setAside),
    setFree: db.prepare<void, [Share]>(setFree),
    insertReservation: db.prepare<void, [Named<Reservation>]>(
      insertText('reservation', reservationColumns),
    ),
    endReservation: db.prepare<Share, [string]>(endReservation),
    growReservation: db.prepare<void, [Named<Growth>]>(growReservation),
  }
}

/**
 * The hot path's writing, in prepared statements. Throws and stores nothing when a charge is no
 * whole number of nano-USD or a balance would leave the integers that are exact.
 */
export function createCommit(db: Database, clock: Clock): (batch: Batch) => Promise<Committed> {
  const statements = prepareStatements(db)
  const spending = createSpending(db)
  const dayName = createDayName()

  function charge(request: RequestRow, now: number): void {
    const balanceNano = statements.takeFromBalance.get(request)?.balanceNano
    if (balanceNano === undefined || !Number.isSafeInteger(balanceNano)) {
      throw new RangeError(
        `Request ${request.requestId}: charging ${request.amountNano} nano-USD would take the ` +
          `balance of account ${request.accountId} out of the range that is counted exactly.`,
      )
    }
    statements.addCharge.run({ ...request, now, balanceNano })
  }

  function release(requestId: string): void {
    const share = statements.endReservation.get(requestId)
    if (share && share.amountNano > 0) statements.setFree.run(share)
  }

  function settle({ request, attempts }: Settlement, now: number): void {
    const { amountNano } = request
    if (!Number.isSafeInteger(amountNano) || amountNano < 0) {
      throw new RangeError(
        `Request ${request.requestId}: its charge is ${amountNano} nano-USD, but a charge is a ` +
          'whole number from 0 to 2^53 - 1.',
      )
    }
    release(request.requestId)
    const row = statements.insertRequest.get(request)
    if (row === null) return
    attempts.forEach((attempt, position) => {
      statements.insertAttempt.run({ ...attempt, request_row: row.id, position })
    })
    const pricedModel = request.priceId === null ? '' : (request.model ?? '')
    statements.addUsage.run({ ...request, day: dayName(request.createdAt), pricedModel })
    if (amountNano > 0) charge(request, now)
  }

  /** False when the account can't cover it. */
  function reserve(reservation: Reservation): boolean {
    const { accountId, amountNano: byNano } = reservation
    if (byNano > 0 && statements.setAside.run({ accountId, byNano }).changes === 0) return false
    statements.insertReservation.run(reservation)
    return true
  }

  /** False when the account can't cover it, or when there is nothing (any more) that could grow. */
  function grow(growth: Growth): boolean {
    const { accountId, byNano } = growth
    if (statements.setAside.run({ accountId, byNano }).changes === 0) return false
    if (statements.growReservation.run(growth).changes === 1) return true
    statements.setFree.run({ accountId, amountNano: byNano })
    return false
  }

  const commitAll = db.transaction((batch: Batch): Committed => {
    const accounts = new Set<number>()
    const tokens = new Map<number, TokenSpending>()
    const denied = new Set<string>()
    const now = clock()
    for (const settlement of batch.settle ?? []) {
      settle(settlement, now)
      accounts.add(settlement.request.accountId)
    }
    for (const requestId of batch.release ?? []) release(requestId)
    for (const reservation of batch.reserve ?? []) {
      if (!reserve(reservation)) denied.add(reservation.requestId)
      accounts.add(reservation.accountId)
    }
    for (const growth of batch.grow ?? []) {
      if (!grow(growth)) denied.add(growth.requestId)
      accounts.add(growth.accountId)
    }
    for (const { request, hasBudget } of batch.settle ?? []) {
      const { tokenId } = request
      if (!hasBudget || tokens.has(tokenId)) continue
      tokens.set(tokenId, { tokenId, spent: spending(tokenId, dayName(now)) })
    }
    return {
      denied,
      accounts: [...accounts].map((accountId) => ({
        accountId,
        balanceNano: statements.readBalance.get(accountId)?.balanceNano ?? 0,
      })),
      tokens: [...tokens.values()],
    }
  })

  const patiently = createPatience(db)
  return (batch) => patiently(() => commitAll.immediate(batch))
}
