import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AnyReceipt, Receipt } from '../../admin/requests/schema.ts'
import { formatDuration } from '../lib/format.ts'
import { useText } from '../lib/language.tsx'
import { textOf } from '../lib/texts.ts'
import { Colon } from '../parts/colon.tsx'
import { Time } from '../parts/time.tsx'
import { receiptText } from './receipt-text.ts'
import { Result } from './result.tsx'

/** What was asked, by whom, and how it ended. */
export function Facts({
  receipt,
}: {
  readonly receipt: Receipt & Partial<Pick<AnyReceipt, 'upstream_model'>>
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
    [text.channel, receipt.channel ?? text.none],
    [text.protocol, isTranslated ? `${client_protocol} → ${upstream_protocol}` : client_protocol],
    [text.operation, textOf(text.operations, receipt.operation) ?? receipt.operation],
    [text.stream, receipt.stream ? text.yes : text.no],
    [text.duration, formatDuration(receipt.duration_ms)],
    [text.firstByte, receipt.first_byte_ms === null ? '—' : formatDuration(receipt.first_byte_ms)],
    [text.ending, textOf(text.endings, receipt.ending) ?? receipt.ending],
  ]
  return (
    <Card withBorder component="section" aria-label={text.facts}>
      <Stack gap="sm">
        <Title order={2} size="h3">
          {text.facts}
        </Title>
        <Result status={receipt.status} cause={receipt.cause} isAlone />
        {receipt.cause_text && (
          <Text size="sm" className="cut">
            <Text span inherit c="dimmed">
              {text.errorText}
              <Colon />
            </Text>
            <span lang="en">{receipt.cause_text}</span>
          </Text>
        )}
        <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" m={0}>
          {facts.map(([label, value]) => (
            <div key={label}>
              <Text component="dt" size="xs" c="dimmed">
                {label}
              </Text>
              <Text component="dd" size="sm" m={0} className="cut">
                {value}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      </Stack>
    </Card>
  )
}
