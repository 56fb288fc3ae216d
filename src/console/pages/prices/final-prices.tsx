import { Stack, Text } from '@mantine/core'
import type { FeedRowView } from '../../../admin/prices/schema.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { priceText } from './text.ts'

type Prices = FeedRowView['prices']

/** The figures of the feed with their names; those that are equal share a line. */
export function FinalPrices({ prices }: { readonly prices: Prices }) {
  const text = useText(priceText)
  if (prices.unit_price !== undefined) return text.perCall(formatUsd(prices.unit_price))
  const labels = {
    input_price: text.input,
    output_price: text.output,
    cache_input_price: text.cacheRead,
    cache_create_price: text.cacheWrite,
    cache_create_price_1h: text.cacheWrite1h,
  } as const
  const names = Object.keys(labels) as (keyof typeof labels)[]
  const main = names.slice(0, 2)
  const rest = names.slice(2)
  const line = (some: readonly (keyof typeof labels)[]) =>
    some.map((name) => `${labels[name]} ${formatUsd(prices[name] ?? '0')}`).join(' · ')
  return (
    <Stack gap={0}>
      <Text size="sm">{line(main)}</Text>
      <Text size="xs" c="dimmed">
        {line(rest)}
      </Text>
    </Stack>
  )
}
