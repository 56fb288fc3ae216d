import type { Spread } from './numbers.ts'
import { type CaseSummary, type FigureName, figureNames, type SubjectSummary } from './summary.ts'

/** All that a run came to. */
export interface Report {
  readonly machine: Readonly<Record<string, string | number>>
  readonly options: Readonly<Record<string, number>>
  readonly cases: Readonly<Record<string, CaseSummary>>
}

const figureTitles: Readonly<Record<FigureName, string>> = {
  perSecond: '/s',
  perCoreSecond: '/core-s',
  mbPerSecond: 'MB/s',
  p50Ms: 'p50 ms',
  p90Ms: 'p90 ms',
  p99Ms: 'p99 ms',
  addedP50Ms: '+p50 ms',
  addedP90Ms: '+p90 ms',
  addedP99Ms: '+p99 ms',
  cpuUs: 'CPU µs',
  systemCalls: 'system calls',
  garbageKb: 'garbage KB',
  collections: 'collections/1,000',
  longestPauseMs: 'longest pause ms',
  residentMb: 'MB',
  kbPerStream: 'KB/stream',
  listeningMs: 'listening ms',
  firstAnswerMs: 'first answer ms',
  stolenPercent: 'stolen %',
}

/** What a report begins with. */
export function describeHead({ machine, options }: Pick<Report, 'machine' | 'options'>): string[] {
  const said = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')
  return [
    `${said(machine)}; ${said(options)}`,
    'Medians of the rounds, in brackets the lowest and the highest. Ratios are of the same round.',
  ]
}

/** A case as a table; ratios of `last` are shown beside what was found. */
export function describeCase(
  { title, counts, subjects }: CaseSummary,
  last?: CaseSummary,
): string[] {
  const found = Object.values(subjects)
  const figures = figureNames.filter((name) => found.some(({ figures }) => figures[name]))
  const compared = [...new Set(found.flatMap(({ ratios }) => Object.keys(ratios)))]
  const byCore = [...new Set(found.flatMap(({ coreRatios }) => Object.keys(coreRatios)))]
  const head = [
    '',
    ...figures.map((name) => figureTitles[name]),
    ...compared.flatMap((name) => [`× ${name}`, ...(last ? ['last'] : [])]),
    ...byCore.map((name) => `× ${name}/core-s`),
  ]
  const rows = Object.entries(subjects).map(([name, subject]) => [
    name,
    ...figures.map((figure) => describeFigure(figure, subject.figures[figure])),
    ...compared.flatMap((other) => [
      describeSpread(subject.ratios[other]),
      ...(last ? [lastRatio(last.subjects[name], other)] : []),
    ]),
    ...byCore.map((other) => describeSpread(subject.coreRatios[other])),
    subject.trouble ?? '',
  ])
  return ['', `${title} (${counts})`, ...table([head, ...rows])]
}

const lastRatio = (subject: SubjectSummary | undefined, other: string) => {
  const median = subject?.ratios[other]?.median
  return median === undefined ? '' : short(median)
}

/** Of these the median says enough in a table. */
const calm: ReadonlySet<FigureName> = new Set([
  ...(['p50Ms', 'p90Ms', 'p99Ms', 'addedP50Ms', 'addedP90Ms', 'addedP99Ms'] as const),
  ...(['residentMb', 'stolenPercent'] as const),
])

const describeFigure = (name: FigureName, spread: Spread | undefined) =>
  spread !== undefined && calm.has(name) ? short(spread.median) : describeSpread(spread)

const describeSpread = (spread: Spread | undefined) =>
  spread === undefined ? '' : `${short(spread.median)} (${short(spread.min)}–${short(spread.max)})`

/** Three figures of a number, without an exponent. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (size >= 100) return Math.round(value).toString()
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3)
}

/** Lines with columns below each other; empty columns go. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const count = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
