import { countTokens } from '../../src/app/count-tokens.ts'
import type { Caller } from '../../src/gateway/admit/authenticate.ts'
import { createOrigins } from '../../src/gateway/admit/origins.ts'
import { checkBody, type RequestBody } from '../../src/gateway/body/body.ts'
import { unshortened } from '../../src/gateway/body/outline.ts'
import type { Exchange } from '../../src/gateway/exchange.ts'
import { reserveMoney } from '../../src/gateway/money/afford.ts'
import { createCommitter } from '../../src/gateway/money/committer.ts'
import type { CountTokens } from '../../src/gateway/money/estimate.ts'
import { createLeases } from '../../src/gateway/money/leases.ts'
import { createMeter } from '../../src/gateway/money/meter.ts'
import { createReservations } from '../../src/gateway/money/reservations.ts'
import { settle } from '../../src/gateway/money/settle.ts'
import { noHeartbeat } from '../../src/gateway/relay/heartbeat.ts'
import { createRelay } from '../../src/gateway/relay/relay.ts'
import { createRefusalLimit } from '../../src/gateway/request-log.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { Operation } from '../../src/protocols/protocol.ts'
import { createSseSplitter } from '../../src/protocols/sse.ts'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'
import type { Spool } from '../../src/store/ports/records.ts'
import { type Dialect, dialects } from '../e2e/dialects.ts'
import {
  accountWrite,
  channelWrite,
  groupWrite,
  now,
  priceWrite,
  tokenWrite,
} from '../store/support.ts'
import { openStore } from '../support/empty-store.ts'
import { createExchange, plainTerms } from './exchange-parts.ts'
import { createLendingStore } from './lending-store.ts'
import { protocols } from './relay-scene.ts'

/** What the one request is, and what its account has. */
export interface MoneyOptions {
  readonly balanceNano: number
  readonly creditLimitNano?: number
  /** Its store lends: see `lender` of the scene. */
  readonly lends?: boolean
  readonly spool?: Spool
  /** What its token allows for one request. */
  readonly maxCostNano?: number
  readonly terms?: PriceTerms
  readonly dialect?: Dialect
  readonly count?: CountTokens
  readonly usualOutputTokens?: number
  /** Fields of the request beside its question. */
  readonly more?: object
  readonly stream?: boolean
  /** What is asked for instead of the dialect's own, with its body. */
  readonly operation?: Operation
  readonly value?: Readonly<Record<string, unknown>>
  readonly onDisconnect?: 'bill_observed' | 'drain'
  /** The upstream's name of its model; by default one that is known not to reason. */
  readonly upstreamModel?: string
}

/** What of the gateway deals with money, on a store in memory, for one request of one account. */
export async function createMoneyScene(options: MoneyOptions) {
  const { dialect = dialects.chat, terms = plainTerms, count = countTokens } = options
  const { usualOutputTokens = 4096, creditLimitNano = 0, stream = true } = options
  const store = await openStore(() => now)
  await store.admin.write({
    channels: [channelWrite()],
    groups: [groupWrite()],
    prices: [priceWrite('small', terms)],
    accounts: [accountWrite({ openingNano: options.balanceNano, creditLimitNano })],
    tokens: [tokenWrite({ maxCostNano: options.maxCostNano ?? null })],
  })
  const log = createLogger({ sink() {}, pretty: false, clock: () => now, level: 'error' })
  if (options.lends) await store.nodes.register({ name: 'leases', version: '1' })
  const lender = options.lends ? createLendingStore(store) : undefined
  const time = { tick: 0 }
  const source = lender?.records.leases
  const leases =
    source &&
    createLeases(
      source,
      () => time.tick,
      () => committer.commitWishes(),
    )
  const committer = createCommitter(
    lender?.records ?? store.records,
    (batch, committed) => reservations.committed(batch, committed),
    log,
    options.spool,
    leases,
  )
  const reservations = createReservations(
    () => committer,
    () => '2026-11-21',
    { leases },
  )
  const parts = {
    ...{ committer, reservations, log, countTokens: count },
    origins: createOrigins(
      store.answers,
      (key) => key,
      () => [],
    ),
    refusals: createRefusalLimit(),
    availability: { record() {} },
    tick: () => 0,
    usualOutputTokens: () => usualOutputTokens,
    currentCaller: (caller: Caller) => caller,
  }
  const { protocol, operation: usual } = protocols[dialect.name]
  const { operation = usual } = options
  const asked = options.value ?? dialect.request(stream)
  const value = { ...asked, ...options.more } as Record<string, unknown>
  const { onDisconnect = 'bill_observed' } = options
  const made = await createExchange({
    ...{ protocol, operation, body: value, terms, onDisconnect },
    ...(options.upstreamModel && { upstreamModel: options.upstreamModel }),
  })
  const token = await store.tokens.findByHash('hash-1')
  if (!token) throw new Error('There is no token.')
  const caller = { ...made.caller, token, account: { ...token.account } }
  const bytes = Buffer.from(JSON.stringify(value))
  const parsed = { bytes, contentType: 'application/json', fields: undefined }
  const read = checkBody({ ...parsed, ...unshortened(value) }, operation)
  const body: RequestBody = { ...read, facts: { ...read.facts, stream } }
  const exchange: Exchange = Object.assign(made.exchange, { caller, facts: body.facts })

  const sum = async () => {
    const account = await store.admin.account('ann@example.com')
    return { balanceNano: account?.balanceNano, reservedNano: account?.reservedNano }
  }

  return {
    ...{ store, parts, exchange, caller, body, reservations, committer, lender, leases, time },
    reserveMoney: () => reserveMoney(parts, exchange, body),
    sum,
    /** Relays a stream to a client that reads all, as the gateway does; gives what it came to. */
    async play(chunks: Iterable<Uint8Array>) {
      await reserveMoney(parts, exchange, body)
      await exchange.reservation?.ensureStored()
      const { requestId } = exchange
      let heldNano = 0
      const pulled = toReader(chunks)
      const first = await pulled.read()
      const generator = createRelay({
        exchange,
        answer: {
          ...{ kind: 'stream', contentType: 'text/event-stream', expiry: () => undefined },
          ...{ first: first.value ?? new Uint8Array(0), reader: pulled, finish: () => {} },
          ...{ translator: undefined, framing: 'sse' },
          observer: operation.createObserver(),
          watch: { touched() {}, paused() {}, passedOn() {}, heldUpMs: () => 0, stop() {} },
          signal: new AbortController().signal,
        },
        splitter: createSseSplitter(),
        hideUsage: false,
        meter: createMeter(parts, exchange),
        heartbeat: noHeartbeat,
        settle(end, seen, isDelivered) {
          heldNano = reservations.heldFor(requestId)
          return settle(parts, exchange, end, seen, isDelivered)
        },
      })
      const shown: Uint8Array[] = []
      for await (const bytesOut of generator) shown.push(bytesOut)
      await committer.idle()
      const rows = await store.records.receipt(requestId)
      if (!rows) throw new Error('The request left no record.')
      const text = new TextDecoder().decode(Buffer.concat(shown))
      return { text, heldNano, request: rows.request }
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** What `createMoneyScene` gives. */
export type MoneyScene = Awaited<ReturnType<typeof createMoneyScene>>

function toReader(chunks: Iterable<Uint8Array>) {
  const source = chunks[Symbol.iterator]()
  return {
    async read() {
      const { done, value } = source.next()
      return done ? { done: true as const, value: undefined } : { done: false as const, value }
    },
    async cancel() {},
  }
}
