import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Notices } from './notices.tsx'
import { NodeTable } from './table.tsx'
import { texts } from './text.ts'

/** Nodes tell of themselves every five seconds. */
const refreshMs = 3_000

/** Who serves: the nodes of this gateway. */
export function Page() {
  const text = useText(texts)
  const query = useQuery({
    queryKey: ['admin', 'nodes'],
    queryFn: () => call(api.admin.nodes.get()),
    refetchInterval: refreshMs,
  })
  return (
    <PageFrame title={text.title} description={text.description}>
      {query.error ? (
        <ErrorNotice error={query.error} retry={() => void query.refetch()} />
      ) : query.data ? (
        <Stack>
          <Notices {...query.data} />
          <NodeTable items={query.data.items} />
        </Stack>
      ) : (
        <Skeleton height={160} aria-busy />
      )}
    </PageFrame>
  )
}
