import type { Reconciliation } from '../app/reconcile/reconcile.ts'
import { usd } from '../billing/money.ts'
import { counted, grouped, humanTime, isoTime } from '../lib/format.ts'
import { formatPairs, formatTable } from '../lib/table.ts'
import type {
  BilledSums,
  BilledTotal,
  CountForm,
  Difference,
  OwnCounts,
  OwnSums,
  OwnTotal,
} from '../store/ports/matching.ts'

const maxShown = 100

/** A reconciliation for people: a summary, then the first differences of each kind. */
export function describeReconciliation(
  file: string,
  channels: readonly string[],
  found: Reconciliation,
): readonly string[] {
  const { sums, matching } = found
  const { form } = sums
  return [
    ...formatPairs(head(file, channels, found)),
    '',
    ...describeSums(found),
    ...leftOut(found),
    ...section(
      `Billed, but unknown to us: ${grouped(sums.unknownToUs.ids)}`,
      formatTable(billedColumns, [...matching.unknownToUs(maxShown)]),
      sums.unknownToUs.ids,
    ),
    ...section(
      `Ours, but not billed: ${grouped(sums.notBilled.ids)}`,
      formatTable(ownColumns(form), [...matching.notBilled(maxShown)]),
      sums.notBilled.ids,
    ),
    ...section(
      `Known to both, with other counts (theirs / ours): ${grouped(sums.differing)}`,
      formatTable(differenceColumns(form), [...matching.differing(form, maxShown)]),
      sums.differing,
    ),
  ]
}

function head(
  file: string,
  channels: readonly string[],
  { sums, columns, span }: Reconciliation,
): readonly (readonly [string, string])[] {
  const { ids, lines } = sums.billed
  const repeated =
    sums.repeatedIds === 0
      ? ''
      : ` (${grouped(sums.repeatedIds)} came more than once and were added up)`
  const names = Object.entries(columns).map(([field, name]) => `${field} = ${name}`)
  return [
    ['File', `${file}: ${counted(ids, 'request id')} in ${counted(lines, 'row')}${repeated}`],
    ['Columns', names.join(', ')],
    ['Channel', channels.join(', ')],
    ['Span', `${moment(span.since)} to ${moment(span.until)}`],
    ['Counting', `${inputTexts[sums.form.input]}; ${outputTexts[sums.form.output]}`],
  ]
}

const moment = (time: number) => humanTime(isoTime(time))

const inputTexts: { readonly [Form in CountForm['input']]: string } = {
  all: 'their input includes what is read from and written to a cache',
  without_cache_reads: 'their input leaves out what is read from a cache',
  uncached: 'their input leaves out what is read from and written to a cache',
}
const outputTexts: { readonly [Form in CountForm['output']]: string } = {
  all: 'their output includes reasoning',
  without_reasoning: 'their output leaves out reasoning',
}

function leftOut({ skipped, attempts }: Reconciliation): readonly string[] {
  const lines = [
    [skipped.withoutId, 'row', 'without an id'],
    [skipped.outsideSpan, 'row', 'outside of the span'],
    [attempts.withoutId, 'attempt', 'of ours without an upstream request id'],
    [attempts.atTheEdge, 'attempt', 'of ours that ended after the span, not in the file'],
  ] as const
  const texts = lines.flatMap(([count, thing, what]) =>
    count > 0 ? [`Not compared: ${counted(count, thing)} ${what}.`] : [],
  )
  return texts.length === 0 ? [] : ['', ...texts]
}

function section(title: string, table: readonly string[], count: number): readonly string[] {
  if (count === 0) return []
  const more = count > maxShown ? [`and ${grouped(count - maxShown)} more; --json shows all`] : []
  return ['', title, ...table.map((line) => `  ${line}`), ...more.map((line) => `  ${line}`)]
}

const right = <Row>(title: string, text: (row: Row) => string) => ({ title, text, right: true })

const billedColumns = [
  { title: 'UPSTREAM ID', text: ({ id }: BilledTotal) => id },
  { title: 'TIME', text: ({ time }: BilledTotal) => (time === null ? '–' : moment(time)) },
  right('INPUT', (row: BilledTotal) => number(row.inputTokens)),
  right('OUTPUT', (row: BilledTotal) => number(row.outputTokens)),
  right('CACHED', (row: BilledTotal) => number(row.cachedTokens)),
  right('COST', (row: BilledTotal) => money(row.costNano)),
]

const ownColumns = (form: CountForm) => [
  { title: 'UPSTREAM ID', text: ({ upstreamId }: OwnTotal) => upstreamId },
  { title: 'REQUEST', text: ({ requestId }: OwnTotal) => requestId },
  { title: 'TIME', text: (row: OwnTotal) => moment(row.startedAt) },
  right('STATUS', ({ status }: OwnTotal) => String(status ?? '–')),
  right('INPUT', (row: OwnTotal) => grouped(inputIn(form, row))),
  right('OUTPUT', (row: OwnTotal) => grouped(outputIn(form, row))),
  right('CACHED', (row: OwnTotal) => grouped(row.cacheReadTokens)),
]

const pair = (theirs: number | null, ours: number) => `${number(theirs)} / ${grouped(ours)}`

const differenceColumns = (form: CountForm) => [
  { title: 'UPSTREAM ID', text: ({ billed }: Difference) => billed.id },
  { title: 'REQUEST', text: ({ own }: Difference) => own.requestId },
  right('INPUT', ({ billed, own }: Difference) => pair(billed.inputTokens, inputIn(form, own))),
  right('OUTPUT', ({ billed, own }: Difference) => pair(billed.outputTokens, outputIn(form, own))),
  right('CACHED', ({ billed, own }: Difference) => pair(billed.cachedTokens, own.cacheReadTokens)),
  { title: 'NOTE', text: ({ own }: Difference) => noteOf(own) },
]

function noteOf({ estimated, attempts, status, cause }: OwnTotal): string {
  const notes = [
    ...(attempts > 1 ? [`${attempts} attempts of ours`] : []),
    ...(estimated ? ['our own estimate'] : []),
    ...(status !== 200 || cause !== null ? [`${status ?? 'no'} ${cause ?? 'status'}`] : []),
  ]
  return notes.join(', ')
}

interface SumRow {
  readonly name: string
  readonly ids: number
  readonly input: number | null
  readonly output: number | null
  readonly cached: number | null
  readonly money: bigint | null
}

const sumColumns = [
  { title: '', text: ({ name }: SumRow) => name },
  right('REQUESTS', ({ ids }: SumRow) => grouped(ids)),
  right('INPUT', ({ input }: SumRow) => number(input)),
  right('OUTPUT', ({ output }: SumRow) => number(output)),
  right('CACHED', ({ cached }: SumRow) => number(cached)),
  right('COST / CHARGED', (row: SumRow) => money(row.money)),
]

function describeSums({ sums }: Reconciliation): readonly string[] {
  const { form, matched } = sums
  const theirs = billedRow('known to both, theirs', matched.billed)
  const ours = ownRow('known to both, ours', matched.own, form)
  const minus = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b)
  const difference = {
    ...{ name: 'difference', ids: theirs.ids - ours.ids },
    input: minus(theirs.input, ours.input),
    output: minus(theirs.output, ours.output),
    cached: minus(theirs.cached, ours.cached),
    // The upstream's bill and the operator's charges are different money.
    money: null,
  }
  return formatTable(sumColumns, [
    billedRow('all of their file', sums.billed),
    ...[theirs, ours, difference],
    billedRow('billed, unknown to us', sums.unknownToUs),
    ownRow('ours, not billed', sums.notBilled, form),
  ])
}

const billedRow = (name: string, sums: BilledSums): SumRow => ({
  ...{ name, ids: sums.ids, input: sums.inputTokens, output: sums.outputTokens },
  ...{ cached: sums.cachedTokens, money: sums.costNano },
})

const ownRow = (name: string, sums: OwnSums, form: CountForm): SumRow => ({
  ...{ name, ids: sums.ids, input: inputIn(form, sums), output: outputIn(form, sums) },
  ...{ cached: sums.cacheReadTokens, money: sums.amountNano },
})

const number = (value: number | null) => (value === null ? '–' : grouped(value))
const money = (value: bigint | number | null) => (value === null ? '–' : usd(value))

/** Our input, counted as the upstream does. */
function inputIn({ input }: CountForm, counts: OwnCounts): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = counts
  if (input === 'uncached') return inputTokens
  return inputTokens + cacheWriteTokens + (input === 'all' ? cacheReadTokens : 0)
}

/** Our output, counted as the upstream does. */
const outputIn = ({ output }: CountForm, { outputTokens, reasoningTokens }: OwnCounts): number =>
  output === 'all' ? outputTokens : outputTokens - reasoningTokens
