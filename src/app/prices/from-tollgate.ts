import { Value } from '@sinclair/typebox/value'
import { nanoDecimals, priceDecimals } from '../../billing/money.ts'
import {
  type VendorPriceEntry,
  VendorPriceFile,
  vendorPriceFinder,
} from '../../catalog/vendor-prices.ts'
import type { FeedDocument } from '../../site/feed/schema.ts'
import { describeProblem, validateFeed } from '../../site/feed/validate.ts'
import { UserError } from '../user-error.ts'
import { freeThere, jsonProblems, type ListedPrice, type PriceList, toUnits } from './price-list.ts'

/** Parses `data/vendor-prices.json`. Throws a `UserError` that names what is wrong. */
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
    models: document.models.map(({ id }) => id),
    find(model) {
      const found = find(model)
      if (found === undefined) return undefined
      const { input, output } = found.terms.base
      return input + output > 0 ? { terms: found.terms, rounded: false } : freeThere
    },
  }
}

/** Repeated names, and tiers that do not ascend. */
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

type Entry = FeedDocument['data']['models'][number]

/** Reads another gateway's price feed for one group. Throws a `UserError` when it is invalid. */
export function readFeedForm(text: string, name: string, group: string | undefined): PriceList {
  const report = validateFeed(text)
  if (!report.ok)
    throw new UserError(report.problems.map((one) => `${name}: ${describeProblem(one)}`).join('\n'))
  const enabled = report.document.data.models.filter((entry) => entry.enabled)
  const chosen = chooseGroup(enabled, name, group)
  const entries = enabled.filter((entry) => entry.group_name === chosen)
  const byModel = new Map(entries.map((entry) => [entry.model_name, entry]))
  return {
    form: 'feed',
    models: [...byModel.keys()],
    find(model) {
      const entry = byModel.get(model)
      return entry && readEntry(entry)
    },
  }
}

function chooseGroup(entries: readonly Entry[], name: string, group: string | undefined) {
  const groups = [...new Set(entries.map((entry) => entry.group_name))]
  const known = groups.map((one) => JSON.stringify(one)).join(', ') || 'none'
  if (group !== undefined) {
    if (groups.includes(group)) return group
    throw new UserError(
      `${name} has no enabled entries of the group ${JSON.stringify(group)}. Its groups are: ${known}.`,
    )
  }
  if (groups.length <= 1) return groups[0]
  throw new UserError(`${name} has several groups; choose one of: ${known}.`)
}

function readEntry(entry: Entry): ListedPrice {
  if (entry.price_unit === 'per_call') {
    const { units, exact } = toUnits(entry.unit_price, nanoDecimals)
    return units === 0
      ? freeThere
      : { terms: { unit: 'call', perCallNano: units }, rounded: !exact }
  }
  let rounded = false
  const micro = (usd: number) => {
    const { units, exact } = toUnits(usd, priceDecimals)
    rounded ||= !exact
    return units
  }
  const base = {
    input: micro(entry.input_price),
    output: micro(entry.output_price),
    cacheRead: micro(entry.cache_input_price),
    cacheWrite: micro(entry.cache_create_price),
    cacheWrite1h: micro(entry.cache_create_price_1h),
  }
  if (Object.values(base).every((units) => units === 0)) return freeThere
  return { terms: { unit: 'tokens', base, tiers: [] }, rounded }
}
