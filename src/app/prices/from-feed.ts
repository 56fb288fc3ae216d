import { nanoDecimals, priceDecimals } from '../../billing/money.ts'
import type { FeedDocument } from '../../site/feed/schema.ts'
import { describeProblem, validateFeed } from '../../site/feed/validate.ts'
import { UserError } from '../instance.ts'
import { freeThere, type ListedPrice, type PriceList } from './price-list.ts'
import { toUnits } from './round.ts'

type Entry = FeedDocument['data']['models'][number]

/**
 * Another gateway's price feed (SPEC 2.6): what one of its groups pays, its multiplier included.
 * Disabled entries do not count. Throws a `UserError` when it is broken, or when it has several
 * groups and `group` names none of them.
 */
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
    tellsTiers: false,
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
  const figures = {
    input: toUnits(entry.input_price, priceDecimals),
    output: toUnits(entry.output_price, priceDecimals),
    cacheRead: toUnits(entry.cache_input_price, priceDecimals),
    cacheWrite: toUnits(entry.cache_create_price, priceDecimals),
    cacheWrite1h: toUnits(entry.cache_create_price_1h, priceDecimals),
  }
  const all = Object.values(figures)
  if (all.every(({ units }) => units === 0)) return freeThere
  const base = {
    input: figures.input.units,
    output: figures.output.units,
    cacheRead: figures.cacheRead.units,
    cacheWrite: figures.cacheWrite.units,
    cacheWrite1h: figures.cacheWrite1h.units,
  }
  return { terms: { unit: 'tokens', base, tiers: [] }, rounded: all.some(({ exact }) => !exact) }
}
