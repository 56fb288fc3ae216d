import type { Catalog, Group, Offer } from '../../catalog/catalog.ts'
import { abilitiesOf, type Modality, modalities } from '../../catalog/model-abilities.ts'
import { kindOf, type ModelKind } from '../../catalog/model-facts.ts'
import { findVendorPrice } from '../../catalog/vendor-prices.ts'
import { compareCodePoints } from '../../lib/code-points.ts'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import { modalityKinds } from '../../store/ports/extras.ts'
import { type Vendor, vendorOf } from './vendors.ts'

/** A model as one group sells it. */
export interface Sale {
  readonly group: Group
  readonly offer: Offer
  /** Without tiers, where the group has no prices for long contexts. */
  readonly terms: PriceTerms
}

export type VendorPrice = NonNullable<ReturnType<typeof findVendorPrice>>

/** A model with all that the public pages say of it but its availability. */
export interface ShownModel {
  readonly name: string
  readonly vendor: Vendor | undefined
  readonly kind: ModelKind
  readonly input: readonly Modality[]
  readonly output: readonly Modality[]
  /** In LLM tokens; null: unknown. */
  readonly contextWindow: number | null
  readonly maxOutput: number | null
  /** The vendor's list price; undefined: unknown. */
  readonly list: VendorPrice | undefined
  /** The cheapest group first. */
  readonly sales: readonly [Sale, ...Sale[]]
}

const modelsPerStep = 50

/** The models that the groups sell at present, by name. Yields for `inSlices`. */
export function* modelsOf(
  groups: Catalog['groups'],
): Generator<void, ReadonlyMap<string, ShownModel>> {
  const sales = new Map<string, [Sale, ...Sale[]]>()
  for (const group of [...groups.values()].sort(byMultiplierThenName)) {
    if (!group.enabled) continue
    yield
    for (const offer of group.offers.values()) {
      if (offer.candidates.length === 0) continue
      const sale = { group, offer, terms: termsIn(group, offer) }
      const known = sales.get(offer.model)
      if (known) known.push(sale)
      else sales.set(offer.model, [sale])
    }
  }
  const models = new Map<string, ShownModel>()
  for (const [name, sold] of [...sales].sort(([a], [b]) => compareCodePoints(a, b))) {
    models.set(name, modelOf(name, sold))
    if (models.size % modelsPerStep === 0) yield
  }
  return models
}

const byMultiplierThenName = (a: Group, b: Group) =>
  a.multiplierMillionths - b.multiplierMillionths || compareCodePoints(a.name, b.name)

function termsIn({ longContextPricing }: Group, { price: { terms } }: Offer): PriceTerms {
  return terms.unit === 'tokens' && !longContextPricing ? { ...terms, tiers: [] } : terms
}

function modelOf(name: string, sales: ShownModel['sales']): ShownModel {
  const list = findVendorPrice(name)
  const known = abilitiesOf(name)
  const [{ group, terms }] = sales
  const priced = pricedModalities(terms, list)
  const windows = sales.map(({ offer }) => offer.contextWindow ?? 0)
  return {
    name,
    vendor: vendorOf(name, list?.vendor, group.platform),
    kind: kindIn(name, sales),
    input: modalities.filter((one) => known.input.includes(one) || priced.input.has(one)),
    output: modalities.filter((one) => known.output.includes(one) || priced.output.has(one)),
    contextWindow: Math.max(...windows) || (list?.contextWindow ?? null),
    maxOutput: list?.maxOutput ?? known.maxOutput,
    list,
    sales,
  }
}

/** What all of its channels make; answers, where they differ: as requests are judged. */
function kindIn(name: string, sales: ShownModel['sales']): ModelKind {
  const kinds = new Set(
    sales.flatMap(({ offer }) => offer.candidates.map((one) => kindOf(one.upstreamModel))),
  )
  const [only = kindOf(name)] = kinds
  return kinds.size > 1 ? 'answers' : only
}

/** Tokens that have a price of their own: the model takes or makes them. */
function pricedModalities(terms: PriceTerms, list: VendorPrice | undefined) {
  const own = terms.unit === 'tokens' ? terms.base.modalities : {}
  const rates = { ...list?.terms.base.modalities, ...own }
  const [input, output] = [new Set<string>(), new Set<string>()]
  for (const kind of modalityKinds) {
    if (rates[kind] === undefined) continue
    if (kind.startsWith('input')) input.add(kind.slice('input'.length).toLowerCase())
    if (kind.startsWith('output')) output.add(kind.slice('output'.length).toLowerCase())
  }
  return { input, output }
}
