import { charge } from '../../billing/charge.ts'
import { createAvailability } from '../../gateway/availability/availability.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { emptyUsage, type Usage } from '../../protocols/canonical/usage.ts'
import { encodeUsage as encodeChatUsage } from '../../protocols/chat/usage.ts'
import { encodeUsage as encodeGeminiUsage } from '../../protocols/gemini/usage.ts'
import { encodeMessagesUsage } from '../../protocols/messages/usage.ts'
import type { ProtocolName } from '../../protocols/protocol.ts'
import { encodeResponsesUsage } from '../../protocols/responses/usage.ts'
import type { CatalogRows } from '../../store/ports/catalog.ts'
import type { AttemptRow, RequestRow, Reservation, Settlement } from '../../store/ports/records.ts'
import type { Store } from '../../store/ports/store.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import { applyConfig } from '../apply.ts'
import type { Config } from '../config/config.ts'
import { demoAdmin, secondChannel } from './config.ts'
import { endOf, madeUpCustomers, type PlannedRequest, planWeek } from './week-plan.ts'

interface WeekParts {
  readonly path: string
  readonly config: Config
  readonly secrets: Parameters<typeof applyConfig>[0]['secrets']
  readonly clock: Clock
  readonly log: Logger
}

/** How much time goes by in one commit. */
const stepMs = 3_600_000
/** Accounts and prices are older than the first request. */
const earlierMs = 3_600_000

/**
 * Fills a new database with a week of made-up requests, as the gateway would have stored them: through the
 * store's own commits, with a clock in the past. Their ids begin with `req_madeup`.
 */
export async function makeUpWeek({ path, config, secrets, clock, log }: WeekParts): Promise<void> {
  const week = planWeek(clock())
  const [first] = week
  if (first === undefined) return
  let now = first.startedAt - earlierMs
  const past = () => now
  const store = openSqliteStore({ path, clock: past })
  const availability = createAvailability({
    ...{ store: store.availability, clock: past, log, repeat: () => () => {} },
  })
  try {
    await applyConfig({ store, secrets }, config, { prune: false })
    const facts = await findFacts(store)
    await topUp(store)
    for (const step of stepsOf(week)) {
      const made = step.map((one) => ({ one, settlement: settlementOf(one, facts) }))
      now = step[0]?.startedAt ?? now
      await store.records.commit({ reserve: made.flatMap(({ settlement }) => held(settlement)) })
      // Availability of the past is kept by hours: so many minutes need not be stored.
      for (const { one, settlement } of made) {
        const outcome = outcomeOf(one, settlement.request)
        if (outcome) availability.record(outcome)
      }
      now = Math.max(...step.map(endOf))
      await store.records.commit({ settle: made.map(({ settlement }) => settlement) })
    }
  } finally {
    await availability.stop()
    await store.close()
  }
}

/** Gives the ledger and the audit something that an operator did. */
async function topUp({ admin }: Store): Promise<void> {
  for (const { email } of madeUpCustomers)
    await admin.adjust({
      ...{ account: email, kind: 'credit', amountNano: 5_000_000_000, actor: demoAdmin },
      ...{ reason: 'Top-up (made up)', idempotencyKey: null, mayOverdraw: false },
    })
}

function* stepsOf(week: readonly PlannedRequest[]): Generator<readonly PlannedRequest[]> {
  const steps = Map.groupBy(week, (one) => Math.floor(endOf(one) / stepMs))
  yield* steps.values()
}

interface Facts {
  readonly catalog: CatalogRows
  readonly tokens: ReadonlyMap<string, { readonly id: number; readonly accountId: number }>
}

async function findFacts({ admin, catalog }: Store): Promise<Facts> {
  const accounts = await admin.accountsNamed(madeUpCustomers.map(({ email }) => email))
  const accountIds = new Map(accounts.map(({ email, id }) => [email, id]))
  const tokens = (await admin.tokens({ afterId: 0, limit: 100 })).map(
    ({ name, id, account }) => [name, { id, accountId: accountIds.get(account) ?? 0 }] as const,
  )
  return { catalog: await catalog.load(), tokens: new Map(tokens) }
}

/** What a request reserves: some more than it will cost. */
function held({ request }: Settlement): readonly Reservation[] {
  const { requestId, createdAt, accountId, tokenId, groupId, model, clientProtocol } = request
  const { operation, stream, priceId, multiplierMillionths, amountNano } = request
  if (priceId === null) return []
  return [
    {
      ...{ requestId, createdAt, accountId, tokenId, groupId, model, clientProtocol, operation },
      ...{ stream, priceId, multiplierMillionths, amountNano: amountNano * 2 },
    },
  ]
}

const encoders = {
  chat: encodeChatUsage,
  responses: encodeResponsesUsage,
  messages: encodeMessagesUsage,
  gemini: encodeGeminiUsage,
} satisfies Record<ProtocolName, (usage: Usage) => object>

const operations = {
  ...{ chat: 'completions', responses: 'responses', messages: 'messages', gemini: 'generate' },
} satisfies Record<ProtocolName, string>

type End = Pick<RequestRow, 'ending' | 'status' | 'cause' | 'causeText'>

/** What came of each turn. */
const endings: Readonly<Record<PlannedRequest['turn'], End>> = {
  answered: { ending: 'complete', status: 200, cause: null, causeText: null },
  retried: { ending: 'complete', status: 200, cause: null, causeText: null },
  left: { ending: 'client_left', status: 200, cause: 'client_left', causeText: null },
  failed: {
    ...{ ending: 'failed', status: 502, cause: 'upstream_overloaded' },
    causeText: 'The upstream is overloaded. (made up)',
  },
  unknown: {
    ...{ ending: 'refused', status: 404, cause: 'model_not_found' },
    causeText: 'This token can not use the model gpt-4o-mini. (made up)',
  },
}

function settlementOf(one: PlannedRequest, { catalog, tokens }: Facts): Settlement {
  const { customer, model, startedAt, turn, durationMs, stream } = one
  const token = tokens.get(customer.token)
  const group = catalog.groups.find(({ name }) => name === customer.group)
  if (!token || !group) throw new Error(`the demo lacks the token ${customer.token}`)
  const channels = catalog.channels.filter(({ models }) => models.some(({ id }) => id === model))
  const channel = channels[turn === 'retried' ? channels.length - 1 : 0]
  const price = catalog.prices.find((row) => row.model === model && channel !== undefined)
  if (channel && !price) throw new Error(`the demo lacks a price of ${model}`)
  const { usage, isEstimated } = usageOf(one)
  const calls = usage === emptyUsage ? 0 : 1
  const { multiplierMillionths, longContextPricing } = group
  const { protocol } = customer
  const upstream = channel && protocolOf(channel.speaks, protocol)
  const terms = price?.terms ?? { unit: 'free' as const }
  const usageRaw = usage === emptyUsage || isEstimated ? null : reported(upstream, usage)
  const request: RequestRow = {
    requestId: madeUpId(startedAt),
    ...{ createdAt: startedAt, accountId: token.accountId, tokenId: token.id },
    ...{ groupId: group.id, model, upstreamModel: channel ? model : null },
    ...{ channelId: channel?.id ?? null, clientProtocol: protocol },
    ...{ upstreamProtocol: upstream ?? null, operation: operations[protocol], stream },
    ...{ ...endings[turn], ...usage, calls, estimated: isEstimated, clamped: false, usageRaw },
    ...{ priceId: price?.id ?? null, longContextPricing, multiplierMillionths },
    ...charge({ terms, usage, calls, multiplierMillionths, longContextPricing, vendor: undefined }),
    firstByteMs: turn === 'failed' || turn === 'unknown' ? null : one.firstByteMs,
    durationMs,
  }
  return { request, attempts: attemptsOf(one, request, channels) }
}

/** A request id with its time, as of the gateway, but to be told apart from one everywhere. */
const madeUpId = (timeMs: number) =>
  `req_madeup_${Bun.randomUUIDv7('hex', timeMs).replaceAll('-', '')}`

function usageOf({ turn, inputTokens, outputTokens, cachedTokens }: PlannedRequest) {
  const isEstimated = turn === 'left'
  if (turn === 'failed' || turn === 'unknown') return { usage: emptyUsage, isEstimated }
  const usage: Usage = {
    ...{ ...emptyUsage, inputTokens, outputTokens, cacheReadTokens: cachedTokens },
  }
  return { usage, isEstimated }
}

/** The protocol that a channel is asked in: the client's own, if it speaks that. */
const protocolOf = (speaks: object, client: ProtocolName): ProtocolName =>
  client in speaks
    ? client
    : ((Object.keys(encoders) as ProtocolName[]).find((name) => name in speaks) ?? client)

const reported = (protocol: ProtocolName | undefined, usage: Usage) =>
  JSON.stringify({ ...encoders[protocol ?? 'chat'](usage), made_up: true })

function attemptsOf(
  { turn, startedAt, firstByteMs, durationMs }: PlannedRequest,
  { usageRaw, channelId }: RequestRow,
  channels: CatalogRows['channels'],
): readonly AttemptRow[] {
  if (channelId === null) return []
  const common = { startedAt, upstreamRequestId: null, usageRaw: null }
  const overloaded = { ...common, status: 503, cause: 'upstream_overloaded', firstByteMs: null }
  const answered = { ...common, channelId, status: 200, cause: null, firstByteMs, durationMs }
  if (turn === 'retried') {
    const [first] = channels.filter(({ name }) => name !== secondChannel)
    const refused = { ...overloaded, channelId: first?.id ?? channelId, durationMs: 120 }
    return [refused, { ...answered, startedAt: startedAt + 120, usageRaw }]
  }
  if (turn === 'failed') return [{ ...overloaded, channelId, durationMs }]
  return [{ ...answered, usageRaw }]
}

function outcomeOf({ turn, firstByteMs, durationMs, stream }: PlannedRequest, row: RequestRow) {
  if (turn === 'unknown' || row.model === null) return undefined
  const isTimed = stream && turn !== 'failed'
  return {
    groupId: row.groupId,
    model: row.model,
    fault: turn === 'failed' ? ('upstream' as const) : null,
    firstByteMs: isTimed ? firstByteMs : null,
    outputTokens: row.outputTokens,
    generationMs: isTimed ? durationMs - firstByteMs : null,
  }
}
