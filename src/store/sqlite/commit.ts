import type { Database } from 'bun:sqlite'
import { eachPaid, type Purse, purseOfBudget, shortPurse } from '../../leases/purse.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import { type BackgroundAnswer, firstLookMs, type KeptAnswer } from '../ports/answers.ts'
import type {
  AttemptRow,
  Batch,
  Committed,
  Growth,
  MoneyLimit,
  RequestRow,
  Reservation,
  Settlement,
  TokenSpending,
} from '../ports/records.ts'
import { checkCharge } from '../queries/ledger.ts'
import {
  attemptFields,
  backgroundFields,
  insertText,
  requestFields,
  reservationFields,
} from '../schema/columns.ts'
import type { Checkpointer } from './checkpointer.ts'
import type { Access } from './file.ts'
import { createLeases } from './leases.ts'
import { type AccountTotals, createOpenAccounts } from './open-accounts.ts'
import { createBudgetRooms, createOpenRequests } from './rooms.ts'
import { createDailySums, createKnownSpending } from './sums.ts'

/** A row as named parameters: an interface has no index signature, a mapped type may have one. */
export type Named<Row> = { [Name in keyof Row]: Row[Name] }

type Share = Pick<Reservation, 'accountId' | 'tokenId' | 'amountNano'>
/** `over`: its request has ended, which says nothing of money. */
type Denial = MoneyLimit | 'busy' | 'over' | undefined

type SweptRow = Pick<RequestRow, 'createdAt' | 'tokenId' | 'model' | 'priceId' | 'cause'>

function prepareStatements(db: Database) {
  return {
    insertRequest: db.prepare<void, [Named<RequestRow>]>(
      `${insertText('request', Object.keys(requestFields))} ON CONFLICT (request_id) DO NOTHING`,
    ),
    /** A request that a sweep has closed: nobody knew more of it. */
    removeSwept: db.prepare<SweptRow, [string]>(
      `DELETE FROM request WHERE request_id = ? AND ending = 'interrupted' RETURNING
        created_at AS createdAt, token_id AS tokenId, model, price_id AS priceId, cause`,
    ),
    insertAttempt: db.prepare<void, [Named<AttemptRow & { requestRow: number; position: number }>]>(
      insertText('attempt', ['requestRow', 'position', ...Object.keys(attemptFields)]),
    ),
    addCharge: db.prepare<void, [number, number, number, string, number]>(
      `INSERT INTO ledger (created_at, account_id, kind, amount_nano, request_id,
        balance_after_nano) VALUES (?, ?, 'charge', ?, ?, ?)`,
    ),
    insertReservation: db.prepare<void, [Named<Reservation>]>(
      insertText('reservation', Object.keys(reservationFields)),
    ),
    findRequest: db.prepare<object, [string]>('SELECT 1 FROM request WHERE request_id = ?'),
    findReservation: db.prepare<Share, [string]>(
      `SELECT account_id AS accountId, token_id AS tokenId, amount_nano AS amountNano
        FROM reservation WHERE request_id = ?`,
    ),
    endReservation: db.prepare<void, [string]>('DELETE FROM reservation WHERE request_id = ?'),
    holdReservation: db.prepare<void, [{ requestId: string; askedId: string }]>(
      'UPDATE reservation SET request_id = $requestId WHERE request_id = $askedId',
    ),
    insertBackground: db.prepare<void, [Named<BackgroundAnswer & { dueAt: number }>]>(
      `${insertText('background_answer', [...Object.keys(backgroundFields), 'dueAt'])}
        ON CONFLICT (request_id) DO NOTHING`,
    ),
    endBackground: db.prepare<void, [string]>('DELETE FROM background_answer WHERE request_id = ?'),
    insertKept: db.prepare<void, [Named<KeptAnswer>]>(
      `INSERT INTO kept_answer (answer_id, account_id, channel_id, key_mark, context_tokens,
        created_at) VALUES ($id, $accountId, $channelId, $keyMark, $contextTokens, $createdAt)
      ON CONFLICT (answer_id, account_id) DO UPDATE SET channel_id = excluded.channel_id,
        key_mark = excluded.key_mark, context_tokens = excluded.context_tokens,
        created_at = excluded.created_at`,
    ),
    growReservation: db.prepare<void, [{ requestId: string; byNano: number }]>(
      'UPDATE reservation SET amount_nano = amount_nano + $byNano WHERE request_id = $requestId',
    ),
  }
}

/**
 * The hot path's writing, in prepared statements; accounts and daily sums are written once a batch.
 * Throws and stores nothing when an amount is out of range.
 */
export function createCommit(
  db: Database,
  clock: Clock,
  checkpointer: Checkpointer,
  access: Access,
): (batch: Batch) => Promise<Committed> {
  const statements = prepareStatements(db)
  const openAccounts = createOpenAccounts(db)
  const dailySums = createDailySums(db)
  const spending = createKnownSpending(db)
  const openRequests = createOpenRequests(db)
  let today = ''
  let isAlone = false
  const budgetRooms = createBudgetRooms(
    db,
    (tokenId) => spending.get(tokenId, today),
    (tokenId) => leases.leaseNano(purseOfBudget(tokenId)),
  )
  const leases = createLeases(db, openAccounts, budgetRooms)

  function charge(request: RequestRow, account: AccountTotals, now: number): void {
    const { requestId, accountId, amountNano } = request
    account.balanceNano -= amountNano
    if (!Number.isSafeInteger(account.balanceNano)) {
      throw new RangeError(
        `Request ${requestId}: charging ${amountNano} nano-USD would take the balance of account ` +
          `${accountId} out of the range that is counted exactly.`,
      )
    }
    statements.addCharge.run(now, accountId, -amountNano, requestId, account.balanceNano)
  }

  /** Most requests end before their reservation was stored: looking costs less than removing. */
  function release(requestId: string): void {
    const share = statements.findReservation.get(requestId)
    if (share === null) return
    statements.endReservation.run(requestId)
    openAccounts.get(share.accountId).reservedNano -= share.amountNano
  }

  /** The reservation of the request moves to the charge of its answer. */
  function begin(begun: BackgroundAnswer, now: number): void {
    const { requestId, askedId, accountId } = begun
    if (statements.findRequest.get(requestId) !== null) return
    statements.holdReservation.run({ requestId, askedId })
    openRequests.move(accountId, askedId, requestId)
    statements.insertBackground.run({ ...begun, dueAt: now + firstLookMs })
  }

  function settle(settlement: Settlement, now: number): void {
    const { request, attempts, kept, begun, endsBackground } = settlement
    const { amountNano } = request
    checkCharge(request)
    const account = openAccounts.get(request.accountId)
    eachPaid(settlement, noteLease)
    if (begun) begin(begun, now)
    if (endsBackground) statements.endBackground.run(request.requestId)
    if (kept) for (const one of kept) statements.insertKept.run(one)
    if (!settlement.neverReserved) release(request.requestId)
    const isWhole = request.extrasJson !== undefined && request.stateJson !== undefined
    const row = isWhole ? request : { extrasJson: null, stateJson: null, ...request }
    let inserted = statements.insertRequest.run(row)
    if (inserted.changes === 0) {
      // The process was taken for dead, and comes back with what was delivered: that is what counts.
      const swept = statements.removeSwept.get(request.requestId)
      if (swept === null) return
      dailySums.takeOut(swept)
      inserted = statements.insertRequest.run(row)
    }
    const requestRow = Number(inserted.lastInsertRowid)
    let position = 0
    for (const attempt of attempts) {
      statements.insertAttempt.run({ keyMark: null, ...attempt, requestRow, position })
      position++
    }
    dailySums.add(request)
    if (amountNano > 0) charge(request, account, now)
    eachPaid(settlement, leases.pay)
  }

  /** Of a request that is stored already, too. */
  const noteLease = (purse: Purse) => leases.pay(purse, 0)

  /** What can't cover it; undefined: it is set aside. */
  function reserveNano({ accountId, tokenId, amountNano }: Share): Denial {
    if (amountNano === 0) return undefined
    const account = openAccounts.get(accountId)
    const freeNano = account.balanceNano + account.creditLimitNano - account.reservedNano
    const budgetNano = isAlone ? Number.POSITIVE_INFINITY : budgetRooms.of(tokenId)
    if (Math.min(freeNano, budgetNano) < amountNano)
      return budgetNano < freeNano ? 'budget' : 'balance'
    account.reservedNano += amountNano
    if (!isAlone) budgetRooms.take(tokenId, amountNano)
    return undefined
  }

  /** Denied also when the request has ended: nobody would end its reservation. A repeat is not. */
  function reserve(reservation: Reservation): Denial {
    const { requestId, accountId, isOpen } = reservation
    openAccounts.get(accountId) // whatever becomes of it, its figures are told
    if (statements.findReservation.get(requestId) !== null) return undefined
    if (statements.findRequest.get(requestId) !== null) return 'over'
    if (isOpen && openRequests.isBusy(accountId)) return 'busy'
    const denial = reserveNano(reservation)
    if (denial) return denial
    statements.insertReservation.run(reservation)
    if (isOpen) openRequests.note(accountId, requestId)
    return undefined
  }

  /** Denied also when there is nothing (any more) that could grow. A repeat grows by what is missing. */
  function grow({ requestId, accountId, byNano, fromNano }: Growth): Denial {
    openAccounts.get(accountId)
    const share = statements.findReservation.get(requestId)
    if (share?.accountId !== accountId) return 'over'
    const isRepeat = fromNano !== undefined && share.amountNano > fromNano
    const moreNano = isRepeat ? fromNano + byNano - share.amountNano : byNano
    if (isRepeat && moreNano <= 0) return undefined
    const denial = reserveNano({ ...share, amountNano: moreNano })
    if (denial === undefined) statements.growReservation.run({ requestId, byNano: moreNano })
    return denial
  }

  function spendings(settled: readonly Settlement[]): readonly TokenSpending[] {
    const tokenIds = new Set(settled.map(({ request }) => request.tokenId))
    return [...tokenIds]
      .filter(budgetRooms.has)
      .map((tokenId) => ({ tokenId, spent: spending.get(tokenId, today) }))
  }

  const commitAll = db.transaction((batch: Batch): Committed => {
    const { settle: settled = [], release: released = [] } = batch
    const denied = new Map<string, MoneyLimit | 'busy'>()
    const short = new Set<Purse>()
    const deny = (one: Growth | Reservation, denial: Denial) => {
      if (denial) denied.set(one.requestId, denial === 'over' ? 'balance' : denial)
      if (denial === 'balance' || denial === 'budget') short.add(shortPurse(one, denial))
    }
    const now = clock()
    today = utcDay(now)
    isAlone = batch.isAlone ?? false
    openAccounts.forget()
    dailySums.forget()
    leases.forget()
    for (const settlement of settled) settle(settlement, now)
    for (const requestId of released) release(requestId)
    dailySums.write()
    spending.add(dailySums.all())
    budgetRooms.forget()
    for (const wish of batch.leases ?? []) leases.grant(wish)
    const gone = new Set(released)
    for (const one of batch.reserve ?? [])
      deny(one, gone.has(one.requestId) ? 'over' : reserve(one))
    for (const one of batch.grow ?? []) deny(one, grow(one))
    return {
      denied,
      leases: leases.write(),
      recalled: [...short].filter((purse) => leases.leaseNano(purse) > 0),
      accounts: openAccounts.write(),
      tokens: spendings(settled),
    }
  })

  function commitWhole(batch: Batch): Committed {
    try {
      const committed = commitAll.immediate(batch)
      checkpointer.count()
      return committed
    } catch (error) {
      spending.forget()
      throw error
    }
  }

  return async (batch) => {
    while (checkpointer.lastStep) await checkpointer.lastStep
    return await access(() => commitWhole(batch))
  }
}
