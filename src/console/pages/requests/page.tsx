import {
  Alert,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  Timeline,
  Code as Word,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AnyReceipt, Receipt } from '../../../admin/requests/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatDuration, formatUsd } from '../../lib/format.ts'
import { formatCount, textOf, useText } from '../../lib/language.ts'
import { Loaded, PageFrame, TitledCard } from '../../parts/page.tsx'
import { Code, Colon, FactList, Hint, Labelled, LongText, Time } from '../../parts/text.tsx'
import { causeText } from './causes.ts'
import { Result } from './columns.tsx'
import { Why } from './diagnosis.tsx'
import { receiptText } from './text.ts'

/** A request: why it failed, its bill, its attempts. Administrators see those of all accounts. */
export function Page() {
  const text = useText(receiptText)
  const { id = '' } = useParams({ strict: false })
  const isAll = useLocation().pathname.startsWith('/admin/')
  const query = useQuery({
    queryKey: ['request', isAll, id],
    queryFn: () =>
      isAll ? call(api.admin.requests({ id }).get()) : call(api.requests({ id }).get()),
  })
  return (
    <PageFrame title={text.title} description={text.description}>
      <Code label={text.id}>{id}</Code>
      <Loaded query={query} waiting={<Skeleton height={300} />}>
        {(receipt) => (
          <>
            <Facts receipt={receipt} />
            {receipt.cause !== null && <Why id={id} isAll={isAll} />}
            <BillCard receipt={receipt} />
            <Attempts attempts={receipt.attempts} />
            {receipt.usage_raw !== null && (
              <details>
                <summary>{text.usageRaw}</summary>
                <Code label={text.usageRaw}>{JSON.stringify(receipt.usage_raw, null, 2)}</Code>
              </details>
            )}
          </>
        )}
      </Loaded>
    </PageFrame>
  )
}

/** What was asked, by whom, and how it ended. */
function Facts({
  receipt,
}: {
  receipt: Receipt & Partial<Pick<AnyReceipt, 'upstream_model' | 'channel'>>
}) {
  const text = useText(receiptText)
  const { upstream_model, upstream_protocol, client_protocol } = receipt
  const isTranslated = upstream_protocol !== null && upstream_protocol !== client_protocol
  const facts: readonly (readonly [string, ReactNode])[] = [
    [text.time, <Time key="time" at={receipt.created_at} />],
    [text.model, receipt.model ?? text.none],
    ...(upstream_model ? [[text.upstreamModel, upstream_model] as const] : []),
    [text.group, receipt.group],
    [text.token, receipt.token],
    [text.account, receipt.account],
    ...(receipt.channel === undefined
      ? []
      : [[text.channel, receipt.channel ?? text.none] as const]),
    [text.protocol, isTranslated ? `${client_protocol} → ${upstream_protocol}` : client_protocol],
    [text.operation, textOf(text.operations, receipt.operation) ?? receipt.operation],
    [text.stream, receipt.stream ? text.yes : text.no],
    [text.duration, formatDuration(receipt.duration_ms)],
    [text.firstByte, receipt.first_byte_ms === null ? '—' : formatDuration(receipt.first_byte_ms)],
    [text.ending, textOf(text.endings, receipt.ending) ?? receipt.ending],
  ]
  return (
    <TitledCard title={text.facts} size="h3">
      <Stack gap="sm">
        <Result status={receipt.status} cause={receipt.cause} isAlone />
        {receipt.cause_text && (
          <Note label={text.errorText}>
            <span lang="en">{receipt.cause_text}</span>
          </Note>
        )}
        <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" m={0}>
          <FactList facts={facts} />
        </SimpleGrid>
      </Stack>
    </TitledCard>
  )
}

/** How the cost came about, so that a person can work it out again. */
function BillCard({ receipt }: { readonly receipt: Receipt }) {
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
          <Text>
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

const Note = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <LongText>
    <Text span inherit c="dimmed">
      {label}
      <Colon />
    </Text>
    {children}
  </LongText>
)

function BillTable({ bill, amount }: { bill: NonNullable<Receipt['bill']>; amount: string }) {
  const text = useText(receiptText)
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
              <Table.Td ta="end">{formatCount(count)}</Table.Td>
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

type Attempt = Receipt['attempts'][number] & Partial<AnyReceipt['attempts'][number]>

/** Which channels were asked, one after the other, and what became of it. */
function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const text = useText(receiptText)
  return (
    <TitledCard title={text.attempts} size="h3">
      <Stack gap="sm">
        {attempts.length === 0 && <Text>{text.noAttempts}</Text>}
        <Timeline bulletSize={14} lineWidth={2} active={attempts.length}>
          {attempts.map((attempt, place) => (
            <Timeline.Item
              // The attempts of an ended request never change.
              // biome-ignore lint/suspicious/noArrayIndexKey: two may begin in the same millisecond
              key={place}
              color={attempt.cause === null ? 'green' : 'red'}
              title={<span className="cut">{attempt.channel ?? text.attempt(place + 1)}</span>}
            >
              <Details attempt={attempt} />
            </Timeline.Item>
          ))}
        </Timeline>
      </Stack>
    </TitledCard>
  )
}

function Details({ attempt }: { readonly attempt: Attempt }) {
  const text = useText(receiptText)
  const { started_at, status, cause, first_byte_ms, duration_ms } = attempt
  const { upstream_request_id, key_hint } = attempt
  const meaning = cause === null ? text.answered : (causeText(cause, 'attempt') ?? cause)
  const times = [
    text.after(formatDuration(duration_ms)),
    ...(first_byte_ms === null ? [] : [`${text.firstByte} ${formatDuration(first_byte_ms)}`]),
  ]
  return (
    <Stack gap={2}>
      <LongText>
        {status ?? '—'} · {meaning}
        {cause !== null && (
          <>
            {' '}
            <Word>{cause}</Word>
          </>
        )}
      </LongText>
      <Hint>
        <Time at={started_at} /> · {times.join(' · ')}
      </Hint>
      {typeof key_hint === 'string' && (
        <Labelled label={text.key} size="xs" c="dimmed" className="cut">
          {key_hint === '' ? text.formerKey : key_hint}
        </Labelled>
      )}
      {upstream_request_id && (
        <Labelled label={text.upstreamId} size="xs" c="dimmed" className="cut">
          {upstream_request_id}
        </Labelled>
      )}
    </Stack>
  )
}
