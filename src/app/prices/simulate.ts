import { charge } from '../../billing/charge.ts'
import { recordedUsage } from '../../billing/extras.ts'
import { vendorExtras } from '../../catalog/vendor-extras.ts'
import type { CatalogStore, PriceTerms } from '../../store/ports/catalog.ts'
import type { Span, StoredRequest } from '../../store/ports/records.ts'
import { percentOf } from './difference.ts'
import type { ListedPrice, PriceList } from './price-list.ts'

interface SimulationOptions extends Span {
  readonly list: PriceList
  readonly group?: string | undefined
  /** Called with the number of records read, and at the end. */
  readonly progress?: (records: number, done: boolean) => void
}

export type SimulatedRequest = Omit<StoredRequest, 'usageRaw'>

interface SimulationSource {
  readonly catalog: Pick<CatalogStore, 'load'>
  readonly records: { exportRequests(span: Span): AsyncIterable<SimulatedRequest> }
}

/** Recorded charges, and those by other prices. */
export type Comparison = ReturnType<typeof compare>

/** What recorded requests would have cost. Amounts are nano-USD. */
export type Simulation = ReturnType<typeof report>

interface Sum {
  requests: number
  charged: bigint
  simulated: bigint
}

const emptySum = (): Sum => ({ requests: 0, charged: 0n, simulated: 0n })

const progressStep = 1000

/** Charges the recorded requests again by other prices, record by record. */
export async function simulate(
  { catalog, records }: SimulationSource,
  { list, group, progress, ...span }: SimulationOptions,
): Promise<Simulation> {
  const { groups } = await catalog.load()
  const tiersOff = new Set(groups.filter((one) => !one.longContextPricing).map(({ id }) => id))
  const known = new Map<string, ListedPrice | undefined>()
  const listedPrice = (model: string) => known.getOrInsertComputed(model, list.find)
  const sums = new Map<string, Sum>()
  const unpriced = new Map<string, string | null>()
  const withoutPrice = emptySum()
  let withoutUsage = 0
  let read = 0
  let counted = 0
  for await (const request of records.exportRequests(span)) {
    if (++read % progressStep === 0) progress?.(read, false)
    if (group !== undefined && request.group !== group) continue
    counted++
    const { model } = request
    // Clients make up names of models; those without a price are refused before any use.
    if (model === null || request.priceId === null || usedNothing(request)) {
      withoutUsage++
      continue
    }
    const listed = listedPrice(model)
    if (listed === undefined || 'reason' in listed) {
      add(withoutPrice, request.amountNano, 0)
      unpriced.set(model, listed?.reason ?? null)
      continue
    }
    const amount = simulateOne(request, listed.terms, !tiersOff.has(request.groupId))
    if (amount === undefined) withoutUsage++
    else add(sums.getOrInsertComputed(model, emptySum), request.amountNano, amount)
  }
  progress?.(read, true)
  return report(sums, withoutUsage, { sum: withoutPrice, models: unpriced, records: counted })
}

const tokensOf = (request: SimulatedRequest): number =>
  request.inputTokens +
  request.outputTokens +
  request.cacheReadTokens +
  request.cacheWriteTokens +
  request.cacheWrite1hTokens

const usedNothing = (request: SimulatedRequest) => tokensOf(request) === 0 && request.calls === 0

/** Undefined when the record lacks what the price counts. */
function simulateOne(request: SimulatedRequest, terms: PriceTerms, hasTiers: boolean) {
  if (terms.unit === 'tokens' && tokensOf(request) === 0) return undefined
  if (terms.unit === 'call' && request.calls === 0) return undefined
  const { usage } = recordedUsage(request)
  return charge({
    terms,
    usage,
    vendor: vendorExtras(
      request.upstreamProtocol ?? request.clientProtocol,
      request.upstreamModel ?? request.model ?? '',
    ),
    calls: request.calls,
    multiplierMillionths: request.multiplierMillionths,
    longContextPricing: hasTiers,
  }).amountNano
}

function add(sum: Sum, charged: number, simulated: number): void {
  sum.requests++
  sum.charged += BigInt(charged)
  sum.simulated += BigInt(simulated)
}

function compare({ requests, charged, simulated }: Sum) {
  return {
    requests,
    charged_nano: Number(charged),
    simulated_nano: Number(simulated),
    difference_nano: Number(simulated - charged),
    /** Null when either side is 0. */
    percent: percentOf(Number(charged), Number(simulated)),
  }
}

interface Unpriced {
  readonly sum: Sum
  readonly models: ReadonlyMap<string, string | null>
  readonly records: number
}

function report(sums: ReadonlyMap<string, Sum>, withoutUsage: number, rest: Unpriced) {
  const total = emptySum()
  for (const sum of sums.values()) {
    total.requests += sum.requests
    total.charged += sum.charged
    total.simulated += sum.simulated
  }
  return {
    records: rest.records,
    /** By recorded charge, the largest first. */
    models: [...sums]
      .map(([model, sum]) => ({ model, ...compare(sum) }))
      .sort((a, b) => b.charged_nano - a.charged_nano || (a.model < b.model ? -1 : 1)),
    total: compare(total),
    not_compared: {
      without_usage: withoutUsage,
      /** Requests of models that the list has no price for. */
      without_price: {
        requests: rest.sum.requests,
        charged_nano: Number(rest.sum.charged),
        models: [...rest.models]
          .map(([model, reason]) => ({ model, reason }))
          .sort((a, b) => (a.model < b.model ? -1 : 1)),
      },
    },
  }
}
