import { SimpleGrid, Skeleton, Stack, Text, Timeline, Code as Word } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AnyReceipt, Receipt } from '../../../admin/requests/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { textOf, useText } from '../../lib/language.ts'
import { Loaded, PageFrame, TitledCard } from '../../parts/page.tsx'
import {
  AnchorLink,
  Code,
  FactList,
  Hint,
  Labelled,
  LongText,
  TextLink,
  Time,
} from '../../parts/text.tsx'
import { BillCard, Note } from './bill.tsx'
import { causeText } from './causes.ts'
import { Result } from './columns.tsx'
import { Why } from './diagnosis.tsx'
import { receiptText, requestsText } from './text.ts'

/** A request: why it failed, its bill, its attempts. Administrators see those of all accounts. */
export function Page() {
  const text = useText(receiptText)
  const lists = useText(requestsText)
  const { id = '' } = useParams({ strict: false })
  const isAll = useLocation().pathname.startsWith('/admin/')
  const query = useQuery({
    queryKey: ['request', isAll, id],
    queryFn: () =>
      isAll ? call(api.admin.requests({ id }).get()) : call(api.requests({ id }).get()),
  })
  return (
    <PageFrame
      title={text.title}
      description={text.description}
      up={
        isAll ? { to: '/admin/requests', label: lists.all } : { to: '/requests', label: lists.own }
      }
    >
      <Code label={text.id}>{id}</Code>
      <Loaded query={query} waiting={<Skeleton height={300} />}>
        {(receipt) => (
          <>
            <Facts receipt={receipt} isAll={isAll} />
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

interface FactsProps {
  readonly receipt: Receipt & Partial<Pick<AnyReceipt, 'upstream_model' | 'channel'>>
  readonly isAll: boolean
}

/** What was asked, by whom, and how it ended. */
function Facts({ receipt, isAll }: FactsProps) {
  const text = useText(receiptText)
  const { upstream_model, upstream_protocol, client_protocol, model, token } = receipt
  const isTranslated = upstream_protocol !== null && upstream_protocol !== client_protocol
  const facts: readonly (readonly [string, ReactNode])[] = [
    [text.time, <Time key="time" at={receipt.created_at} />],
    [
      text.model,
      model === null ? (
        text.none
      ) : isAll ? (
        asLink('prices', model)
      ) : (
        <ModelLink key="model" model={model} />
      ),
    ],
    ...(upstream_model ? [[text.upstreamModel, upstream_model] as const] : []),
    [text.group, receipt.group],
    [text.token, isAll ? token : <TokenLink key="token" id={receipt.token_id} name={token} />],
    ...(isAll ? [[text.account, asLink('accounts', receipt.account)] as const] : []),
    ...(receipt.channel === undefined
      ? []
      : [
          [
            text.channel,
            receipt.channel === null ? text.none : asLink('channels', receipt.channel),
          ] as const,
        ]),
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
        <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" m={0}>
          <FactList facts={facts} />
        </SimpleGrid>
      </Stack>
    </TitledCard>
  )
}

type Place = 'prices' | 'accounts' | 'channels'

/** Administrators come from a receipt to what it names; by its name, as it may be gone. */
const asLink = (place: Place, name: string) => (
  <TextLink to={`/admin/${place}`} search={{ [place === 'prices' ? 'model' : 'search']: name }}>
    {name}
  </TextLink>
)

/** What the model costs. */
const ModelLink = ({ model }: { readonly model: string }) => (
  <AnchorLink inherit to="/plaza" search={{ search: model }}>
    {model}
  </AnchorLink>
)

const TokenLink = ({ id, name }: { readonly id: number; readonly name: string }) => (
  <AnchorLink inherit to={`/tokens/${id}`}>
    {name}
  </AnchorLink>
)

type Attempt = Receipt['attempts'][number] & Partial<AnyReceipt['attempts'][number]>

/** Which channels were asked, one after the other, and what became of it. */
function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const text = useText(receiptText)
  return (
    <TitledCard title={text.attempts} size="h3">
      <Stack gap="sm">
        {attempts.length === 0 && <Text size="sm">{text.noAttempts}</Text>}
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
    text.took(formatDuration(duration_ms)),
    ...(first_byte_ms === null ? [] : [text.firstByteAfter(formatDuration(first_byte_ms))]),
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
