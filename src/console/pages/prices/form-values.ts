import type { GivenPrice, PriceTermsView, PriceView } from '../../../admin/prices/schema.ts'

/** What is counted in every price of tokens. */
export const rateNames = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const

/** Prices of a tier as a form has them; empty: not set. */
interface RateValues extends Record<(typeof rateNames)[number], string> {
  /** `input_audio=32, output_audio=64`. */
  others: string
}

interface TierValues extends RateValues {
  above: string
  /** Tells rows apart while they come and go. */
  key: string
}

/** A price as a form has it. */
export interface PriceValues extends RateValues {
  unit: 'tokens' | 'call' | 'free'
  tiers: TierValues[]
  context_window: string
  per_call: string
  /** `web_search=10, mcp=free`. */
  tools: string
  /** `priority=2, flex=0.5`. */
  service_tiers: string
  note: string
}

/** Makes something of each price of a tier. */
const eachRate = <Value>(make: (name: (typeof rateNames)[number]) => Value) =>
  Object.fromEntries(rateNames.map((name) => [name, make(name)])) as Record<
    (typeof rateNames)[number],
    Value
  >

const noRates: RateValues = { ...eachRate(() => ''), others: '' }

let tierCount = 0
/** A tier of a form with nothing in it. */
export const emptyTier = (): TierValues => ({ ...noRates, above: '', key: `tier ${++tierCount}` })

type Tokens = Extract<PriceTermsView, { unit: 'tokens' }>
type Rates = Omit<Tokens, 'unit' | 'tiers' | 'tools' | 'service_tiers'>
const rateValues = (rates: Rates): RateValues => ({
  ...eachRate((name) => rates[name] ?? ''),
  others: pairsText(rates.others),
})

/** Prices by name, as one writes them in a line. */
export const pairsText = (prices: { readonly [name: string]: string }): string =>
  Object.entries(prices)
    .map(([name, price]) => `${name}=${price}`)
    .join(', ')

/** The same read again; what has no price is told by the API. */
const pairs = (text: string): { [name: string]: string } =>
  Object.fromEntries(
    text.split(/[,\n]/).flatMap((part) => {
      const [name = '', ...rest] = part.trim().split('=')
      return name === '' ? [] : [[name.trim(), rest.join('=').trim() || '?']]
    }),
  )

/** The field of the form that a field of the API is shown in. */
export function fieldOf(field: string): string {
  const [, tier = '', name = ''] = /^(tiers\.\d+\.)?([^.]*)/.exec(field) ?? []
  if (name === 'tools' || name === 'service_tiers') return name
  return /^(input|output|cache_read)_(audio|image|video)$/.test(name) ? `${tier}others` : field
}

/** Terms as the fields of a form. */
export function termsValues(terms: PriceTermsView | undefined) {
  const unit = terms?.unit === undefined || terms.unit === 'none' ? 'tokens' : terms.unit
  const nothing = { ...noRates, unit, tiers: [], per_call: '', tools: '', service_tiers: '' }
  if (terms?.unit !== 'tokens' && terms?.unit !== 'call') return nothing
  const extras = { tools: pairsText(terms.tools), service_tiers: pairsText(terms.service_tiers) }
  if (terms.unit === 'call') return { ...nothing, per_call: terms.per_call, ...extras }
  const tiers = terms.tiers.map((tier) =>
    // A tier that is on record is the same one whenever it is read.
    ({ ...rateValues(tier), above: String(tier.above), key: `above ${tier.above}` }),
  )
  return { ...nothing, ...rateValues(terms), tiers, ...extras }
}

/** The form of a price as it is. */
export function valuesOf({ price }: PriceView): PriceValues {
  return {
    ...termsValues(price?.terms),
    context_window: price?.context_window == null ? '' : String(price.context_window),
    note: price?.note ?? '',
  }
}

const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
const given = (rates: RateValues) => ({
  ...eachRate((name) => orNull(rates[name])),
  others: pairs(rates.others),
})

/** What the API is told. */
export function givenPrice(values: PriceValues): GivenPrice {
  const extras = { tools: pairs(values.tools), service_tiers: pairs(values.service_tiers) }
  switch (values.unit) {
    case 'call':
      return { per_call: values.per_call.trim(), ...extras }
    case 'free':
      return { free: true }
    case 'tokens':
      return {
        ...given(values),
        tiers: values.tiers.map((tier) => ({ above: tier.above.trim(), ...given(tier) })),
        context_window: orNull(values.context_window),
        ...extras,
      }
  }
}

/** Whether all that a price must have is filled in: before, the API need not be asked about it. */
export function isFilledIn({ unit, per_call, tiers, ...rates }: PriceValues): boolean {
  const isGiven = (text: string) => text.trim() !== ''
  const hasBoth = ({ input, output }: RateValues) => isGiven(input) && isGiven(output)
  if (unit === 'call') return isGiven(per_call)
  return (
    unit === 'free' || ([rates, ...tiers].every(hasBoth) && tiers.every((t) => isGiven(t.above)))
  )
}
