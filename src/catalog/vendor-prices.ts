import file from '../../data/vendor-prices.json' with { type: 'json' }
import type { PriceTerms } from '../store/ports/catalog.ts'
import { datedForms } from './vendor-dates.ts'
import { type VendorPriceEntry, vendorTerms } from './vendor-price-file.ts'

/** What a model costs at its vendor. */
export interface VendorPrice {
  /** The vendor's own id, whichever name was looked up. */
  readonly id: string
  readonly vendor: string
  readonly terms: Extract<PriceTerms, { unit: 'tokens' }>
  /** Tokens; null: not known. */
  readonly contextWindow: number | null
  readonly maxOutput: number | null
  /** The day (UTC, `2027-01-01`) from which another price was already announced; null: none. */
  readonly until: string | null
}

interface Index {
  /** By id and alias. */
  readonly named: ReadonlyMap<string, VendorPrice>
  /** By id with marks for the date. */
  readonly dated: ReadonlyMap<string, VendorPrice>
}

// Built at the first look-up: a start that asks for no price does not pay for it.
let index: Index | undefined

/**
 * The vendor's list price of a model, by its id, an alias, or an id with a date that the vendor's
 * dated ids allow. Names are compared byte for byte; undefined when no vendor's price is known.
 */
export function findVendorPrice(modelId: string): VendorPrice | undefined {
  index ??= createIndex(file.models)
  return lookUp(index, modelId)
}

/** The same for another list than the built-in one. */
export function vendorPriceFinder(entries: readonly VendorPriceEntry[]): typeof findVendorPrice {
  const own = createIndex(entries)
  return (modelId) => lookUp(own, modelId)
}

function lookUp({ named, dated }: Index, modelId: string): VendorPrice | undefined {
  const exact = named.get(modelId)
  if (exact) return exact
  for (const form of datedForms(modelId)) {
    const price = dated.get(form)
    if (price) return price
  }
  return undefined
}

function createIndex(entries: readonly VendorPriceEntry[]): Index {
  const named = new Map<string, VendorPrice>()
  const dated = new Map<string, VendorPrice>()
  for (const entry of entries) {
    const { id, vendor, contextWindow, maxOutput, until } = entry
    const terms = vendorTerms(entry)
    const price = { id, vendor, terms, contextWindow, maxOutput, until }
    for (const name of [id, ...entry.aliases]) named.set(name, price)
    for (const form of entry.dated) dated.set(form, price)
  }
  return { named, dated }
}
