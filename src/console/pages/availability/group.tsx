import { Badge, Card, Group, SimpleGrid, Text, Title } from '@mantine/core'
import type { StatusGroup } from '../../../site/status/schema.ts'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Bars } from './bars.tsx'
import { formatRatio } from './figures.ts'
import { Models } from './models.tsx'
import { texts } from './text.ts'

const colours = { operational: 'teal', degraded: 'orange', down: 'red', no_data: 'gray' } as const

/** A group: how it is now, how it was, and its models. */
export function GroupCard({ group }: { readonly group: StatusGroup }) {
  const text = useText(texts)
  const { language } = useLanguage()
  const { availability, first_byte_ms: first, tokens_per_second: speed } = group
  const spans = [
    [text.hour, availability['1h']],
    [text.day, availability['24h']],
    [text.week, availability['7d']],
    [text.quarter, availability['90d']],
  ] as const
  return (
    <Card withBorder padding="md" component="section" aria-label={group.name}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" className="cut">
          {group.name}
        </Title>
        <Badge color={colours[group.state]} variant="outline" c="inherit" size="lg">
          {text[group.state]}
        </Badge>
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" mb="sm">
        {spans.map(([label, { requests, ratio }]) => (
          <Fact key={label} label={label} hint={text.requests(formatCount(requests, language))}>
            {formatRatio(ratio, text.no_data)}
          </Fact>
        ))}
        <Fact
          label={text.firstByte}
          hint={first.p95 === null ? undefined : text.most(formatDuration(first.p95))}
        >
          {first.p50 === null ? text.no_data : formatDuration(first.p50)}
        </Fact>
        <Fact label={text.speed}>
          {speed === null ? text.no_data : text.perSecond(String(Math.round(speed)))}
        </Fact>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} mb="sm">
        <Bars label={text.hours} bars={group.hours} />
        <Bars label={text.days} bars={group.days} />
      </SimpleGrid>
      <Models group={group} />
    </Card>
  )
}

interface FactProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly children: string
}

const Fact = ({ label, hint, children }: FactProps) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text fw={600}>{children}</Text>
    {hint && (
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    )}
  </div>
)
