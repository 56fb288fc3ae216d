import type { ModalityRates, VendorExtras } from '../store/ports/extras.ts'
import type { Offer } from './catalog.ts'
import { vendorExtras } from './vendor-extras.ts'

/**
 * What extras of an offer cost: by the model's own price, else by the dearest list price of the
 * channels that may answer. Nothing of a model that is free on purpose.
 */
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
