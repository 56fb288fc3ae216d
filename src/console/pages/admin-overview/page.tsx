import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { GatewayOverview } from '../../../admin/overview/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { UsageCharts } from '../../parts/usage-charts.tsx'
import { DaysChoice, useDays } from '../../parts/usage-days.tsx'
import { UsageModels } from '../../parts/usage-models.tsx'
import { usageText } from '../../parts/usage-text.ts'
import { Channels } from './channels.tsx'
import { Figures } from './figures.tsx'
import { NextSteps } from './next-steps.tsx'
import { Overdrawn } from './overdrawn.tsx'
import { texts } from './text.ts'

/** The first page of an administrator: what the gateway does, and what it needs. */
export function Page() {
  const text = useText(texts)
  const days = useDays()
  const query = useQuery({
    queryKey: ['admin', 'overview', days],
    queryFn: () => call(api.admin.overview.get({ query: { days } })),
    placeholderData: (last) => last,
    refetchInterval: 15_000,
  })
  return (
    <PageFrame title={text.title} description={text.description} actions={<DaysChoice />}>
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

function Loaded({ overview, days }: { readonly overview: GatewayOverview; readonly days: number }) {
  const usage = useText(usageText)
  return (
    <Stack gap="md">
      <NextSteps steps={overview.steps} />
      <Overdrawn overdrawn={overview.overdrawn} />
      <Figures overview={overview} days={days} />
      <Channels now={overview.now} />
      {overview.usage.sum.requests > 0 && (
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

const Waiting = () => (
  <SimpleGrid cols={{ base: 1, lg: 2 }} aria-busy>
    {['a', 'b', 'c', 'd'].map((name) => (
      <Skeleton key={name} height={280} />
    ))}
  </SimpleGrid>
)
