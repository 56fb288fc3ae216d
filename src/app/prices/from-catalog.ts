import { Value } from '@sinclair/typebox/value'
import {
  type VendorPriceEntry,
  VendorPriceFile,
  vendorPriceFinder,
} from '../../catalog/vendor-prices.ts'
import { UserError } from '../instance.ts'
import { jsonProblems } from './json-problems.ts'
import { freeThere, type PriceList } from './price-list.ts'

/** Prices in the form of `data/vendor-prices.json`. Throws a `UserError` that names what is wrong. */
export function readCatalogForm(document: unknown, name: string): PriceList {
  if (!Value.Check(VendorPriceFile, document))
    throw new UserError(
      jsonProblems(VendorPriceFile, document)
        .map((problem) => `${name}: ${problem}.`)
        .join('\n'),
    )
  const problem = contradiction(document.models)
  if (problem !== undefined) throw new UserError(`${name}: ${problem}.`)
  const find = vendorPriceFinder(document.models)
  return {
    form: 'catalog',
    tellsTiers: true,
    models: document.models.map(({ id }) => id),
    find(model) {
      const found = find(model)
      if (found === undefined) return undefined
      const { input, output } = found.terms.base
      return input + output > 0 ? { terms: found.terms, rounded: false } : freeThere
    },
  }
}

/** What no schema says: names that repeat, and tiers that do not go up. */
function contradiction(models: readonly VendorPriceEntry[]): string | undefined {
  const owners = new Map<string, number>()
  for (const [at, { id, aliases, dated, tiers }] of models.entries()) {
    for (const name of [id, ...aliases, ...dated]) {
      const first = owners.get(name)
      if (first !== undefined)
        return `models[${at}] has the name ${JSON.stringify(name)}, which models[${first}] has too`
      owners.set(name, at)
    }
    for (const [i, { above }] of tiers.entries())
      if (above <= (tiers[i - 1]?.above ?? 0))
        return `models[${at}].tiers[${i}].above is ${above}, but tiers must go up`
  }
  return undefined
}
