import type { GivenPrice, PriceTermsView, PriceView } from '../../../admin/prices/schema.ts'
import { formOf, type Typed } from '../../parts/form-fields.ts'

/** The rates of every price of tokens. */
export const rateNames = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const

/** Prices by name, as they are typed in a line: `web_search=10, mcp=free`. */
export const pairsText = (prices: { readonly [name: string]: string } = {}): string =>
  Object.entries(prices)
    .map(([name, price]) => `${name}=${price}`)
    .join(', ')

const pairs = {
  input: 'line',
  fill: pairsText,
  show: pairsText,
  // The API says what is wrong with a name without a price.
  read: (typed: string): { [name: string]: string } =>
    Object.fromEntries(
      typed.split(/[,\n]/).flatMap((part) => {
        const [name = '', ...rest] = part.trim().split('=')
        return name === '' ? [] : [[name.trim(), rest.join('=').trim() || '?']]
      }),
    ),
} as const

/** The prices of tokens, of one tier. */
export const rateFields = {
  input: 'usd',
  output: 'usd',
  cache_read: 'usd',
  cache_write: 'usd',
  cache_write_1h: 'usd',
  others: pairs,
} as const
const rates = formOf(rateFields)

type Tokens = Extract<PriceTermsView, { unit: 'tokens' }>
type TierValues = Typed<typeof rateFields> & {
  readonly above: string
  /** Tells rows apart while they come and go. */
  readonly key: string
}

let tierCount = 0
export const emptyTier = (): TierValues => ({
  ...rates.valuesOf(undefined),
  above: '',
  key: `tier ${++tierCount}`,
})

const termsFields = {
  ...rateFields,
  tiers: {
    // A stored tier keeps its key whenever it is read.
    fill: (tiers?: Tokens['tiers']): TierValues[] =>
      (tiers ?? []).map((tier) => ({
        ...rates.valuesOf(tier),
        above: String(tier.above),
        key: `above ${tier.above}`,
      })),
    read: (tiers: TierValues[]) =>
      tiers.map((tier) => ({ above: tier.above.trim(), ...rates.settingsOf(tier) })),
  },
  per_call: 'word',
  tools: pairs,
  service_tiers: pairs,
} as const
const form = formOf(termsFields)
export const { shown: shownTerms } = form

export interface PriceValues extends Typed<typeof termsFields> {
  unit: 'tokens' | 'call' | 'free'
  context_window: string
  note: string
}

/** The field of the form that a field of the API is shown in. */
export function fieldOf(field: string): string {
  const [, tier = '', name = ''] = /^(tiers\.\d+\.)?([^.]*)/.exec(field) ?? []
  if (name === 'tools' || name === 'service_tiers') return name
  return /^(input|output|cache_read)_(audio|image|video)$/.test(name) ? `${tier}others` : field
}

/** Terms as the fields of a form. */
export const termsValues = (terms: PriceTermsView | undefined) => ({
  ...form.valuesOf(terms as never),
  unit: terms === undefined || terms.unit === 'none' ? ('tokens' as const) : terms.unit,
})

/** The form of a price as it is. */
export const valuesOf = ({ price }: PriceView): PriceValues => ({
  ...termsValues(price?.terms),
  context_window: price?.context_window == null ? '' : String(price.context_window),
  note: price?.note ?? '',
})

/** The price that the API gets. */
export function givenPrice({ unit, context_window, note: _, ...typed }: PriceValues): GivenPrice {
  if (unit === 'free') return { free: true }
  const { per_call, tools, service_tiers, ...tokens } = form.settingsOf(typed)
  const extras = { tools, service_tiers }
  if (unit === 'call') return { per_call, ...extras }
  return { ...tokens, context_window: context_window.trim() || null, ...extras }
}

/** Whether all that a price must have is filled in: before, the API need not be asked about it. */
export function isFilledIn({ unit, per_call, tiers, ...first }: PriceValues): boolean {
  const isGiven = (text: string) => text.trim() !== ''
  const hasBoth = ({ input, output }: Typed<typeof rateFields>) => isGiven(input) && isGiven(output)
  if (unit === 'call') return isGiven(per_call)
  return (
    unit === 'free' || ([first, ...tiers].every(hasBoth) && tiers.every((t) => isGiven(t.above)))
  )
}
