import type { Texts } from '../lib/language.tsx'

const en = {
  asTable: 'As a table',
  asChart: 'As a chart',
  day: 'Day (UTC)',
  total: 'Total',
  nothing: 'Nothing in these days.',
  unknown: '—',
  notOver: 'not over',
  describe: (title: string) => `${title}: a chart by UTC day. The button shows it as a table.`,
  table: (title: string) => `${title}, by UTC day`,
}

/** Words of every chart. */
export const chartText: Texts<typeof en> = {
  en,
  zh: {
    asTable: '以表格显示',
    asChart: '以图表显示',
    day: '日期（UTC）',
    total: '合计',
    nothing: '这些天没有数据。',
    unknown: '—',
    notOver: '未结束',
    describe: (title) => `${title}：按 UTC 日期的图表，可用按钮切换为表格。`,
    table: (title) => `${title}，按 UTC 日期`,
  },
}
