import { buildCatalog } from '../../src/catalog/catalog.ts'
import type { Caller } from '../../src/gateway/admit/authenticate.ts'
import { bodyFacts } from '../../src/gateway/body/body.ts'
import { Exchange } from '../../src/gateway/exchange.ts'
import { Roster } from '../../src/lib/roster.ts'
import type { Operation, Protocol } from '../../src/protocols/protocol.ts'
import type { PriceTerms } from '../../src/store/ports/catalog.ts'
import { now, seed } from '../store/support.ts'
import { openStore } from '../support/empty-store.ts'

export interface ExchangeOptions {
  readonly protocol: Protocol
  readonly operation: Operation
  readonly body: { readonly [field: string]: unknown }
  readonly onDisconnect?: 'bill_observed' | 'drain'
  readonly terms?: PriceTerms
  /** The upstream's name of its model; by default one that is known not to reason. */
  readonly upstreamModel?: string
}

/** 1 USD in and 2 USD out per million. */
export const plainTerms: PriceTerms = {
  unit: 'tokens',
  base: {
    input: 1_000_000,
    output: 2_000_000,
    cacheRead: null,
    cacheWrite: null,
    cacheWrite1h: null,
  },
  tiers: [],
}

async function readSeed() {
  const store = await openStore(() => now)
  await seed(store)
  const catalog = buildCatalog(
    await store.catalog.load(),
    () => ['key'],
    () => '',
  )
  const token = await store.tokens.findByHash('hash-1')
  await store.close()
  return { catalog, token }
}

/** Read once for all tests: none of them changes it. */
let seedRead: ReturnType<typeof readSeed> | undefined

/** An exchange as far as the upstream's answer, of the token and model that `seed` makes. */
export async function createExchange(options: ExchangeOptions) {
  const { protocol, operation, body, onDisconnect = 'bill_observed', terms = plainTerms } = options
  const { upstreamModel = 'gpt-4o' } = options
  seedRead ??= readSeed()
  const { catalog, token } = await seedRead
  const seeded = catalog.groups.get(1)
  const sold = seeded?.offers.get('small')
  const [candidate] = sold?.candidates ?? []
  if (!token || !seeded || !sold || !candidate) throw new Error('The seed has changed.')
  const group = { ...seeded, onDisconnect }
  const offer = { ...sold, price: { ...sold.price, terms } }
  const caller: Caller = {
    token,
    keyHash: 'hash-1',
    ipAllow: [],
    models: new Set(),
    account: { ...token.account },
    spending: undefined,
  }
  const made = new Exchange(
    {
      protocol,
      operation,
      request: new Request('http://gateway.example/'),
      framing: 'sse',
      model: 'small',
      peer: () => '',
      geminiPath: false,
      limitSilence() {},
    },
    {
      clock: () => now,
      tick: () => 1000,
      gatekeeper: { address: () => '' },
      slots: { release() {} },
      memory: { end() {} },
    },
    new Roster<Exchange>(),
  )
  const exchange = Object.assign(made, {
    requestId: 'req_1',
    caller,
    facts: bodyFacts(operation.read(body)),
    plan: { group, offer },
    candidate: { ...candidate, upstreamModel },
    upstreamKey: 'key',
    route: { protocol, operation, framing: 'sse', translation: undefined } as const,
    mayBill: true,
  })
  return { exchange: exchange as Exchange, caller }
}
