import { counted, grouped } from '../../lib/format.ts'
import { formatTable } from '../../lib/table.ts'
import type { ReceiptRows } from '../../store/ports/records.ts'
import { formatDecimal, formatNano, nanoDecimals, priceDecimals, usd } from '../money.ts'
import { type ChargeLine, type Explanation, multiplierOf } from './explain.ts'

/** Micro-USD per 1M tokens × tokens are 10⁻¹² USD. */
const tokenSumDecimals = 12

/** The sum of a receipt, line by line, and its formula. */
export function describeCharge(
  explanation: Explanation,
  { request }: ReceiptRows,
): readonly string[] {
  const { unit, lines, formula } = explanation
  if (unit === 'free') return [`Model ${request.model} is free, so nothing was charged.`]
  const used = lines.filter(({ count }) => count > 0)
  if (used.length === 0 && request.amountNano === 0) {
    return [
      request.ending === 'interrupted'
        ? 'What was used is not known, so nothing was charged.'
        : 'Nothing was used, so nothing was charged.',
    ]
  }
  const reasoning = unit === 'tokens' ? request.reasoningTokens : 0
  return [
    ...formatTable(columnsOf(unit), [...used.map(lineRow(unit)), ...sumRow(unit, used)]),
    ...(reasoning > 0
      ? [`Of the output, ${counted(reasoning, 'token')} went into reasoning.`]
      : []),
    `× ${multiplierOf(request)} (multiplier of the group)`,
    `= ${usd(request.amountNano)}`,
    '',
    `Formula: ${formula}`,
  ]
}

interface Row {
  readonly name: string
  readonly count: string
  readonly price: string
  readonly usd: string
}

const decimalsOf = (unit: Explanation['unit']) =>
  unit === 'tokens' ? tokenSumDecimals : nanoDecimals

const lineRow =
  (unit: Explanation['unit']) =>
  ({ name, count, price }: ChargeLine): Row => ({
    name,
    count: grouped(count),
    price: unit === 'tokens' ? formatDecimal(price, priceDecimals) : formatNano(price),
    usd: formatDecimal(BigInt(count) * BigInt(price), decimalsOf(unit)),
  })

/** One line is its own sum. */
function sumRow(unit: Explanation['unit'], used: readonly ChargeLine[]): readonly Row[] {
  if (used.length < 2) return []
  const sum = used.reduce((all, { count, price }) => all + BigInt(count) * BigInt(price), 0n)
  return [{ name: 'sum', count: '', price: '', usd: formatDecimal(sum, decimalsOf(unit)) }]
}

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
