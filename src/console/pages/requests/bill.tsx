import { Alert, Box, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Receipt } from '../../../admin/requests/schema.ts'
import { alignPoints, formatUsd } from '../../../look/money.ts'
import { formatCount, textOf, useText } from '../../lib/language.ts'
import { TitledCard } from '../../parts/page.tsx'
import { Colon, LongText } from '../../parts/text.tsx'
import { receiptText } from './text.ts'

/** How the cost came about, so that a person can work it out again. */
export function BillCard({ receipt }: { readonly receipt: Receipt }) {
  const text = useText(receiptText)
  const { bill, differences, formula, tier_reason, ledger_id, reasoning_tokens } = receipt
  return (
    <TitledCard title={text.bill} size="h3">
      <Stack gap="sm">
        {differences.length > 0 && (
          <Alert color="red" title={text.differences}>
            <span lang="en">{differences.join(' ')}</span>
          </Alert>
        )}
        {bill && bill.lines.length > 0 ? (
          <BillTable bill={bill} amount={receipt.amount} />
        ) : (
          <Text size="sm">
            {bill === null ? text.noPrice : bill.unit === 'free' ? text.free : text.nothingUsed}
          </Text>
        )}
        {bill?.service_tiers.map(({ name, factor }) => (
          <Text key={name} size="sm">
            {text.serviceTier(name, factor)}
          </Text>
        ))}
        {reasoning_tokens > 0 && <Text size="sm">{text.reasoning(reasoning_tokens)}</Text>}
        {[receipt.estimated_reason, receipt.clamped_reason].map(
          (reason) =>
            reason && (
              <Text key={reason} size="sm" lang="en">
                {reason}
              </Text>
            ),
        )}
        {bill && bill.lines.length > 0 && (
          <Stack gap={2}>
            {tier_reason && <Note label={text.tier}>{text.tierOf(receipt, tier_reason)}</Note>}
            {formula && <Note label={text.formula}>{text.formulaOf(formula)}</Note>}
            {ledger_id !== null && <Note label={text.ledger}>{`#${ledger_id}`}</Note>}
          </Stack>
        )}
      </Stack>
    </TitledCard>
  )
}

function BillTable({ bill, amount }: { bill: NonNullable<Receipt['bill']>; amount: string }) {
  const text = useText(receiptText)
  const isByToken = bill.unit === 'tokens'
  const { lines } = bill
  const prices = alignPoints(lines.map(({ price }) => formatUsd(price)))
  const [sum = '', total = '', ...amounts] = alignPoints(
    [bill.sum, amount, ...lines.map((line) => line.amount)].map(formatUsd),
  )
  return (
    <Box style={{ overflowX: 'auto' }} maw="48rem" tabIndex={0} role="group" aria-label={text.bill}>
      {/* Amounts have up to nine decimal places, and a phone shows them whole. */}
      <Table horizontalSpacing={4} fz={{ base: 'xs', xs: 'sm' }}>
        <Table.Caption className="visually-hidden">{text.bill}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{isByToken ? text.kind : text.calls}</Table.Th>
            <Table.Th ta="end" style={{ whiteSpace: 'nowrap' }}>
              {text.count}
            </Table.Th>
            <Table.Th ta="end">{isByToken ? text.pricePerMillion : text.pricePerCall}</Table.Th>
            <Table.Th ta="end">{text.usd}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ name, unit, count, price }, at) => (
            <Table.Tr key={name}>
              <Table.Td>{textOf(text.lines, name) ?? name.replaceAll('_', ' ')}</Table.Td>
              <Table.Td ta="end">{formatCount(count)}</Table.Td>
              <Table.Td ta="end">
                {unit === 'use' ? text.each(formatUsd(price)) : prices[at]}
              </Table.Td>
              <Table.Td ta="end">{amounts[at]}</Table.Td>
            </Table.Tr>
          ))}
          <SumRow label={text.sum}>{sum}</SumRow>
          <SumRow label={text.multiplier}>{`× ${bill.multiplier}`}</SumRow>
          <SumRow label={text.total} isTotal>
            {total}
          </SumRow>
        </Table.Tbody>
      </Table>
    </Box>
  )
}

interface SumRowProps {
  readonly label: string
  readonly isTotal?: boolean
  readonly children: string
}

const SumRow = ({ label, isTotal = false, children }: SumRowProps) => (
  // Bold digits are wider: the decimal point would not be aligned with those above.
  <Table.Tr>
    <Table.Td colSpan={3} fw={isTotal ? 700 : undefined}>
      {label}
    </Table.Td>
    <Table.Td ta="end" style={{ whiteSpace: 'nowrap' }}>
      {children}
    </Table.Td>
  </Table.Tr>
)

/** A fact in a sentence, behind its name. */
export const Note = ({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}) => (
  <LongText>
    <Text span inherit c="dimmed">
      {label}
      <Colon />
    </Text>
    {children}
  </LongText>
)
