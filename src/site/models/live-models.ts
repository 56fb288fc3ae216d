import type { Catalog } from '../../catalog/catalog.ts'
import { inSlices } from '../../lib/slices.ts'
import type { ShownModel } from './models.ts'

/** The models that are sold at present, by name. */
export type Models = ReadonlyMap<string, ShownModel>

export type LiveModels = () => Promise<Models>

/** The models of these groups, made once for each state of the catalog. */
export function createLiveModels(groups: () => Catalog['groups']): LiveModels {
  let known: { readonly of: Catalog['groups']; readonly models: Promise<Models> } | undefined
  return () => {
    const of = groups()
    if (known?.of !== of) known = { of, models: make(of) }
    return known.models
  }
}

async function make(groups: Catalog['groups']): Promise<Models> {
  // Loaded on first use, to save memory.
  const { modelsOf } = await import('./models.ts')
  return inSlices(modelsOf(groups))
}
