import { Badge, Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { GroupPreview, SimulationView } from '../../../admin/prices/schema.ts'
import { formatUsd } from '../../../look/money.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { messageOf } from '../../lib/error-text.ts'
import { formatCount, useText } from '../../lib/language.ts'
import { ChoiceInput } from '../../parts/choice-input.tsx'
import { ErrorNotice } from '../../parts/page.tsx'
import { column, DataTable, figure } from '../../parts/table.tsx'
import { Hint, LongText, Money } from '../../parts/text.tsx'
import { givenPrice, isFilledIn, type PriceValues } from './fields.ts'
import { feedLabels } from './terms.tsx'
import { priceText } from './text.ts'

/** What each group would charge by what is in the form, as it is typed. */
export function LivePreview({ model, values }: { model: string; values: PriceValues }) {
  const text = useText(priceText)
  const [settled] = useDebouncedValue(values, 300)
  const price = givenPrice(settled)
  const query = useCall(
    ['price-preview', model, price],
    () => api.admin.prices({ model: encodeURIComponent(model) }).preview.post(price),
    { enabled: isFilledIn(settled), placeholderData: keepPreviousData, gcTime: 0 },
  )
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.preview}
      </Title>
      <Hint>{text.previewHint}</Hint>
      {query.data?.groups.length === 0 && <Text c="dimmed">{text.notSold}</Text>}
      {query.error ? (
        <LongText c="red">{messageOf(query.error)}</LongText>
      ) : (
        <Stack>
          {query.data?.groups.map((one) => (
            <OneGroup key={one.group} preview={one} />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

type Sold = NonNullable<GroupPreview['before']>
type Figure = ReturnType<typeof useFigures>[number]

function OneGroup({ preview }: { readonly preview: GroupPreview }) {
  const text = useText(priceText)
  const { group, rate_multiplier, before, after } = preview
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text span fw={600} className="cut">
          {group}
        </Text>
        <Text span c="dimmed">
          × {rate_multiplier}
        </Text>
        {(after ?? before)?.enabled === false && <Badge color="gray">{text.off}</Badge>}
      </Group>
      <DataTable<Figure>
        items={useFigures(preview)}
        keyOf={({ label }) => label}
        caption={group}
        withTableBorder
        columns={[
          column(text.price, ({ label }) => label),
          figure(text.before, ({ from }) => usdOrNone(from)),
          figure(text.after, ({ from, to }) =>
            from === to ? usdOrNone(to) : <b>{usdOrNone(to)}</b>,
          ),
        ]}
      />
    </Stack>
  )
}

const usdOrNone = (usd: string | undefined) => (usd === undefined ? '—' : formatUsd(usd))

/** All figures of both sides, in the order of the feed. */
function useFigures({ before, after }: GroupPreview) {
  const text = useText(priceText)
  const labels: Readonly<Record<string, string>> = feedLabels(text)
  const figuresOf = (sold: Sold | null) => {
    if (sold === null) return new Map<string, string>()
    const tiers = sold.tiers.map(({ above, prices }) => ({
      ...{ prices, where: text.comma + text.aboveTokens(above) },
    }))
    const figures = [{ prices: sold.prices, where: '' }, ...tiers].flatMap(({ prices, where }) =>
      Object.entries(prices).map(([name, usd]) => [(labels[name] ?? name) + where, usd] as const),
    )
    return new Map(figures)
  }
  const [from, to] = [figuresOf(before), figuresOf(after)]
  return [...new Set([...to.keys(), ...from.keys()])].map((label) => ({
    label,
    from: from.get(label),
    to: to.get(label),
  }))
}

const spans = [1, 7, 30, 90]

/** What recorded requests would have cost by what is in the form. */
export function Simulate({ model, values }: { model: string; values: PriceValues }) {
  const text = useText(priceText)
  const [days, setDays] = useState(7)
  const order = { ...givenPrice(values), days }
  const run = useMutation({
    mutationFn: (asked: typeof order) =>
      call(api.admin.prices({ model: encodeURIComponent(model) }).simulate.post(asked)),
  })
  // What was found of another price, or of other days, says nothing of these.
  const isOfThese = JSON.stringify(run.variables) === JSON.stringify(order)
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.simulate}
      </Title>
      <Hint>{text.runHint}</Hint>
      <Group align="flex-end">
        <ChoiceInput
          label={text.days}
          value={String(days)}
          data={spans.map((count) => ({ value: String(count), label: text.dayCount(count) }))}
          onChange={(value) => setDays(Number(value ?? 7))}
        />
        <Button variant="default" loading={run.isPending} onClick={() => run.mutate(order)}>
          {text.run}
        </Button>
      </Group>
      <div aria-live="polite">
        {isOfThese && run.error && <ErrorNotice error={run.error} />}
        {isOfThese && run.data && <Result result={run.data} />}
      </div>
    </Stack>
  )
}

/** It appears below the button that was pressed, where the form may have ended. */
const show = (result: HTMLElement | null) => result?.scrollIntoView({ block: 'nearest' })

function Result({ result }: { readonly result: SimulationView }) {
  const text = useText(priceText)
  const { requests, charged, simulated, difference, percent, not_compared, is_complete } = result
  if (requests === 0) return <Text>{text.nothing}</Text>
  const money = (usd: string) => <Money usd={usd} />
  const change = percent === null ? '' : ` (${percent > 0 ? '+' : ''}${percent} %)`
  const rows = [
    [text.compared, formatCount(requests)],
    [text.charged, money(charged)],
    [text.simulated, money(simulated)],
    [
      text.difference,
      <>
        {money(difference)}
        {change}
      </>,
    ],
  ] as const
  return (
    <Stack gap="xs" ref={show}>
      <Table variant="vertical" withTableBorder>
        <Table.Tbody>
          {rows.map(([label, figure]) => (
            <Table.Tr key={label}>
              <Table.Th w="50%">{label}</Table.Th>
              <Table.Td ta="end">{figure}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {not_compared > 0 && <Text size="sm">{text.notCompared(not_compared)}</Text>}
      {!is_complete && <Text size="sm">{text.incomplete}</Text>}
    </Stack>
  )
}
