import type { ModelInfo, Provider } from '@pydantic/genai-prices'
import type { VendorPriceEntry, VendorPriceFile } from '../src/catalog/vendor-prices.ts'
import { doubtful, exclusions, resellers, unread } from './price-exclusions.ts'
import { collectNames } from './price-names.ts'
import {
  hosts,
  literals,
  loadProviders,
  type Maker,
  makers,
  resolve,
  sourceName,
} from './price-source.ts'
import { convertPrice, priceSchedule } from './price-terms.ts'

/** A model, or with `*` a whole provider, that is not in the file. */
export interface Skipped {
  readonly model: string
  readonly reason: string
}

/** The file's content, and what the package has that the file has not. */
export interface BuiltPrices {
  readonly file: VendorPriceFile
  readonly skipped: readonly Skipped[]
}

/** Turns the package's data into the prices that hold on `date` (`2026-11-21`, UTC). */
export async function buildPrices(date: string): Promise<BuiltPrices> {
  const providers = await loadProviders()
  const read = [...makers, ...hosts.map((vendor): Maker => ({ vendor, dates: [] }))]
  const sellers = countSellers(providers.values())
  const models: VendorPriceEntry[] = []
  const skipped: Skipped[] = []
  const earlier: Provider[] = []
  for (const { vendor, dates } of read) {
    const provider = providers.get(vendor)
    if (!provider) throw new Error(`provider "${vendor}" is gone: take it out of price-source.ts`)
    const owns = (id: string) =>
      !earlier.some((each) => resolve(id, each, date)) &&
      !(hosts.includes(vendor) && (sellers.get(id.toLowerCase())?.size ?? 0) > 1)
    for (const model of provider.models) {
      const entry = buildEntry(model, provider, { date, dates, owns })
      if ('reason' in entry) skipped.push({ model: `${vendor}/${model.id}`, reason: entry.reason })
      else models.push(entry)
    }
    earlier.push(provider)
  }
  for (const vendor of providers.keys())
    if (!read.some((each) => each.vendor === vendor))
      skipped.push({ model: `${vendor}/*`, reason: unread[vendor] ?? resellers })
  checkExclusions(skipped)
  models.sort((a, b) => compare(a.vendor, b.vendor) || compare(a.id, b.id))
  return { file: { source: sourceName, date, models }, skipped }
}

interface EntryOptions {
  readonly date: string
  readonly dates: Maker['dates']
  /** False: the id belongs to a vendor that goes before, or to nobody. */
  readonly owns: (id: string) => boolean
}

function buildEntry(model: ModelInfo, provider: Provider, options: EntryOptions) {
  const excluded = exclusions[`${provider.id}/${model.id}`]
  if (excluded !== undefined) return { reason: excluded }
  const schedule = priceSchedule(model.prices, options.date)
  if ('reason' in schedule) return schedule
  const names = collectNames(model, provider, options)
  const [id, ...aliases] = names.concrete
  if (id === undefined) return { reason: 'the package prices none of its ids by it' }
  if (!options.owns(id)) return { reason: 'its id belongs to a maker, or several sell it' }
  const price = resolve(id, provider, options.date)?.price ?? {}
  const terms = convertPrice(price)
  if ('reason' in terms) return terms
  if (doubtful.test(model.price_comments ?? ''))
    return { reason: "not the vendor's price, or not verified, says the package" }
  const { tiers, tools, ...rates } = answersInImages.test(id) ? imageAnswers(terms) : terms
  return {
    id,
    vendor: provider.id,
    ...rates,
    ...(tools && { tools }),
    tiers,
    contextWindow: model.context_window ?? null,
    // The package has no such figure.
    maxOutput: null,
    until: schedule.until,
    aliases: aliases.filter(options.owns).sort(compare),
    dated: names.dated.toSorted(compare),
  }
}

/** Models whose answers are images: where the package has one price of output, it is that of images. */
const answersInImages = /^gpt-image-/

function imageAnswers<Terms extends Pick<VendorPriceEntry, 'output' | 'modalities'>>(terms: Terms) {
  const { output, modalities } = terms
  return { ...terms, modalities: { ...modalities, outputImage: modalities?.outputImage ?? output } }
}

/** Whole ids in lower case, as the package compares them, and the providers that name them. */
function countSellers(providers: Iterable<Provider>): ReadonlyMap<string, ReadonlySet<string>> {
  const sellers = new Map<string, Set<string>>()
  for (const provider of providers)
    for (const model of provider.models)
      for (const id of [model.id, ...literals(model.match).whole]) {
        const known = sellers.get(id.toLowerCase()) ?? new Set()
        sellers.set(id.toLowerCase(), known.add(provider.id))
      }
  return sellers
}

function checkExclusions(skipped: readonly Skipped[]): void {
  const used = new Set(skipped.map(({ model }) => model))
  const stale = Object.keys(exclusions).find((model) => !used.has(model))
  if (stale !== undefined)
    throw new Error(`exclusion "${stale}" names no model: take it out of price-exclusions.ts`)
}

/** Order by code unit, whatever the machine's language. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
