import { Stack, Text } from '@mantine/core'
import type { PriceTermsView } from '../../../admin/prices/schema.ts'
import { formatUsd } from '../../../look/money.ts'
import { useText } from '../../lib/language.ts'
import { Labelled, useColon } from '../../parts/text.tsx'
import { pairsText, rateNames } from './fields.ts'
import { priceText } from './text.ts'

/** Terms with all that is set in them. */
export function TermsDetails({ terms }: { readonly terms: PriceTermsView }) {
  const text = useText(priceText)
  const colon = useColon()
  if (terms.unit === 'free') return text.free
  if (terms.unit === 'none') return text.removed
  if (terms.unit === 'call')
    return (
      <Stack gap={2}>
        <Text size="sm">{text.perCall(formatUsd(terms.per_call))}</Text>
        <Extras terms={terms} />
      </Stack>
    )
  const named = (rates: Rates) =>
    rateNames
      .flatMap((name) => {
        const usd = rates[name]
        return usd === null ? [] : [`${text[name]}\u00a0${formatUsd(usd)}`]
      })
      .concat(pairsText(rates.others) || [])
      .join(' · ')
  return (
    <Stack gap={2}>
      <Text size="sm">{named(terms)}</Text>
      {terms.tiers.map((tier) => (
        <Text size="sm" key={tier.above}>
          {text.aboveTokens(tier.above)}
          {colon}
          {named(tier)}
        </Text>
      ))}
      <Extras terms={terms} />
    </Stack>
  )
}

function Extras({ terms }: { terms: Extract<PriceTermsView, { unit: 'tokens' | 'call' }> }) {
  const text = useText(priceText)
  const parts = [
    [text.tools, pairsText(terms.tools)],
    [text.service_tiers, pairsText(terms.service_tiers)],
  ] as const
  return parts.map(
    ([label, words]) =>
      words !== '' && (
        <Labelled label={label} key={label}>
          {words}
        </Labelled>
      ),
  )
}

type Rates = Omit<Extract<PriceTermsView, { unit: 'tokens' }>['tiers'][number], 'above'>

/** What the figures of the feed are called. */
export const feedLabels = (text: (typeof priceText)['en']) => ({
  unit_price: text.per_call,
  input_price: text.input,
  output_price: text.output,
  cache_input_price: text.cache_read,
  cache_create_price: text.cache_write,
  cache_create_price_1h: text.cache_write_1h,
})
