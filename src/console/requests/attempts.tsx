import { Card, Code, Stack, Text, Timeline, Title } from '@mantine/core'
import type { AnyReceipt, Receipt } from '../../admin/requests/schema.ts'
import { formatDuration } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { Colon } from '../parts/colon.tsx'
import { Time } from '../parts/time.tsx'
import { causeText } from './cause-text.ts'
import { receiptText } from './receipt-text.ts'

type Attempt = Receipt['attempts'][number] & Partial<AnyReceipt['attempts'][number]>

/** Which channels were asked, one after the other, and what became of it. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const text = useText(receiptText)
  return (
    <Card withBorder component="section" aria-label={text.attempts}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {text.attempts}
        </Title>
        {attempts.length === 0 && <Text>{text.noAttempts}</Text>}
        <Timeline bulletSize={14} lineWidth={2} active={attempts.length}>
          {attempts.map((attempt) => (
            <Timeline.Item
              key={`${attempt.started_at} ${attempt.channel}`}
              color={attempt.cause === null ? 'green' : 'red'}
              title={<span className="cut">{attempt.channel}</span>}
            >
              <Details attempt={attempt} />
            </Timeline.Item>
          ))}
        </Timeline>
      </Stack>
    </Card>
  )
}

function Details({ attempt }: { readonly attempt: Attempt }) {
  const text = useText(receiptText)
  const { language } = useLanguage()
  const { started_at, status, cause, first_byte_ms, duration_ms, upstream_request_id } = attempt
  const meaning = cause === null ? text.answered : (causeText(cause, language, 'attempt') ?? cause)
  const times = [
    text.after(formatDuration(duration_ms)),
    ...(first_byte_ms === null ? [] : [`${text.firstByte} ${formatDuration(first_byte_ms)}`]),
  ]
  return (
    <Stack gap={2}>
      <Text size="sm" className="cut">
        {status ?? '—'} · {meaning}
        {cause !== null && (
          <>
            {' '}
            <Code>{cause}</Code>
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        <Time at={started_at} /> · {times.join(' · ')}
      </Text>
      {upstream_request_id && (
        <Text size="xs" c="dimmed" className="cut">
          {text.upstreamId}
          <Colon />
          {upstream_request_id}
        </Text>
      )}
    </Stack>
  )
}
