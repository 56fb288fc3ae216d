import { Anchor, SimpleGrid } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { GatewayOverview } from '../../../admin/overview/schema.ts'
import { formatBytes, formatCount, formatUptime } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Money } from '../../parts/money.tsx'
import { texts } from './text.ts'

interface FiguresProps {
  readonly overview: GatewayOverview
  readonly days: number
}

/** The gateway in figures. */
export function Figures({ overview, days }: FiguresProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  const count = (value: number) => formatCount(value, language)
  const { now, usage, accounts, tokens, counts_are_exact } = overview
  const atLeast = (value: number) =>
    counts_are_exact ? count(value) : text.moreThan(count(value - 1))
  const { requests, failed } = usage.sum
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
      <Figure label={text.now} hint={text.streams(count(now.streams_under_way))}>
        {count(now.requests_under_way)}
      </Figure>
      <Figure label={text.today} hint={text.utc}>
        <Money usd={overview.spent_today} fits />
      </Figure>
      <Figure label={text.month} hint={text.utc}>
        <Money usd={overview.spent_this_month} fits />
      </Figure>
      <Figure
        label={text.requests(days)}
        hint={
          failed !== null &&
          failed > 0 && (
            <>
              {text.failed(count(failed))} ·{' '}
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => (
                  <Link to="/admin/requests" search={{ outcome: 'failed' }} {...props} />
                )}
              >
                {text.look}
              </Anchor>
            </>
          )
        }
      >
        {count(requests)}
      </Figure>
      <Figure label={text.sells} hint={text.sellsHint(count(now.channels), count(now.groups))}>
        {count(now.models)}
      </Figure>
      <Figure label={text.accounts}>{atLeast(accounts)}</Figure>
      <Figure label={text.tokens}>{atLeast(tokens)}</Figure>
      <Figure label={text.memory}>{formatBytes(now.memory_bytes)}</Figure>
      <Figure
        label={text.database}
        hint={now.database_bytes === null ? text.inMemoryHint : undefined}
      >
        {now.database_bytes === null ? text.inMemory : formatBytes(now.database_bytes)}
      </Figure>
      <Figure label={text.up} hint={text.version(now.version)}>
        <span title={now.started_at}>{formatUptime(Date.now() - Date.parse(now.started_at))}</span>
      </Figure>
    </SimpleGrid>
  )
}
