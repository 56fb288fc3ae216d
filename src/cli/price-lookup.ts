import { Argument } from 'commander'
import type { Instance } from '../app/instance.ts'
import type { PriceRow } from '../store/ports/catalog.ts'
import { complain } from './errors.ts'
import { findNamed } from './lookup.ts'

export const modelArgument = () => new Argument('<model>', 'the model, exactly as clients send it')

/** The price in force of a model. Throws with the nearest name when it has none. */
export async function findPrice({ store }: Instance, model: string): Promise<PriceRow> {
  const { prices } = await store.catalog.load()
  const priced = prices.filter(({ terms }) => terms.unit !== 'none')
  const named = priced.map((row) => ({ name: row.model, row }))
  return findNamed('price', model, named).row
}

/** Warns that the configuration file overrides the change. */
export function warnOfConfig(models: readonly string[]): void {
  complain(
    `warning: the configuration file set the price of ${models.join(', ')}; if it still does, ` +
      'the next start or "tollgate apply" puts it back: change it there',
  )
}
