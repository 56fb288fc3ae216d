import { Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../admin/overview/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { UsageCharts } from '../../parts/usage-charts.tsx'
import { DaysChoice, useDays } from '../../parts/usage-days.tsx'
import { UsageModels } from '../../parts/usage-models.tsx'
import { usageText } from '../../parts/usage-text.ts'
import { BalanceWarning, Figures } from './figures.tsx'
import { texts } from './text.ts'

/** The first page of who is signed in: what is left, and what was used. */
export function Page() {
  const text = useText(texts)
  const days = useDays()
  const query = useQuery({
    queryKey: ['overview', days],
    queryFn: () => call(api.overview.get({ query: { days } })),
    placeholderData: (last) => last,
    refetchInterval: 60_000,
  })
  return (
    <PageFrame title={text.title} actions={<DaysChoice />}>
      {query.error ? (
        <ErrorNotice error={query.error} retry={() => void query.refetch()} />
      ) : query.data ? (
        <Loaded overview={query.data} days={days} />
      ) : (
        <Waiting />
      )}
    </PageFrame>
  )
}

function Loaded({ overview, days }: { readonly overview: Overview; readonly days: number }) {
  const usage = useText(usageText)
  return (
    <Stack gap="md">
      <BalanceWarning overview={overview} />
      <Figures overview={overview} days={days} />
      {overview.usage.sum.requests === 0 ? (
        <Nothing hasToken={overview.tokens > 0} days={days} />
      ) : (
        <>
          <Text size="sm" c="dimmed">
            {usage.notOver}
          </Text>
          <UsageCharts usage={overview.usage} />
          <UsageModels usage={overview.usage} />
        </>
      )}
    </Stack>
  )
}

function Nothing({ hasToken, days }: { readonly hasToken: boolean; readonly days: number }) {
  const text = useText(texts)
  if (!hasToken) {
    return (
      <Empty
        title={text.noTokenTitle}
        hint={text.noToken}
        action={
          <Button renderRoot={(props) => <Link to="/tokens" {...props} />}>{text.makeToken}</Button>
        }
      />
    )
  }
  return (
    <Empty
      title={text.noRequestTitle(days)}
      hint={text.noRequest}
      action={
        <Group justify="center">
          <Button renderRoot={(props) => <Link to="/tokens" {...props} />}>{text.toTokens}</Button>
          <Button variant="default" renderRoot={(props) => <Link to="/playground" {...props} />}>
            {text.toPlayground}
          </Button>
        </Group>
      }
    />
  )
}

const Waiting = () => (
  <SimpleGrid cols={{ base: 1, lg: 2 }} aria-busy>
    {['a', 'b', 'c', 'd'].map((name) => (
      <Skeleton key={name} height={280} />
    ))}
  </SimpleGrid>
)
