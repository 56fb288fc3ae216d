import { pairwise, type Spread, spreadOf } from './numbers.ts'

/** What one measurement may say; each figure with its unit. */
export const figureNames = [
  'perSecond',
  'perCoreSecond',
  'mbPerSecond',
  'p50Ms',
  'p90Ms',
  'p99Ms',
  'addedP50Ms',
  'addedP90Ms',
  'addedP99Ms',
  'cpuUs',
  'systemCalls',
  'garbageKb',
  'collections',
  'longestPauseMs',
  'residentMb',
  'kbPerStream',
  'listeningMs',
  'firstAnswerMs',
  'stolenPercent',
] as const
export type FigureName = (typeof figureNames)[number]
export type Figures = Readonly<Partial<Record<FigureName, number>>>

/** The measurements of a case, in the order of the rounds. */
export interface Measured {
  readonly subject: string
  readonly rounds: readonly Figures[]
  /** Why it could not be measured. */
  readonly trouble?: string
}

/** A case's subjects with medians, spreads and ratios; nothing but objects, numbers and texts. */
export interface CaseSummary {
  readonly title: string
  readonly counts: string
  readonly subjects: Readonly<Record<string, SubjectSummary>>
}

export interface SubjectSummary {
  readonly figures: Readonly<Partial<Record<FigureName, Spread>>>
  /** To other subjects, of the same rounds, in what the case compares. */
  readonly ratios: Readonly<Record<string, Spread>>
  /** The same in requests, or events, per second of a core: a busy machine distorts it less. */
  readonly coreRatios: Readonly<Record<string, Spread>>
  readonly trouble?: string
}

/** What a case compares its subjects in, and with which. */
export interface Comparison {
  readonly figure: FigureName
  readonly with: readonly string[]
}

/** Sums a case up; latencies get what they lie above those of the subject `direct`. */
export function summarise(
  { title, counts, comparison }: { title: string; counts: string; comparison: Comparison },
  measured: readonly Measured[],
): CaseSummary {
  const direct = measured.find(({ subject }) => subject === 'direct')
  const subjects = measured.map(({ subject, rounds, trouble }) => {
    const all = direct && subject !== 'direct' ? withAdded(rounds, direct.rounds) : rounds
    return [
      subject,
      {
        figures: figuresOf(all),
        ratios: ratiosOf(subject, rounds, measured, comparison),
        coreRatios: ratiosOf(subject, rounds, measured, { ...comparison, figure: 'perCoreSecond' }),
        ...(trouble !== undefined && { trouble }),
      },
    ] as const
  })
  return { title, counts, subjects: Object.fromEntries(subjects) }
}

function withAdded(rounds: readonly Figures[], direct: readonly Figures[]): Figures[] {
  return rounds.map((figures, round) => {
    const above = (name: FigureName) => {
      const value = (figures[name] ?? Number.NaN) - (direct[round]?.[name] ?? Number.NaN)
      return value
    }
    return {
      ...figures,
      addedP50Ms: above('p50Ms'),
      addedP90Ms: above('p90Ms'),
      addedP99Ms: above('p99Ms'),
    }
  })
}

function figuresOf(rounds: readonly Figures[]): SubjectSummary['figures'] {
  const found = figureNames.flatMap((name) => {
    const spread = spreadOf(rounds.map((figures) => figures[name] ?? Number.NaN))
    return spread === undefined ? [] : [[name, rounded(spread)] as const]
  })
  return Object.fromEntries(found)
}

function ratiosOf(
  subject: string,
  rounds: readonly Figures[],
  measured: readonly Measured[],
  comparison: Comparison,
): Record<string, Spread> {
  const valuesOf = (of: readonly Figures[]) =>
    of.map((figures) => figures[comparison.figure] ?? Number.NaN)
  const found = comparison.with.flatMap((name) => {
    const other = measured.find((one) => one.subject === name && name !== subject)
    const spread =
      other && spreadOf(pairwise(valuesOf(rounds), valuesOf(other.rounds), (a, b) => a / b))
    return spread === undefined ? [] : [[name, rounded(spread)] as const]
  })
  return Object.fromEntries(found)
}

/** To four figures: more is noise. */
function rounded({ median, min, max }: Spread): Spread {
  const round = (value: number) => Number(value.toPrecision(4))
  return { median: round(median), min: round(min), max: round(max) }
}
