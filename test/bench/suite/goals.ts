import { type Report, short, table } from './report.ts'
import { sizeNames } from './size-cases.ts'
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
  coreRatio(name: string, subject: string, other: string): number | undefined
}

type Of<Read> = readonly [name: string, subject: string, read: Read]

const ratioGoal = (title: string, atLeast: number, [name, subject, other]: Of<string>): Goal => ({
  ...{ title, atLeast },
  read: ({ ratio }) => ratio(name, subject, other),
})

/** By requests, or events, per second of a core. */
const coreGoal = (title: string, atLeast: number, [name, subject, other]: Of<string>): Goal => ({
  ...{ title: `${title}, per core-second`, atLeast },
  read: ({ coreRatio }) => coreRatio(name, subject, other),
})

const growthGoal = (title: string, [name, subject, other]: Of<string>): Goal => ({
  ...{ title, atMost: 1.1 },
  read: ({ ratio }) => ratio(name, subject, other),
})

const figureGoal = (title: string, atMost: number, [name, subject, figure]: Of<FigureName>) => ({
  ...{ title, atMost },
  read: (reader: Reader) => reader.figure(name, subject, figure),
})

const { few, full, small, large } = sizeNames

const goals: readonly Goal[] = [
  coreGoal('small JSON, 64 connections, × bare proxy', 0.55, ['json-64', 'tollgate', 'bare']),
  ratioGoal('small JSON, 64 connections, × Node gateway', 20, ['json-64', 'tollgate', 'portkey']),
  {
    title: 'CPU of a small request, two workers and keeper, × bare proxy',
    atMost: 1.9,
    read: ({ figure }) =>
      divided(figure('json-64', 'workers-2', 'cpuUs'), figure('json-64', 'bare', 'cpuUs')),
  },
  figureGoal('system calls of a small request', 9, ['costs', 'tollgate', 'systemCalls']),
  figureGoal('added p50 at 1 connection, ms', 0.2, ['json-1', 'tollgate', 'addedP50Ms']),
  figureGoal('added p99 at half load, ms', 5, ['half-load', 'tollgate', 'addedP99Ms']),
  coreGoal('400 KB prompts, × bare proxy', 0.4, ['prompt-400k', 'tollgate', 'bare']),
  coreGoal('streams, 64 at once, × bare proxy', 0.85, ['streams-64', 'tollgate', 'bare']),
  coreGoal('streams, 1,000 at once, × bare proxy', 0.85, ['streams-1000', 'tollgate', 'bare']),
  coreGoal('translated, 64 at once, × bare proxy', 0.6, ['streams-64', 'translating', 'bare']),
  figureGoal('KB of an idle stream of 1,000', 40, ['idle-streams-1000', 'tollgate', 'kbPerStream']),
  figureGoal('KB of an idle stream of 5,000', 40, ['idle-streams-5000', 'tollgate', 'kbPerStream']),
  figureGoal('idle, empty database, MB', 85, ['idle', few, 'residentMb']),
  figureGoal('idle, full database, MB', 85, ['idle', full, 'residentMb']),
  figureGoal('first answer, empty database, ms', 150, ['start', few, 'firstAnswerMs']),
  figureGoal('first answer, full database, ms', 150, ['start', full, 'firstAnswerMs']),
  growthGoal('CPU of a request, full × empty database', ['full-database', full, few]),
  growthGoal('CPU of a request, large × small catalog', ['large-catalog', large, small]),
]

const divided = (ours: number | undefined, theirs: number | undefined) =>
  ours === undefined || theirs === undefined ? undefined : ours / theirs

/** Each promise with what was measured. */
export function describeGoals({ cases }: Report): string[] {
  const reader: Reader = {
    figure: (name, subject, figure) => cases[name]?.subjects[subject]?.figures[figure]?.median,
    ratio: (name, subject, other) => cases[name]?.subjects[subject]?.ratios[other]?.median,
    coreRatio: (name, subject, other) => cases[name]?.subjects[subject]?.coreRatios[other]?.median,
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
