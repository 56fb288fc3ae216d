import { effectiveRates, type TextRates } from '../billing/charge.ts'
import { extraWords, writtenModalities } from '../billing/extras.ts'
import { formatDecimal, formatNano, priceDecimals } from '../billing/money.ts'
import type { Column } from '../lib/table.ts'
import type { PriceRow, PriceTerms, TokenRates } from '../store/ports/catalog.ts'

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

function describeRates(rates: TokenRates): string {
  const named: readonly (readonly [string, number | null])[] = [
    ['input', rates.input],
    ['output', rates.output],
    ['cache read', rates.cacheRead],
    ['cache write', rates.cacheWrite],
    ['cache write 1h', rates.cacheWrite1h],
  ]
  return [
    ...named.flatMap(([name, micro]) => (micro === null ? [] : `${name} ${usd(micro)}`)),
    ...Object.entries(writtenModalities(rates)).map(
      ([name, text]) => `${name.replaceAll('_', ' ')} ${text}`,
    ),
  ].join(', ')
}

const usd = (micro: number) => formatDecimal(micro, priceDecimals)

const rate = (title: string, kind: keyof TextRates): Column<PriceRow> => ({
  title,
  right: true,
  text: ({ terms }) => (terms.unit === 'tokens' ? usd(effectiveRates(terms.base)[kind]) : ''),
})

/** Columns of `list`: USD per 1M tokens, fallbacks included. */
export const priceColumns: readonly Column<PriceRow>[] = [
  { title: 'MODEL', text: ({ model }) => model },
  rate('INPUT', 'input'),
  rate('OUTPUT', 'output'),
  rate('CACHE READ', 'cacheRead'),
  rate('CACHE WRITE', 'cacheWrite'),
  rate('WRITE 1H', 'cacheWrite1h'),
  { title: 'OTHERWISE', text: ({ terms }) => describeOther(terms) },
  { title: 'SET BY', text: ({ source }) => source },
  { title: 'SINCE', text: ({ validFrom }) => new Date(validFrom).toISOString().slice(0, 10) },
  { title: 'NOTE', text: ({ note }) => note },
]

function describeOther(terms: PriceTerms): string {
  if (terms.unit !== 'tokens') return describeTerms(terms)
  const [first] = terms.tiers
  const others = Object.entries(writtenModalities(terms.base))
  return [
    ...(first === undefined ? [] : [`other above ${first.above}`]),
    ...others.map(([name, text]) => `${name.replaceAll('_', ' ')} ${text}`),
    ...extraWords(terms.extras),
  ].join('; ')
}

/** `+20 %`, `-33.3 %`; empty for null. */
export function describePercent(percent: number | null): string {
  return percent === null ? '' : `${percent > 0 ? '+' : ''}${percent} %`
}
