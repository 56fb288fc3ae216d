import { Box, Table } from '@mantine/core'
import { bilingual, useText } from '../lib/language.ts'
import type { ChartProps } from './chart.tsx'
import { TextLink } from './text.tsx'

/** The figures of a chart, newest first; what is not known is a dash. A time leads to its requests. */
export function ChartTable({ title, times, series, totals, to }: ChartProps) {
  const text = useText(chartText)
  const newestFirst = times.map((time, index) => ({ ...time, index })).reverse()
  const columns = [
    ...series.map(({ key, label, values }) => ({
      ...{ key, label, figures: values.map((value) => value?.text ?? '—') },
    })),
    ...(totals ? [{ key: 'total', label: text.total, figures: totals }] : []),
  ]
  return (
    // What scrolls must be reached by the keyboard.
    <Box
      {...{ component: 'section', mah: 320, tabIndex: 0, 'aria-label': text.table(title) }}
      style={{ overflow: 'auto' }}
    >
      <Table stickyHeader withRowBorders={false} fz="sm">
        <Table.Caption className="visually-hidden">{text.table(title)}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.time}</Table.Th>
            {columns.map(({ key, label }) => (
              <Table.Th key={key} ta="end" miw="8rem" className="cut">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {newestFirst.map(({ name, since, until, index }) => (
            <Table.Tr key={since}>
              <Table.Th scope="row" fw={400} style={{ whiteSpace: 'nowrap' }}>
                <TextLink to={to} search={{ since, until }}>
                  {name}
                </TextLink>
                {index === times.length - 1 && ` (${text.notOver})`}
              </Table.Th>
              {columns.map(({ key, figures }) => (
                <Table.Td key={key} ta="end">
                  {figures[index]}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}

export const chartText = bilingual({
  asTable: ['As a table', '以表格显示'],
  asChart: ['As a chart', '以图表显示'],
  total: ['Total', '合计'],
  nothing: ['Nothing in this time.', '此时段没有数据。'],
  notOver: ['not over', '未结束'],
  click: ['Click for the requests', '点击查看请求'],
  describe: [
    '{title}: a chart by time. The button shows it as a table.',
    '{title}：按时间的图表，可用按钮切换为表格。',
  ],
  table: ['{title}, by time', '{title}，按时间'],
})
