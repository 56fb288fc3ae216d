import type { Reconciliation } from '../app/reconcile/reconcile.ts'
import { grouped } from '../lib/format.ts'
import { formatTable } from '../lib/table.ts'
import type { BilledSums, CountForm, OwnSums } from '../store/ports/matching.ts'
import { inputIn, money, number, outputIn } from './reconcile-figures.ts'

/** Both sides of a reconciliation added up, as a table. */
export const describeSums = (found: Reconciliation): readonly string[] =>
  formatTable(sumColumns, sumRows(found))

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
  { title: 'REQUESTS', text: ({ ids }: SumRow) => grouped(ids), right: true },
  { title: 'INPUT', text: ({ input }: SumRow) => number(input), right: true },
  { title: 'OUTPUT', text: ({ output }: SumRow) => number(output), right: true },
  { title: 'CACHED', text: ({ cached }: SumRow) => number(cached), right: true },
  { title: 'COST / CHARGED', text: (row: SumRow) => money(row.money), right: true },
]

function sumRows({ sums }: Reconciliation): readonly SumRow[] {
  const theirs = billedRow('known to both, theirs', sums.matched.billed)
  const ours = ownRow('known to both, ours', sums.matched.own, sums.form)
  const minus = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b)
  return [
    billedRow('all of their file', sums.billed),
    theirs,
    ours,
    {
      name: 'difference',
      ids: theirs.ids - ours.ids,
      input: minus(theirs.input, ours.input),
      output: minus(theirs.output, ours.output),
      cached: minus(theirs.cached, ours.cached),
      // What they bill the operator and what the operator charges are two things.
      money: null,
    },
    billedRow('billed, unknown to us', sums.unknownToUs),
    ownRow('ours, not billed', sums.notBilled, sums.form),
  ]
}

const billedRow = (name: string, sums: BilledSums): SumRow => ({
  name,
  ids: sums.ids,
  input: sums.inputTokens,
  output: sums.outputTokens,
  cached: sums.cachedTokens,
  money: sums.costNano,
})

const ownRow = (name: string, sums: OwnSums, form: CountForm): SumRow => ({
  name,
  ids: sums.ids,
  input: inputIn(form, sums),
  output: outputIn(form, sums),
  cached: sums.cacheReadTokens,
  money: sums.amountNano,
})
