import { type Static, Type } from '@sinclair/typebox'
import type { PriceTerms } from '../store/ports/catalog.ts'
import {
  context_window,
  extraFields,
  free,
  per_call,
  priceFields,
  ratePatches,
  tiers,
} from './price.ts'
import { patchProperties, toWritten } from './resource.ts'

/** A price by token, by call or free, as the API takes it; null is the same as left out. */
export const GivenPrice = Type.Object({
  ...ratePatches,
  ...patchProperties({ tiers, context_window, per_call, ...extraFields, free }),
})
export type GivenPrice = Static<typeof GivenPrice>

/** The entry of the file for a given price. */
export const writtenPrice = ({ others, ...given }: GivenPrice): object => ({
  ...toWritten(priceFields, given),
  ...others,
})

/** The context window of the price before, unless `given` names one. */
export function withWindow(
  terms: PriceTerms,
  given: GivenPrice,
  before: PriceTerms | undefined,
): PriceTerms {
  const kept = before?.unit === 'tokens' ? before.contextWindow : undefined
  if (terms.unit !== 'tokens' || given.context_window !== undefined || kept === undefined)
    return terms
  return { ...terms, contextWindow: kept }
}
