import { findVendorPrice } from '../catalog/vendor-prices.ts'
import type { PriceWrite } from '../store/ports/admin.ts'
import type { ChannelSettings, PriceRow } from '../store/ports/catalog.ts'
import type { Store } from '../store/ports/store.ts'

/** Decides which vendor prices apply. Prices: those in force, removed ones included. */
export interface Offered {
  readonly channels: readonly Pick<ChannelSettings, 'models'>[]
  readonly prices: readonly PriceRow[]
}

/**
 * List prices to write for offered models without a price or with an older list price. Prices of other
 * sources stay. Only the client's model id counts, not the upstream's.
 */
export function vendorPriceWrites({ channels, prices }: Offered): PriceWrite[] {
  const inForce = new Map(prices.map((row) => [row.model, row]))
  const writes: PriceWrite[] = []
  for (const model of offeredBy(channels)) {
    const row = inForce.get(model)
    if (row && (row.source !== 'vendor' || row.terms.unit === 'none')) continue
    const write = vendorPriceWrite(model, row)
    if (write && !Bun.deepEquals(row?.terms, write.terms)) writes.push(write)
  }
  return writes
}

/** A vendor's list price to replace the price in force, unless that changes; undefined: none. */
export function vendorPriceWrite(
  model: string,
  inForce: Pick<PriceRow, 'id'> | undefined,
): PriceWrite | undefined {
  const listed = findVendorPrice(model)
  if (listed === undefined) return undefined
  return { model, terms: listed.terms, source: 'vendor', note: '', replaces: inForce?.id ?? null }
}

/** Takes a model away, whatever set its price: the vendor's price must not return automatically. */
export const removedPrice = (model: string) =>
  ({ model, terms: { unit: 'none' }, source: 'operator', note: '' }) as const

type SyncVendorPrices = () => Promise<number>

/**
 * Writes list prices when another process changes channels. Priced models stay as they are, or nodes of two
 * versions would undo each other's lists during an update.
 */
export function createVendorPriceSync(
  { catalog, admin }: Store,
  known: Offered['channels'],
): SyncVendorPrices {
  let before = offeredBy(known)
  return async () => {
    const offered = await catalog.load()
    const prices = vendorPriceWrites(offered).filter(
      ({ model, replaces }) => replaces === null || !before.has(model),
    )
    if (prices.length > 0) await admin.write({ prices })
    before = offeredBy(offered.channels)
    return prices.length
  }
}

const offeredBy = (channels: Offered['channels']): ReadonlySet<string> =>
  new Set(channels.flatMap(({ models }) => models.map(({ id }) => id)))
