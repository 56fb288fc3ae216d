import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import {
  type ChargedUse,
  type CheckedRequest,
  type PriceInTime,
  type PriceUses,
  steadyMs,
  type VerificationStore,
} from '../../store/ports/verification.ts'

/** A price with its terms parsed; null: no charge can be made by them. */
export interface CheckedPrice extends Omit<PriceInTime, 'terms'> {
  readonly terms: PriceTerms | null
}

const maxKept = 10_000

/** Prices by id, cached: many requests share a few. */
export function createPrices(store: Pick<VerificationStore, 'price'>) {
  const kept = new Map<number, CheckedPrice | null>()

  async function find(id: number): Promise<CheckedPrice | null> {
    const stored = await store.price(id)
    if (kept.size >= maxKept) kept.clear()
    const price = stored === undefined ? null : { ...stored, terms: readTerms(stored.terms) }
    kept.set(id, price)
    return price
  }

  return {
    known: (id: number) => kept.get(id),
    /** Null: no price has this id. */
    find,
  }
}

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const OptionalCount = Type.Union([Count, Type.Null()])
const Counts = Type.Optional(Type.Record(Type.String(), Count))
const extras = Type.Optional(Type.Object({ tools: Counts, serviceTiers: Counts }))
const rates = {
  input: Count,
  output: Count,
  cacheRead: OptionalCount,
  cacheWrite: OptionalCount,
  cacheWrite1h: OptionalCount,
  modalities: Counts,
}
const Terms = Type.Union([
  Type.Object({
    unit: Type.Literal('tokens'),
    base: Type.Object(rates),
    tiers: Type.Array(Type.Object({ above: Count, ...rates })),
    extras,
  }),
  Type.Object({ unit: Type.Literal('call'), perCallNano: Count, extras }),
  Type.Object({ unit: Type.Literal('free') }),
  Type.Object({ unit: Type.Literal('none') }),
])

function readTerms(text: string): PriceTerms | null {
  try {
    const terms: unknown = JSON.parse(text)
    return Value.Check(Terms, terms) ? terms : null
  } catch {
    return null // not JSON: reported for every request that was charged by it
  }
}

/** How long a gateway may use a replaced price; it usually learns of it within a second. */
const graceMs = 60_000

const endOf = ({ createdAt, durationMs }: ChargedUse) => createdAt + durationMs

/** Whether the price began after the request ended, by the clock: decided when all of it is known. */
export const cameLater = (request: CheckedRequest, { validFrom }: CheckedPrice) =>
  validFrom > endOf(request)

/** Whether another price had replaced it before the request came, by the clock. */
export const wasReplaced = ({ createdAt }: CheckedRequest, { replacedAt }: CheckedPrice) =>
  replacedAt !== null && replacedAt + graceMs < createdAt

/**
 * Finds the times that a price may be held to. After a clock change the price that the request names
 * counts. So a time is held against a request only where other charges confirm it: one by the older price
 * whose request came after this one had ended, or one by the newer price whose request had ended before
 * this one came. Call it for one request after the other, in the order in which they were stored.
 */
export function createPriceTimes({ usesAround }: Pick<VerificationStore, 'usesAround'>) {
  const known = new Map<number, PriceUses>()
  let latestMs = Number.NEGATIVE_INFINITY

  /** Its times are plausible: charged at its end, and no earlier request was charged later. */
  function isSteady(request: CheckedRequest): boolean {
    const { entryCreatedAt } = request
    if (entryCreatedAt === null) return false
    latestMs = Math.max(latestMs, entryCreatedAt)
    const apart = Math.abs(entryCreatedAt - endOf(request))
    return Math.max(apart, latestMs - entryCreatedAt) <= steadyMs
  }

  async function usesOf(price: CheckedPrice): Promise<PriceUses> {
    const uses = known.get(price.id) ?? (await usesAround(price))
    known.set(price.id, uses)
    return uses
  }

  async function heldToTimes(request: CheckedRequest, price: CheckedPrice, isTold: boolean) {
    const { lastBefore, firstAfter } = isTold ? await usesOf(price) : unknown
    const isBorneOut = cameLater(request, price)
      ? lastBefore !== undefined && follows(lastBefore, request)
      : firstAfter !== undefined && follows(request, firstAfter)
    return isBorneOut ? price : { ...price, validFrom: Number.NEGATIVE_INFINITY, replacedAt: null }
  }

  /** Usually times and prices agree, and nothing is awaited. */
  return (request: CheckedRequest, price: CheckedPrice) => {
    const isTold = isSteady(request)
    const isOdd = cameLater(request, price) || wasReplaced(request, price)
    return isOdd ? heldToTimes(request, price, isTold) : price
  }
}

const unknown: PriceUses = { lastBefore: undefined, firstAfter: undefined }

/** Stored later, and came after the other had ended. */
const follows = (later: ChargedUse, earlier: ChargedUse) =>
  later.row > earlier.row && later.createdAt > endOf(earlier) + graceMs
