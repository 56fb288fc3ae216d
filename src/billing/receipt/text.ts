import type { ReceiptRows } from '../../store/ports/records.ts'
import { usd } from '../money.ts'
import { describeCharge } from './charge-text.ts'
import { findDifferences } from './differences.ts'
import { explainCharge } from './explain.ts'
import { describeRequest } from './request-text.ts'

/** A receipt for people: who asked what, who answered, and the sum line by line. */
export function describeReceipt(rows: ReceiptRows): readonly string[] {
  const explanation = explainCharge(rows)
  return [
    ...describeRequest(rows, explanation),
    '',
    ...(explanation
      ? describeCharge(explanation, rows)
      : ['No price applied, so nothing was charged.']),
    describeEntry(rows),
    ...describeDifferences(findDifferences(rows, explanation)),
  ]
}

/** The same for the request's own account: what is the upstream's alone is left out. */
export const describeClientReceipt = (rows: ReceiptRows): readonly string[] =>
  describeReceipt({
    ...rows,
    request: { ...rows.request, upstreamModel: null },
    attempts: rows.attempts.map((attempt) => ({ ...attempt, upstreamRequestId: null })),
  })

function describeEntry({ ledgerId, balanceAfterNano }: ReceiptRows): string {
  if (ledgerId === null) return 'No ledger entry.'
  const balance =
    balanceAfterNano === null ? '' : ` The balance after it: ${usd(balanceAfterNano)}.`
  return `Ledger entry ${ledgerId}.${balance}`
}

const describeDifferences = (differences: readonly string[]): readonly string[] =>
  differences.length === 0
    ? []
    : [
        '',
        'THIS RECEIPT DOES NOT ADD UP:',
        ...differences.map((difference) => `- ${difference}`),
        'Somebody changed a record, or the gateway has a fault. Whoever runs it should know.',
      ]
