import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import type { PriceInTime, VerificationStore } from '../../store/ports/verification.ts'

/** A price with its terms read; null: they are no terms that a charge can be made by. */
export interface CheckedPrice extends Omit<PriceInTime, 'terms'> {
  readonly terms: PriceTerms | null
}

/** Looks prices up; undefined: there is none with this id. */
export type FindPrice = (id: number) => Promise<CheckedPrice | undefined>

const maxKept = 10_000

/** Prices by id, the last ones remembered: many requests share a few. */
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
    /** Of a remembered price, at once; undefined: it must be looked up. */
    known: (id: number) => kept.get(id),
    /** Null: there is none with this id. */
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
    return null // no JSON: told of every request that was charged by it
  }
}
