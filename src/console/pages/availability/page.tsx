import { Anchor, Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useText } from '../../lib/language.tsx'
import { useMe } from '../../lib/use-me.ts'
import { Empty } from '../../parts/empty.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { BarLegend } from './bars.tsx'
import { GroupCard } from './group.tsx'
import { readStatus } from './status.ts'
import { texts } from './text.ts'

/** How well each group and model answers. */
export function Page() {
  const text = useText(texts)
  const statusUrl = useMe().data?.site.status_url
  const query = useQuery({
    queryKey: ['status'],
    queryFn: () => readStatus(),
    refetchInterval: 30_000,
  })
  return (
    <PageFrame
      title={text.title}
      description={text.description}
      actions={
        statusUrl && (
          <Anchor href={statusUrl} underline="always" size="sm">
            {text.publicPage}
          </Anchor>
        )
      }
    >
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={320} />}
      {query.data && query.data.groups.length === 0 && (
        <Empty
          title={text.noGroups}
          hint={text.noGroupsHint}
          action={
            <Button renderRoot={(props) => <Link to="/admin/groups" {...props} />}>
              {text.toGroups}
            </Button>
          }
        />
      )}
      {query.data && query.data.groups.length > 0 && (
        <Stack>
          <Text size="sm" c="dimmed">
            {text.at} <Time at={query.data.generated_at} />
          </Text>
          <BarLegend />
          {query.data.groups.map((group) => (
            <GroupCard key={group.id} group={group} />
          ))}
        </Stack>
      )}
    </PageFrame>
  )
}
