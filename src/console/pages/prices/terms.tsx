import { Stack, Text } from '@mantine/core'
import type { PriceTermsView } from '../../../admin/prices/schema.ts'
import { formatCount, formatUsd } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { SmallHint } from '../../parts/text.tsx'
import { Colon } from '../../parts/values.tsx'
import { pairsText } from './form-values.ts'
import { priceText } from './text.ts'

/** Terms in one line. */
export function TermsLine({ terms }: { readonly terms: PriceTermsView }) {
  const text = useText(priceText)
  switch (terms.unit) {
    case 'tokens':
      return (
        <div>
          {text.inOut(formatUsd(terms.input), formatUsd(terms.output))}
          {terms.tiers.length > 0 && <SmallHint>{text.tierCount(terms.tiers.length)}</SmallHint>}
        </div>
      )
    case 'call':
      return text.perCall(formatUsd(terms.per_call))
    case 'free':
      return text.free
    default:
      return text.removed
  }
}

/** Terms with all that is set in them. */
export function TermsDetails({ terms }: { readonly terms: PriceTermsView }) {
  const text = useText(priceText)
  const { language } = useLanguage()
  if (terms.unit === 'call')
    return (
      <Stack gap={2}>
        <TermsLine terms={terms} />
        <Extras terms={terms} />
      </Stack>
    )
  if (terms.unit !== 'tokens') return <TermsLine terms={terms} />
  const named = (rates: Rates) =>
    (
      [
        ['input', text.input],
        ['output', text.output],
        ['cache_read', text.cacheRead],
        ['cache_write', text.cacheWrite],
        ['cache_write_1h', text.cacheWrite1h],
      ] as const
    )
      .flatMap(([name, label]) => {
        const usd = rates[name]
        return usd === null ? [] : [`${label} ${formatUsd(usd)}`]
      })
      .concat(pairsText(rates.others) || [])
      .join(' · ')
  return (
    <Stack gap={2}>
      <Text size="sm">{named(terms)}</Text>
      {terms.tiers.map((tier) => (
        <Text size="sm" key={tier.above}>
          {text.aboveTokens(formatCount(tier.above, language))}: {named(tier)}
        </Text>
      ))}
      <Extras terms={terms} />
    </Stack>
  )
}

/** Tools and service tiers, where the price names some. */
function Extras({
  terms,
}: {
  readonly terms: Extract<PriceTermsView, { unit: 'tokens' | 'call' }>
}) {
  const text = useText(priceText)
  const parts = [
    [text.tools, pairsText(terms.tools)],
    [text.serviceTiers, pairsText(terms.service_tiers)],
  ] as const
  return parts.map(
    ([label, words]) =>
      words !== '' && (
        <Text size="sm" key={label}>
          {label}
          <Colon />
          {words}
        </Text>
      ),
  )
}

type Rates = Omit<Extract<PriceTermsView, { unit: 'tokens' }>['tiers'][number], 'above'>
