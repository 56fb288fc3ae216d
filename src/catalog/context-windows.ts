import type { PriceRow } from '../store/ports/catalog.ts'
import { findVendorPrice } from './vendor-prices.ts'

/** How many LLM tokens models can hold, looked up once per name. */
export interface ContextWindows {
  /**
   * As the operator has set it with the price, else as the vendor of that id, or of what its
   * channels ask their upstreams for, tells it; null: not known. Of several upstream models the
   * largest counts, and one that is not known makes all unknown: nothing true may be cut. For the
   * same reason a window that the price has a tier beyond is not believed.
   */
  of(price: PriceRow, candidates: readonly { readonly upstreamModel: string }[]): number | null
}

/** Remembers what it found, names without a vendor too: for as long as a catalog is being built. */
export function createContextWindows(
  find: (model: string) => { readonly contextWindow: number | null } | undefined = findVendorPrice,
): ContextWindows {
  const known = new Map<string, number | null>()

  function ofVendor(model: string): number | null {
    const found = known.get(model)
    if (found !== undefined) return found
    const contextWindow = find(model)?.contextWindow ?? null
    known.set(model, contextWindow)
    return contextWindow
  }

  return {
    of({ model, terms }, candidates) {
      const own = terms.unit === 'tokens' ? terms.contextWindow : undefined
      if (own !== undefined) return own
      const tiers = terms.unit === 'tokens' ? terms.tiers : []
      const fits = (window: number | null) =>
        window !== null && tiers.every(({ above }) => above < window) ? window : null
      const named = ofVendor(model)
      if (named !== null) return fits(named)
      let largest: number | null = null
      for (const { upstreamModel } of candidates) {
        const contextWindow = ofVendor(upstreamModel)
        if (contextWindow === null) return null
        largest = Math.max(largest ?? 0, contextWindow)
      }
      return fits(largest)
    },
  }
}
