import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { channelText } from '../../channels/text.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Existing } from './existing.tsx'
import { NewChannel } from './new.tsx'

/** One channel, or a new one. */
export function Page() {
  const { id = '' } = useParams({ strict: false })
  return id === 'new' ? <NewChannel /> : <Loaded key={id} id={id} />
}

function Loaded({ id }: { readonly id: string }) {
  const text = useText(channelText)
  const query = useQuery({
    queryKey: ['channel', id],
    queryFn: () => call(api.admin.channels({ id }).get()),
    // What cools changes by itself.
    refetchInterval: 10_000,
  })
  if (query.data) return <Existing live={query.data} />
  return (
    <PageFrame title={text.back}>
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
    </PageFrame>
  )
}
