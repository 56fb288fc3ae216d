import { type ClientAttempt, type ClientRequest, clientRows } from '../../billing/receipt/client.ts'
import {
  type AvailabilityFigures,
  addCounts,
  emptyCounts,
  windowStart,
} from '../../catalog/availability.ts'
import type { Catalog, Group } from '../../catalog/catalog.ts'
import { seenBy } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AdminStore, StoredAccount, TokenView } from '../../store/ports/admin.ts'
import {
  type AvailabilityCounts,
  type AvailabilityStore,
  type BucketSize,
  bucketMs,
} from '../../store/ports/availability.ts'
import type { CoolingId } from '../../store/ports/counters.ts'
import { mayUse } from '../../store/ports/group-access.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import type { ReceiptRows, StateThen, TokenSpending } from '../../store/ports/records.ts'
import type { FindChannelKeys } from '../channels/keys.ts'
import { creditBefore, type TokenThen, tokenBefore } from './then.ts'

export interface FactParts {
  readonly accounts: Pick<AdminStore, 'accountsNamed' | 'tokens' | 'spending'>
  readonly lists: Pick<ListStore, 'audit' | 'ledger' | 'tokens'>
  readonly availability: Pick<AvailabilityStore, 'readGroup'>
  /** Calls `work` with the current figures. */
  readonly look: <Result>(work: (figures: AvailabilityFigures) => Result) => Promise<Result>
  readonly catalog: () => Catalog
  /** Whether groups may be named that none of the user's tokens has. */
  readonly showsGroups: () => boolean
  readonly channelKeys: FindChannelKeys
  readonly clock: Clock
}

export interface Asked {
  readonly channel: string
  /** How many keys the channel has now. */
  readonly keys: number
  /** The hint of the key; empty: the channel has it no more. Absent: not known, or all of them. */
  readonly key?: string | undefined
}

export interface Around {
  readonly counts: AvailabilityCounts
  readonly since: number
  readonly until: number
}

export interface Facts {
  readonly now: number
  readonly request: ClientRequest
  readonly attempts: readonly ClientAttempt[]
  /** What each attempt asked; undefined: the reader is no administrator. */
  readonly asked: readonly Asked[] | undefined
  /** The channel and the key of a cooldown. */
  readonly coolingOf: (id: Pick<CoolingId, 'channelId' | 'key'>) => Omit<Asked, 'keys'>
  readonly catalog: Catalog
  /** The request's group as the caller may see it. */
  readonly group: ReturnType<typeof seenBy>
  readonly createdAt: number
  /** What its row says it was judged by. */
  readonly state: StateThen
  /** The token now; undefined: it was removed. */
  readonly token: TokenView | undefined
  /** The token as it was, by the audit; undefined: that is not known. */
  readonly tokenThen: TokenThen | undefined
  /** Somebody has changed the token since the request. */
  readonly isTokenChanged: boolean
  readonly spending: TokenSpending | undefined
  readonly account: StoredAccount | undefined
  /** The balance before the request, in nano-USD; undefined: no entry is that old. */
  readonly balanceThenNano: number | undefined
  /** The account's credit limit then; undefined: not known. */
  readonly creditThenNano: number | undefined
  /** Enabled groups that the account may use. */
  readonly usable: readonly Group[]
  readonly ownGroups: ReadonlySet<string>
  /** The console page of its token. */
  readonly tokenLink: string
  readonly showsGroups: boolean
  readonly around: Around
  readonly lately: AvailabilityCounts
  /** The request's model in the last 24 hours, by group id. */
  readonly ofModel: ReadonlyMap<number, AvailabilityCounts>
}

const maxTokens = 100
/** More changes since a request are not read. */
const mostChanges = 100

/** Reads everything that the steps examine. */
export async function readFacts(
  parts: FactParts,
  rows: ReceiptRows,
  isAdmin: boolean,
): Promise<Facts> {
  const { accounts, lists, catalog, clock } = parts
  const { request, attempts } = clientRows(rows)
  const { accountId, tokenId, createdAt } = request
  const now = clock()
  const state = stateOf(rows)
  const one = { size: 1, isCounted: false }
  const most = { size: mostChanges, isCounted: false }
  const [tokens, [spending], [account], own, ledger, changes, ofAccount, figures] =
    await Promise.all([
      accounts.tokens({ id: tokenId, limit: 1 }),
      accounts.spending([tokenId]),
      accounts.accountsNamed([request.account]),
      lists.tokens({ accountId }, { size: maxTokens, isCounted: false }),
      lists.ledger({ accountId, until: createdAt + 1 }, one),
      lists.audit({ subject: `token ${tokenId}`, action: 'token.set', since: createdAt }, most),
      lists.audit({ subject: request.account, action: 'account.set', since: createdAt }, most),
      parts.look((all) => figuresNow(all, request, catalog(), now)),
    ])
  const group = catalog().groups.get(request.groupId)
  return {
    ...{ now, createdAt, request, attempts, state, catalog: catalog(), spending, account },
    ...(isAdmin ? await upstreamOf(parts, rows, state) : hiddenUpstream),
    group: isAdmin ? group : seenBy(account, group),
    usable: [...catalog().groups.values()].filter(
      ({ enabled, accounts }) => enabled && account !== undefined && mayUse(accounts, account),
    ),
    token: tokens[0],
    tokenThen: tokens[0] && tokenBefore(tokens[0], changes),
    isTokenChanged: changes.rows.length > 0,
    balanceThenNano: ledger.rows[0]?.balanceAfterNano,
    creditThenNano: account && creditBefore(account, ofAccount),
    ownGroups: new Set(own.rows.map(({ group }) => group)),
    tokenLink: isAdmin
      ? `/admin/accounts/${accountId}`
      : tokens[0] === undefined
        ? '/tokens'
        : `/tokens/${tokenId}`,
    showsGroups: isAdmin || parts.showsGroups(),
    around:
      createdAt >= figures.latest.since
        ? figures.latest
        : await readAround(parts.availability, request, now),
    lately: figures.lately,
    ofModel: figures.ofModel,
  }
}

function stateOf({ request: { stateJson } }: ReceiptRows): StateThen {
  return stateJson ? (JSON.parse(stateJson) as StateThen) : {}
}

/** For who may see neither channels nor keys. */
const hiddenUpstream: Pick<Facts, 'asked' | 'coolingOf'> = {
  asked: undefined,
  coolingOf: () => ({ channel: '' }),
}

async function upstreamOf(
  { channelKeys }: FactParts,
  { attempts }: ReceiptRows,
  { cooling = [] }: StateThen,
): Promise<Pick<Facts, 'asked' | 'coolingOf'>> {
  const ids = new Set([...attempts, ...cooling].map(({ channelId }) => channelId))
  const found = await channelKeys([...ids])
  const names = new Map(attempts.map(({ channelId, channel }) => [channelId, channel]))
  const of = (channelId: number, mark: string | null | undefined) => {
    const { name, hints } = found.get(channelId) ?? {}
    return {
      channel: name ?? names.get(channelId) ?? `#${channelId}`,
      keys: hints?.size ?? 0,
      ...(mark && { key: hints?.get(mark) ?? '' }),
    }
  }
  return {
    asked: attempts.map(({ channelId, keyMark }) => of(channelId, keyMark)),
    coolingOf: ({ channelId, key }) => of(channelId, key),
  }
}

/** The figures may change later, so they are copied. */
function figuresNow(
  figures: AvailabilityFigures,
  request: ClientRequest,
  catalog: Catalog,
  now: number,
) {
  const { groupId, model } = request
  const ofModel = new Map<number, AvailabilityCounts>()
  for (const { id, offers } of catalog.groups.values()) {
    const isOffered = model !== null && offers.has(model)
    const counts = isOffered ? figures.counts('24h', id, model) : undefined
    if (counts) ofModel.set(id, copyOf(counts))
  }
  // The last minute is not stored yet.
  const since = windowStart('5m', now)
  const latest: Around = { counts: copyOf(figures.counts('5m', groupId)), since, until: now }
  return { latest, lately: copyOf(figures.counts('1h', groupId)), ofModel }
}

function copyOf(counts: AvailabilityCounts | undefined): AvailabilityCounts {
  const copy = emptyCounts()
  if (counts) addCounts(copy, counts)
  return copy
}

const minutesAround = 10

/** The counts around a request, in the smallest buckets that are still kept. */
async function readAround(
  availability: FactParts['availability'],
  { groupId, createdAt }: ClientRequest,
  now: number,
): Promise<Around> {
  const size = keptSize(now - createdAt)
  const around = size === 'minute' ? minutesAround * bucketMs.minute : 0
  const start = (time: number) => time - (time % bucketMs[size])
  const since = start(createdAt - around)
  const until = start(createdAt + around) + bucketMs[size]
  const sum = emptyCounts()
  for (const bucket of await availability.readGroup(groupId, size, since, until)) {
    addCounts(sum, bucket)
  }
  return { counts: sum, since, until }
}

function keptSize(ageMs: number): BucketSize {
  if (ageMs < 2 * bucketMs.day - bucketMs.hour) return 'minute'
  return ageMs < 34 * bucketMs.day ? 'hour' : 'day'
}
