import type { Report } from './report.ts'
import { short, table } from './report.ts'
import type { FigureName } from './summary.ts'

/** What is promised, and how it is read from a report. */
interface Goal {
  readonly title: string
  readonly atLeast?: number
  readonly atMost?: number
  readonly read: (read: Reader) => number | undefined
}

/** Reads medians; undefined where that was not measured. */
interface Reader {
  figure(name: string, subject: string, figure: FigureName): number | undefined
  ratio(name: string, subject: string, other: string): number | undefined
}

const ratioGoal = (
  title: string,
  atLeast: number,
  [name, subject, other]: [string, string, string],
) => ({
  title,
  atLeast,
  read: ({ ratio }: Reader) => ratio(name, subject, other),
})

const goals: readonly Goal[] = [
  ratioGoal('small JSON, 64 connections, × bare proxy', 0.85, ['json-64', 'tollgate', 'bare']),
  ratioGoal('small JSON, 64 connections, × nginx', 0.45, ['json-64', 'tollgate', 'nginx']),
  ratioGoal('small JSON, 64 connections, × Node gateway', 20, ['json-64', 'tollgate', 'portkey']),
  {
    title: 'added p50 at 1 connection, × the bare proxy’s own',
    atMost: 1.5,
    read: ({ figure }) =>
      divided(figure('json-1', 'tollgate', 'addedP50Ms'), figure('json-1', 'bare', 'addedP50Ms')),
  },
  ratioGoal('400 KB prompts, MB/s × bare proxy', 0.8, ['prompt-400k', 'tollgate', 'bare']),
  ratioGoal('streams, 64 at once, × bare proxy', 0.8, ['streams-64', 'tollgate', 'bare']),
  ratioGoal('streams, 1,000 at once, × bare proxy', 0.8, ['streams-1000', 'tollgate', 'bare']),
  ratioGoal('streams translated, × bare proxy', 0.5, ['streams-64', 'translating', 'bare']),
]

const divided = (ours: number | undefined, theirs: number | undefined) =>
  ours === undefined || theirs === undefined ? undefined : ours / theirs

/** Each promise with what was measured. */
export function describeGoals({ cases }: Report): string[] {
  const reader: Reader = {
    figure: (name, subject, figure) => cases[name]?.subjects[subject]?.figures[figure]?.median,
    ratio: (name, subject, other) => cases[name]?.subjects[subject]?.ratios[other]?.median,
  }
  const rows = goals.map(({ title, atLeast, atMost, read }) => {
    const value = read(reader)
    const wanted = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
    if (value === undefined) return [title, wanted, '', 'not measured']
    const isMet = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity)
    return [title, wanted, short(value), isMet ? 'met' : 'MISSED']
  })
  return table([['Goals', '', '', ''], ...rows])
}
