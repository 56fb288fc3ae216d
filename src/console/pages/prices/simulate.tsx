import { Button, Group, Select, Stack, Table, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SimulationView } from '../../../admin/prices/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { Hint } from '../../parts/text.tsx'
import { Money } from '../../parts/values.tsx'
import { givenPrice, type PriceValues } from './form-values.ts'
import { priceText } from './text.ts'

interface SimulateProps {
  readonly model: string
  readonly values: PriceValues
}

const spans = [1, 7, 30, 90]

/** What recorded requests would have cost by what is in the form. */
export function Simulate({ model, values }: SimulateProps) {
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
        <Select
          label={text.days}
          value={String(days)}
          allowDeselect={false}
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
  const { language } = useLanguage()
  const { requests, charged, simulated, difference, percent, not_compared, is_complete } = result
  if (requests === 0) return <Text>{text.nothing}</Text>
  const change = percent === null ? '' : ` (${percent > 0 ? '+' : ''}${percent} %)`
  return (
    <Stack gap="xs" ref={show}>
      <Table variant="vertical" withTableBorder>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th w="50%">{text.compared}</Table.Th>
            <Table.Td ta="end">{formatCount(requests, language)}</Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th>{text.charged}</Table.Th>
            <Table.Td ta="end">
              <Money usd={charged} />
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th>{text.simulated}</Table.Th>
            <Table.Td ta="end">
              <Money usd={simulated} />
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th>{text.difference}</Table.Th>
            <Table.Td ta="end">
              <Money usd={difference} />
              {change}
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      {not_compared > 0 && (
        <Text size="sm">{text.notCompared(formatCount(not_compared, language))}</Text>
      )}
      {!is_complete && <Text size="sm">{text.incomplete}</Text>}
    </Stack>
  )
}
