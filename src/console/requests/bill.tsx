import { Alert, Card, Stack, Table, Text, Title } from '@mantine/core'
import type { Receipt } from '../../admin/requests/schema.ts'
import { formatCount, formatUsd } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { textOf } from '../lib/texts.ts'
import { Colon } from '../parts/colon.tsx'
import { receiptText } from './receipt-text.ts'

/** How the cost came about, so that a person can work it out again. */
export function BillCard({ receipt }: { readonly receipt: Receipt }) {
  const text = useText(receiptText)
  const { language } = useLanguage()
  const { bill, differences, formula, tier_reason, ledger_id, reasoning_tokens } = receipt
  return (
    <Card withBorder component="section" aria-label={text.bill}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {text.bill}
        </Title>
        {differences.length > 0 && (
          <Alert color="red" title={text.differences}>
            <span lang="en">{differences.join(' ')}</span>
          </Alert>
        )}
        {bill && bill.lines.length > 0 ? (
          <BillTable bill={bill} amount={receipt.amount} />
        ) : (
          <Text>
            {bill === null ? text.noPrice : bill.unit === 'free' ? text.free : text.nothingUsed}
          </Text>
        )}
        {bill?.service_tiers.map(({ name, factor }) => (
          <Text key={name} size="sm">
            {text.serviceTier(name, factor)}
          </Text>
        ))}
        {reasoning_tokens > 0 && (
          <Text size="sm">{text.reasoning(formatCount(reasoning_tokens, language))}</Text>
        )}
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
    </Card>
  )
}

const Note = ({ label, children }: { readonly label: string; readonly children: string }) => (
  <Text size="sm" className="cut">
    <Text span inherit c="dimmed">
      {label}
      <Colon />
    </Text>
    {children}
  </Text>
)

interface BillTableProps {
  readonly bill: NonNullable<Receipt['bill']>
  readonly amount: string
}

function BillTable({ bill, amount }: BillTableProps) {
  const text = useText(receiptText)
  const { language } = useLanguage()
  const isByToken = bill.unit === 'tokens'
  return (
    <Table.ScrollContainer
      minWidth={0}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={text.bill}
    >
      {/* Amounts have up to nine decimal places, and a phone shows them whole. */}
      <Table horizontalSpacing={6} fz={{ base: 'xs', xs: 'sm' }}>
        <Table.Caption className="visually-hidden">{text.bill}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th style={{ whiteSpace: 'nowrap' }}>
              {isByToken ? text.kind : text.calls}
            </Table.Th>
            <Table.Th ta="end" style={{ whiteSpace: 'nowrap' }}>
              {text.count}
            </Table.Th>
            <Table.Th ta="end">{isByToken ? text.pricePerMillion : text.pricePerCall}</Table.Th>
            <Table.Th ta="end">{text.usd}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {bill.lines.map(({ name, unit, count, price, amount }) => (
            <Table.Tr key={name}>
              <Table.Td>{textOf(text.lines, name) ?? name.replaceAll('_', ' ')}</Table.Td>
              <Table.Td ta="end">{formatCount(count, language)}</Table.Td>
              <Table.Td ta="end">
                {unit === 'use' ? text.each(formatUsd(price)) : formatUsd(price)}
              </Table.Td>
              <Table.Td ta="end">{formatUsd(amount)}</Table.Td>
            </Table.Tr>
          ))}
          <SumRow label={text.sum}>{formatUsd(bill.sum)}</SumRow>
          <SumRow label={text.multiplier}>{`× ${bill.multiplier}`}</SumRow>
          <SumRow label={text.total} isTotal>
            {formatUsd(amount)}
          </SumRow>
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface SumRowProps {
  readonly label: string
  readonly isTotal?: boolean
  readonly children: string
}

const SumRow = ({ label, isTotal = false, children }: SumRowProps) => (
  <Table.Tr fw={isTotal ? 700 : undefined}>
    <Table.Td colSpan={3}>{label}</Table.Td>
    <Table.Td ta="end" style={{ whiteSpace: 'nowrap' }}>
      {children}
    </Table.Td>
  </Table.Tr>
)
