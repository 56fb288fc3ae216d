import file from '../../data/vendor-extras.json' with { type: 'json' }
import type { ModalityRates, VendorExtras } from '../store/ports/extras.ts'
import type { Offer } from './catalog.ts'
import { findVendorPrice } from './vendor-prices.ts'

/** The vendor whose list prices apply on a channel of a protocol without another price. */
const vendors: { readonly [protocol: string]: string } = {
  chat: 'openai',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'google',
}

interface Entry {
  readonly vendor: string
  /** Prefixes of model ids; absent: all others. */
  readonly models?: readonly string[]
}

const none: VendorExtras = {}
const known = new Map<string, VendorExtras>()

/** Prices of extras where a model's own price has none: its list price, else its vendor's. */
export function vendorExtras(protocol: string | undefined, model: string): VendorExtras {
  const vendor = vendors[protocol ?? '']
  if (vendor === undefined) return none
  const key = `${vendor} ${model}`
  const found = known.get(key)
  if (found) return found
  const extras = lookUp(vendor, model)
  // Bounds the cache for a catalog that changes often.
  if (known.size >= 10_000) known.clear()
  known.set(key, extras)
  return extras
}

/** Tools that a model uses for each answer, requested or not. */
export function ownTools(protocol: string, model: string): readonly string[] {
  const always = file.tools.filter((entry) => 'always' in entry && entry.always)
  return pick(always, vendors[protocol] ?? '', model).map(({ tool }) => tool)
}

function lookUp(vendor: string, model: string): VendorExtras {
  const terms = findVendorPrice(model)?.terms
  const tools: [string, number][] = pick(file.tools, vendor, model).map((e) => [e.tool, e.nano])
  const tiers: [string, number][] = pick(file.serviceTiers, vendor, model).map((e) => [
    e.tier,
    e.millionths,
  ])
  const modalities = terms?.base.modalities
  return {
    ...(modalities && { modalities }),
    // The first match counts, so it is inserted last.
    tools: { ...Object.fromEntries(tools.toReversed()), ...terms?.extras?.tools },
    serviceTiers: { ...Object.fromEntries(tiers.toReversed()), ...terms?.extras?.serviceTiers },
  }
}

const pick = <One extends Entry>(entries: readonly One[], vendor: string, model: string) =>
  entries.filter(
    (entry) =>
      entry.vendor === vendor &&
      (entry.models === undefined || entry.models.some((start) => model.startsWith(start))),
  )

/** Prices of an offer's extras: its own, else the dearest list price among its channels. */
export function offeredExtras({ price: { terms }, candidates }: Offer): VendorExtras {
  if (terms.unit !== 'tokens' && terms.unit !== 'call') return {}
  const lists = new Set(
    candidates.flatMap(({ channel, upstreamModel }) =>
      Object.keys(channel.speaks).map((protocol) => vendorExtras(protocol, upstreamModel)),
    ),
  )
  const dearest = [...lists].reduce<VendorExtras>(
    (all, list) => ({
      modalities: larger(all.modalities, list.modalities),
      tools: larger(all.tools, list.tools),
      serviceTiers: larger(all.serviceTiers, list.serviceTiers),
    }),
    {},
  )
  const modalities: ModalityRates =
    terms.unit === 'tokens' ? { ...dearest.modalities, ...terms.base.modalities } : {}
  return {
    modalities,
    tools: { ...dearest.tools, ...terms.extras?.tools },
    serviceTiers: { ...dearest.serviceTiers, ...terms.extras?.serviceTiers },
  }
}

function larger<Prices extends { readonly [name: string]: number | undefined }>(
  a: Prices | undefined,
  b: Prices | undefined,
): Prices {
  const all: { [name: string]: number | undefined } = { ...a }
  for (const [name, price = 0] of Object.entries(b ?? {}))
    all[name] = Math.max(all[name] ?? 0, price)
  return all as Prices
}
