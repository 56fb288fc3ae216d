import { Card, Table, Title } from '@mantine/core'
import type { UsageRange } from '../../admin/overview/schema.ts'
import { formatCount } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { Money } from './money.tsx'
import { modelLabel } from './usage-series.ts'
import { usageText } from './usage-text.ts'

/** What was used of each model, what cost most first. */
export function UsageModels({ usage }: { readonly usage: UsageRange }) {
  const text = useText(usageText)
  const { language } = useLanguage()
  const count = (value: number | null) => (value === null ? '—' : formatCount(value, language))
  const columns = [
    [text.requestCount, (row: Row) => count(row.requests)],
    [text.failed, (row: Row) => count(row.failed)],
    [text.input, (row: Row) => count(row.input_tokens)],
    [text.cacheRead, (row: Row) => count(row.cache_read_tokens)],
    [text.cacheWrite, (row: Row) => count(row.cache_write_tokens)],
    [text.output, (row: Row) => count(row.output_tokens)],
    [text.spent, (row: Row) => <Money key="spent" usd={row.amount} />],
  ] as const
  return (
    <Card withBorder padding="md" component="section" aria-label={text.byModel}>
      <Title order={2} size="h5" mb="xs">
        {text.byModel}
      </Title>
      <Table className="list" verticalSpacing="xs">
        <Table.Caption className="visually-hidden">{text.byModel}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.model}</Table.Th>
            {columns.map(([label]) => (
              <Table.Th key={label} ta="end">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {usage.models.map((row) => (
            <Table.Tr key={row.is_other ? '(other)' : `=${row.model}`}>
              <Table.Td data-label={text.model} className="cut">
                {modelLabel(row, text)}
              </Table.Td>
              {columns.map(([label, render]) => (
                <Table.Td key={label} data-label={label} ta="end">
                  {render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  )
}

type Row = UsageRange['models'][number]
