import { Argument } from 'commander'
import type { Instance } from '../app/instance.ts'
import { extraWords } from '../app/prices/report.ts'
import { formatNano } from '../billing/money.ts'
import { ratesView } from '../billing/receipt/view.ts'
import type { Column } from '../lib/table.ts'
import { textRateFields, writtenModalities, writtenRates } from '../resources/price.ts'
import type { PriceRow, PriceTerms, TokenRates } from '../store/ports/catalog.ts'
import { complain } from './errors.ts'
import { fieldColumns } from './field-options.ts'
import { findNamed } from './lookup.ts'

/** A price in one line, in USD: only what is set, without the fallbacks. */
export function describeTerms(terms: PriceTerms): string {
  switch (terms.unit) {
    case 'tokens':
      return [
        describeRates(terms.base),
        ...terms.tiers.map((tier) => `above ${tier.above}: ${describeRates(tier)}`),
        ...extraWords(terms.extras),
      ].join('; ')
    case 'call':
      return [`${formatNano(terms.perCallNano)} per call`, ...extraWords(terms.extras)].join('; ')
    case 'free':
      return 'free'
    case 'none':
      return 'removed'
  }
}

/** The same with tools, service tiers and the context window. */
export function describeSetting(terms: PriceTerms): string {
  const window = terms.unit === 'tokens' ? terms.contextWindow : undefined
  return [describeTerms(terms), ...(window === undefined ? [] : [`context window ${window}`])].join(
    '; ',
  )
}

const describeRates = (rates: TokenRates): string => ratesIn(writtenRates(rates)).join(', ')

const ratesIn = (written: { readonly [name: string]: string }) =>
  Object.entries(written).map(([name, usd]) => `${name.replaceAll('_', ' ')} ${usd}`)

const rateColumns = fieldColumns(textRateFields).map(
  ({ text, ...column }): Column<PriceRow> => ({
    ...column,
    text: ({ terms }) => (terms.unit === 'tokens' ? text(ratesView(terms.base)) : ''),
  }),
)

/** Columns of `list`: USD per 1M tokens, fallbacks included. */
export const priceColumns: readonly Column<PriceRow>[] = [
  { title: 'MODEL', text: ({ model }) => model },
  ...rateColumns,
  { title: 'OTHERWISE', text: ({ terms }) => describeOther(terms) },
  { title: 'SET BY', text: ({ source }) => source },
  { title: 'SINCE', text: ({ validFrom }) => new Date(validFrom).toISOString().slice(0, 10) },
  { title: 'NOTE', text: ({ note }) => note },
]

function describeOther(terms: PriceTerms): string {
  if (terms.unit !== 'tokens') return describeTerms(terms)
  const [first] = terms.tiers
  return [
    ...(first === undefined ? [] : [`other above ${first.above}`]),
    ...ratesIn(writtenModalities(terms.base)),
    ...extraWords(terms.extras),
  ].join('; ')
}

/** `+20 %`, `-33.3 %`; empty for null. */
export function describePercent(percent: number | null): string {
  return percent === null ? '' : `${percent > 0 ? '+' : ''}${percent} %`
}

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
