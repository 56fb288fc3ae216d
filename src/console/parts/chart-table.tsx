import { Box, Table } from '@mantine/core'
import { useText } from '../lib/language.tsx'
import type { ChartSeries } from './chart-data.ts'
import { chartText } from './chart-text.ts'

interface ChartTableProps {
  readonly title: string
  readonly days: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly totals?: readonly string[]
}

/** What a chart shows, newest first; what is not known is a dash. */
export function ChartTable({ title, days, series, totals }: ChartTableProps) {
  const text = useText(chartText)
  const newestFirst = days.map((day, index) => ({ day, index })).reverse()
  return (
    <Box
      component="section"
      style={{ overflow: 'auto', maxHeight: 320 }}
      // What scrolls is to be reached by the keyboard.
      tabIndex={0}
      aria-label={text.table(title)}
    >
      <Table stickyHeader withRowBorders={false} fz="sm">
        <Table.Caption className="visually-hidden">{text.table(title)}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.day}</Table.Th>
            {series.map(({ key, label }) => (
              <Table.Th key={key} ta="end" miw="8rem" className="cut">
                {label}
              </Table.Th>
            ))}
            {totals && <Table.Th ta="end">{text.total}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {newestFirst.map(({ day, index }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" fw={400} style={{ whiteSpace: 'nowrap' }}>
                {day}
                {index === days.length - 1 && ` (${text.notOver})`}
              </Table.Th>
              {series.map(({ key, values }) => (
                <Table.Td key={key} ta="end">
                  {values[index]?.text ?? text.unknown}
                </Table.Td>
              ))}
              {totals && <Table.Td ta="end">{totals[index]}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
