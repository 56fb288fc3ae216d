import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { groupText } from '../../groups/text.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Existing } from './existing.tsx'
import { NewGroup } from './new.tsx'

/** One group, or a new one. */
export function Page() {
  const { id = '' } = useParams({ strict: false })
  return id === 'new' ? <NewGroup /> : <Loaded key={id} id={id} />
}

function Loaded({ id }: { readonly id: string }) {
  const text = useText(groupText)
  const query = useQuery({
    queryKey: ['group', id],
    queryFn: () => call(api.admin.groups({ id }).get()),
  })
  if (query.data) return <Existing live={query.data} />
  return (
    <PageFrame title={text.title}>
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
    </PageFrame>
  )
}
