import type { Outcome } from './clients/crowd.ts'
import type { Gap } from './gap.ts'

/** What one kind of fault came to, alone and with others. */
export interface KindReport {
  times: number
  answers: number
  charges: number
  /** From the end of the fault until every node was ready, in milliseconds. */
  readonly readyMs: number[]
  /** What clients noticed of it when it came alone. */
  readonly gaps: Gap[]
}

/** What a rehearsal came to; it went well when `findings` is empty. */
export interface Report {
  readonly seed: number
  /** Singly or in pairs. */
  faults: number
  /** Received whole. */
  answers: number
  charges: number
  readonly kinds: Map<string, KindReport>
  /** How clients' requests ended. */
  readonly endings: Map<string, number>
  /** Why kinds of faults were left out. */
  readonly skipped: Map<string, string>
  readonly findings: string[]
}

export const emptyReport = (seed: number): Report => ({
  ...{ seed, faults: 0, answers: 0, charges: 0 },
  ...{ kinds: new Map(), endings: new Map(), skipped: new Map(), findings: [] },
})

/** One fault, or a pair. */
export interface FaultReport {
  readonly names: readonly string[]
  readonly outcomes: readonly Outcome[]
  readonly charges: number
  readonly readyMs: number | undefined
  readonly gap: Gap
  readonly findings: readonly string[]
}

export function addFault(report: Report, fault: FaultReport): void {
  const answers = fault.outcomes.filter(({ ending }) => ending === 'whole').length
  report.faults++
  report.answers += answers
  report.charges += fault.charges
  report.findings.push(...fault.findings)
  for (const { ending } of fault.outcomes) {
    report.endings.set(ending, (report.endings.get(ending) ?? 0) + 1)
  }
  for (const name of fault.names) {
    const kind = report.kinds.get(name) ?? {
      times: 0,
      answers: 0,
      charges: 0,
      readyMs: [],
      gaps: [],
    }
    report.kinds.set(name, kind)
    kind.times++
    kind.answers += answers
    kind.charges += fault.charges
    if (fault.readyMs !== undefined) kind.readyMs.push(fault.readyMs)
    if (fault.names.length === 1) kind.gaps.push(fault.gap)
  }
}

/** A report in lines for a person; the last one is the verdict. */
export function describeReport(report: Report): string[] {
  const { faults, answers, charges, kinds, endings, skipped, findings } = report
  const width = Math.max(0, ...[...kinds.keys()].map(({ length }) => length))
  return [
    ...[...kinds].map(
      ([name, { times, answers: whole, charges: charged, readyMs, gaps }]) =>
        `${name.padEnd(width)} ${String(times).padStart(4)} times, ` +
        `${String(whole).padStart(6)} answers, ${String(charged).padStart(6)} charges, ` +
        `ready after ${spread(readyMs)}${describeGaps(gaps)}`,
    ),
    ...[...skipped].map(([name, why]) => `${name}: skipped. ${why}`),
    `Requests: ${[...endings].map(([name, count]) => `${count} ${name}`).join(', ')}`,
    ...findings,
    `${faults} faults, ${answers} answers, ${charges} charges, ${findings.length} findings`,
  ]
}

/** Milliseconds as seconds: half of them are no longer, none is. */
function spread(valuesMs: readonly number[]): string {
  const sorted = valuesMs.toSorted((a, b) => a - b)
  const [half = 0, most = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  return `${(half / 1000).toFixed(1)} s, at most ${(most / 1000).toFixed(1)} s`
}

function describeGaps(gaps: readonly Gap[]): string {
  if (gaps.length === 0) return ''
  const failures = new Map<string, number>()
  for (const [name, count] of gaps.flatMap((gap) => [...gap.failures]))
    failures.set(name, (failures.get(name) ?? 0) + count)
  const failed = [...failures].map(([name, count]) => `${count} ${name}`).join(', ')
  return `; alone clients failed for ${spread(gaps.map(({ gapMs }) => gapMs))}: ${failed || 'none'}`
}
