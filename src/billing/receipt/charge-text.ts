import { counted, grouped } from '../../lib/format.ts'
import { formatTable } from '../../lib/table.ts'
import type { Ending, ReceiptRows } from '../../store/ports/records.ts'
import { type ChargeLine, linePrice, linesAmount, type TierFactor } from '../lines.ts'
import { formatDecimal, multiplierDecimals, usd } from '../money.ts'
import { type Explanation, multiplierOf } from './explain.ts'

/** The sum of a receipt, line by line, and its formula. */
export function describeCharge(
  explanation: Explanation,
  { request }: ReceiptRows,
): readonly string[] {
  const { unit, lines, factors, formula } = explanation
  if (unit === 'free') return [`Model ${request.model} is free, so nothing was charged.`]
  const used = lines.filter(({ count }) => count > 0)
  if (used.length === 0 && request.amountNano === 0) {
    return [nothingCharged[request.ending] ?? 'Nothing was used, so nothing was charged.']
  }
  const reasoning = unit === 'tokens' ? request.reasoningTokens : 0
  return [
    ...formatTable(columnsOf(unit), [
      ...used.map((line) => lineRow(line, factors)),
      ...sumRow(used, factors),
    ]),
    ...factors.map(tierText),
    ...(reasoning > 0
      ? [`Of the output, ${counted(reasoning, 'token')} went into reasoning.`]
      : []),
    `× ${multiplierOf(request)} (multiplier of the group)`,
    `= ${usd(request.amountNano)}`,
    '',
    `Formula: ${formula}`,
  ]
}

const nothingCharged: { readonly [ending in Ending]?: string } = {
  interrupted: 'What was used is not known, so nothing was charged.',
  background: 'Nothing was charged yet: what the answer uses is charged when it has ended.',
}

interface Row {
  readonly name: string
  readonly count: string
  readonly price: string
  readonly usd: string
}

/** A tool among tokens says what its price is for. */
const lineRow = (line: ChargeLine, factors: readonly TierFactor[]): Row => ({
  name: line.name,
  count: grouped(line.count),
  price: `${linePrice(line, factors)}${line.unit === 'use' ? ' each' : ''}`,
  usd: linesAmount([line], factors),
})

const tierText = ({ name, millionths }: TierFactor): string =>
  `Service tier "${name}": × ${formatDecimal(millionths, multiplierDecimals)}, in the prices above.`

/** One line is its own sum. */
const sumRow = (used: readonly ChargeLine[], factors: readonly TierFactor[]): readonly Row[] =>
  used.length < 2 ? [] : [{ name: 'sum', count: '', price: '', usd: linesAmount(used, factors) }]

const columnsOf = (unit: Explanation['unit']) => [
  { title: unit === 'tokens' ? 'TOKENS' : '', text: ({ name }: Row) => name },
  { title: 'COUNT', text: ({ count }: Row) => count, right: true },
  {
    title: unit === 'tokens' ? 'USD PER 1M' : 'USD PER CALL',
    text: ({ price }: Row) => price,
    right: true,
  },
  { title: 'USD', text: (row: Row) => row.usd, right: true },
]
