import { bilingual } from '../lib/texts.ts'

/** Words of every chart. */
export const chartText = bilingual({
  asTable: ['As a table', '以表格显示'],
  asChart: ['As a chart', '以图表显示'],
  day: ['Day (UTC)', '日期（UTC）'],
  total: ['Total', '合计'],
  nothing: ['Nothing in these days.', '这些天没有数据。'],
  unknown: ['—', '—'],
  notOver: ['not over', '未结束'],
  describe: [
    (title: string) => `${title}: a chart by UTC day. The button shows it as a table.`,
    (title) => `${title}：按 UTC 日期的图表，可用按钮切换为表格。`,
  ],
  table: [(title: string) => `${title}, by UTC day`, (title) => `${title}，按 UTC 日期`],
})
