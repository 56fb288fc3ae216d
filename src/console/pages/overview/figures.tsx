import { Alert, Anchor, SimpleGrid, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../admin/overview/schema.ts'
import { formatCount, formatUsd } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Money } from '../../parts/money.tsx'
import { texts } from './text.ts'

interface FiguresProps {
  readonly overview: Overview
  readonly days: number
}

/** What is looked at first: what is left, and what was spent. */
export function Figures({ overview, days }: FiguresProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  const { usage, balance, reserved, spent_today, spent_this_month } = overview
  const { requests, failed, amount } = usage.sum
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
      <Figure
        label={text.balance}
        hint={reserved === '0' ? undefined : text.reserved(formatUsd(reserved))}
      >
        <Money usd={balance} fits />
      </Figure>
      <Figure label={text.today} hint={text.utc}>
        <Money usd={spent_today} fits />
      </Figure>
      <Figure label={text.month} hint={text.utc}>
        <Money usd={spent_this_month} fits />
      </Figure>
      <Figure label={text.range(days)}>
        <Money usd={amount} fits />
      </Figure>
      <Figure
        label={text.requests}
        hint={
          failed !== null &&
          failed > 0 && (
            <>
              {text.failed(formatCount(failed, language))} ·{' '}
              <Anchor
                inherit
                underline="always"
                renderRoot={(props) => (
                  <Link to="/requests" search={{ outcome: 'failed' }} {...props} />
                )}
              >
                {text.whyFailed}
              </Anchor>
            </>
          )
        }
      >
        {formatCount(requests, language)}
      </Figure>
    </SimpleGrid>
  )
}

/** What to do when little is left. */
export function BalanceWarning({ overview }: Pick<FiguresProps, 'overview'>) {
  const text = useText(texts)
  const { balance, balance_low_below, balance_state } = overview
  if (balance_state === 'good') return null
  const isLow = balance_state === 'low'
  return (
    <Alert
      color={isLow ? 'yellow' : 'red'}
      title={isLow ? text.lowTitle : text.usedUpTitle}
      role="alert"
    >
      <Text size="sm">
        {isLow
          ? text.low(formatUsd(balance), formatUsd(balance_low_below))
          : text.usedUp(formatUsd(balance))}{' '}
        <Anchor
          inherit
          underline="always"
          renderRoot={(props) => <Link to="/balance" {...props} />}
        >
          {text.toBalance}
        </Anchor>
      </Text>
    </Alert>
  )
}
