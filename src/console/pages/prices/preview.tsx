import { Badge, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { GroupPreview } from '../../../admin/prices/schema.ts'
import { api, call } from '../../lib/api.ts'
import { faultText } from '../../lib/error-text.ts'
import { formatCount, formatUsd } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Hint, LongText } from '../../parts/text.tsx'
import { givenPrice, isFilledIn, type PriceValues } from './form-values.ts'
import { priceText } from './text.ts'

interface LivePreviewProps {
  readonly model: string
  readonly values: PriceValues
}

/** What each group would charge by what is in the form, as it is typed. */
export function LivePreview({ model, values }: LivePreviewProps) {
  const { language } = useLanguage()
  const text = useText(priceText)
  const [settled] = useDebouncedValue(values, 300)
  const price = givenPrice(settled)
  const query = useQuery({
    queryKey: ['price-preview', model, price],
    queryFn: () => call(api.admin.prices({ model: encodeURIComponent(model) }).preview.post(price)),
    enabled: isFilledIn(settled),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.preview}
      </Title>
      <Hint>{text.previewHint}</Hint>
      {query.error ? (
        <LongText c="red">{faultText(query.error, language)}</LongText>
      ) : (
        query.data && <Preview groups={query.data.groups} />
      )}
    </Stack>
  )
}

type Sold = NonNullable<GroupPreview['before']>

/** What each group charges now and would charge, figure by figure. */
function Preview({ groups }: { readonly groups: readonly GroupPreview[] }) {
  const text = useText(priceText)
  if (groups.length === 0) return <Text c="dimmed">{text.notSold}</Text>
  return (
    <Stack>
      {groups.map((one) => (
        <OneGroup key={one.group} preview={one} />
      ))}
    </Stack>
  )
}

function OneGroup({ preview }: { readonly preview: GroupPreview }) {
  const text = useText(priceText)
  const rows = useFigures(preview)
  const { group, rate_multiplier, before, after } = preview
  return (
    <Table withTableBorder captionSide="top">
      <Table.Caption ta="start">
        <Group gap="xs">
          <Text span fw={600} className="cut">
            {group}
          </Text>
          <Text span c="dimmed">
            × {rate_multiplier}
          </Text>
          {(after ?? before)?.enabled === false && <Badge color="gray">{text.off}</Badge>}
        </Group>
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.price}</Table.Th>
          <Table.Th ta="end">{text.before}</Table.Th>
          <Table.Th ta="end">{text.after}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ label, from, to }) => (
          <Table.Tr key={label}>
            <Table.Td>{label}</Table.Td>
            <Table.Td ta="end" c="dimmed">
              {from === undefined ? '–' : formatUsd(from)}
            </Table.Td>
            <Table.Td ta="end" fw={from === to ? 400 : 700}>
              {to === undefined ? '–' : formatUsd(to)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** All figures of both sides, in the order of the feed. */
function useFigures({ before, after }: GroupPreview) {
  const text = useText(priceText)
  const { language } = useLanguage()
  const labels: Readonly<Record<string, string>> = {
    unit_price: text.usdPerCall,
    input_price: text.input,
    output_price: text.output,
    cache_input_price: text.cacheRead,
    cache_create_price: text.cacheWrite,
    cache_create_price_1h: text.cacheWrite1h,
  }
  const figuresOf = (sold: Sold | null) => {
    if (sold === null) return new Map<string, string>()
    const tiers = sold.tiers.flatMap(({ above, prices }) =>
      Object.entries(prices).map(([name, usd]) => {
        const where = text.aboveTokens(formatCount(above, language))
        return [`${labels[name] ?? name}, ${where}`, usd] as const
      }),
    )
    const base = Object.entries(sold.prices).map(
      ([name, usd]) => [labels[name] ?? name, usd] as const,
    )
    return new Map([...base, ...tiers])
  }
  const [from, to] = [figuresOf(before), figuresOf(after)]
  return [...new Set([...to.keys(), ...from.keys()])].map((label) => ({
    label,
    from: from.get(label),
    to: to.get(label),
  }))
}
