import { ApiError } from '../../../admin/api-error.ts'
import { idKey, pageOf, readList } from '../../../admin/paging.ts'
import type { PriceService } from '../../../admin/prices/routes.ts'
import { edit } from '../../../admin/refusals.ts'
import { dayMs } from '../../../lib/clock.ts'
import { compareCodePoints } from '../../../lib/code-points.ts'
import { complaints } from '../../../resources/values.ts'
import { feedRow } from '../../../site/feed/document.ts'
import type { PriceSetting } from '../../../store/ports/catalog.ts'
import { removedPrice, vendorPriceWrite } from '../../vendor-price-sync.ts'
import type { ConsoleParts } from '../parts.ts'
import { readNote, readPrice } from './read-price.ts'
import { groupPreviews, type RequestsOf, tryPrice } from './try-price.ts'
import { createMarket, isMissing, type Market, priceView, versionView } from './view.ts'

/** Prices for administrators: read from the catalog in memory, written through the store. */
export function createPriceService(parts: ConsoleParts): PriceService {
  const { store, catalog, clock } = parts
  const isInFile = (model: string) => parts.config().prices.some((price) => price.model === model)
  let isTrying = false

  function view(model: string) {
    const market = createMarket(catalog.rows())
    if (market.models.includes(model)) return priceView(market, model, isInFile(model))
    throw new ApiError('not_found', `Nothing is known of the model ${JSON.stringify(model)}.`)
  }

  const inForce = (model: string) => catalog.rows().prices.find((row) => row.model === model)

  async function put(actor: string, price: PriceSetting, replaces: number | null) {
    const work = () => store.edits.setPrice({ actor, price, replaces })
    // Another node's change is in the store, but perhaps not yet here.
    const present = async () => {
      await catalog.reload()
      return view(price.model)
    }
    await edit(work, { present })
    await parts.changed()
    return view(price.model)
  }

  return {
    async list({ search, state, ...page }) {
      const market = createMarket(catalog.rows())
      const rank = (model: string) => `${isMissing(market, model) ? 0 : 1} ${model}`
      const wanted = market.models
        .filter((model) => search === undefined || contains(model, search))
        .filter((model) => state === undefined || isIn(market, model, state))
        .map((model) => ({ model, key: rank(model) }))
        .sort((a, b) => compareCodePoints(a.key, b.key))
      const named = new Set(parts.config().prices.map((price) => price.model))
      const toItem = ({ model }: Priced) => priceView(market, model, named.has(model))
      return pageOf(wanted, page, { keyOf: byKey, sorts: sortsOf(market) }, toItem)
    },
    get: async (model) => view(model),
    async history(model, page) {
      const rows = (await store.catalog.priceHistory(model)).toReversed()
      // Newest first: the order of keys is ascending.
      const keyOf = ({ id }: { readonly id: number }) => idKey({ id: Number.MAX_SAFE_INTEGER - id })
      return pageOf(rows, page, { keyOf }, versionView)
    },
    set({ email }, model, { replaces, note, ...given }) {
      const unfit = complaints.name(model)
      if (unfit !== undefined) throw new ApiError('invalid_value', `The model id ${unfit}.`)
      const before = inForce(model)
      const terms = readPrice(given, before?.terms)
      const kept = note === undefined ? (before?.note ?? '') : readNote(note)
      return put(email, { model, terms, source: 'operator', note: kept }, replaces)
    },
    async remove({ email }, model, { replaces, to }) {
      const listed = vendorPriceWrite(model, inForce(model))
      if (to === 'list_price' && listed === undefined) {
        throw new ApiError('invalid_value', `No vendor's list price of ${model} is known.`, {
          field: 'to',
        })
      }
      if (inForce(model) === undefined) view(model) // throws when the model is unknown
      const away = removedPrice(model)
      const next = to === 'not_callable' || listed === undefined ? away : listed
      const { terms, source, note } = next
      const price = await put(email, { model, terms, source, note }, replaces)
      return { result: next === away ? ('not_callable' as const) : ('list_price' as const), price }
    },
    async preview(model, given) {
      const before = inForce(model)
      const tried = { model, terms: readPrice(given, before?.terms), note: before?.note ?? '' }
      return { groups: groupPreviews(catalog.rows(), tried) }
    },
    async simulate(model, { days, ...given }, signal) {
      const before = inForce(model)
      const tried = { model, terms: readPrice(given, before?.terms), note: before?.note ?? '' }
      if (isTrying) {
        const wait = 'Another simulation is under way. Wait some seconds.'
        throw new ApiError('too_many_requests', wait, { retryAfterSeconds: 5 })
      }
      isTrying = true
      try {
        const since = clock() - days * dayMs
        const requestsOf: RequestsOf = (one, from) =>
          store.lists.exportRequests({ model: one, since: from }, signal)
        const trial = { catalog: store.catalog, requestsOf, tried, since }
        const result = await readList(() => tryPrice(trial), signal)
        return { ...result, groups: groupPreviews(catalog.rows(), tried) }
      } finally {
        isTrying = false
      }
    },
    async feed({ search, ...page }) {
      const entries = [...catalog.current().groups.values()].flatMap((group) =>
        [...group.offers.values()]
          .filter(
            ({ model }) =>
              search === undefined || contains(model, search) || contains(group.name, search),
          )
          .map((offer) => ({ group, offer, key: `${group.name}\0${offer.model}` })),
      )
      entries.sort((a, b) => compareCodePoints(a.key, b.key))
      type Entry = (typeof entries)[number]
      const sorts = {
        group: ({ group }: Entry) => group.name,
        model: ({ offer }: Entry) => offer.model,
      }
      return pageOf(entries, page, { keyOf: byKey, sorts }, ({ group, offer }) => {
        const row = feedRow(group, offer)
        return { ...row, prices: { ...row.prices } }
      })
    },
  }
}

const byKey = ({ key }: { readonly key: string }) => key

/** What the models of a market are sorted by. */
const sortsOf = ({ prices }: Market) => {
  const rate =
    (name: 'input' | 'output' | 'cacheRead') =>
    ({ model }: Priced) => {
      const terms = prices.get(model)?.terms
      return terms?.unit === 'tokens' ? terms.base[name] : null
    }
  return {
    model: ({ model }: Priced) => model,
    input: rate('input'),
    output: rate('output'),
    cache_read: rate('cacheRead'),
    source: ({ model }: Priced) => prices.get(model)?.source ?? null,
    valid_from: ({ model }: Priced) => prices.get(model)?.validFrom ?? null,
  }
}

interface Priced {
  readonly model: string
}

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())

function isIn(market: Market, model: string, state: string): boolean {
  const source = market.prices.get(model)?.source
  switch (state) {
    case 'missing':
      return isMissing(market, model)
    case 'override':
      return source === 'operator' || source === 'config'
    case 'vendor':
      return source === 'vendor'
    default:
      return !market.channels.has(model)
  }
}
