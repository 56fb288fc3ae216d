import { Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PlazaDocument } from '../../../site/plaza/schema.ts'
import { api, CallFailed, read, useCall, useMe } from '../../lib/api.ts'
import { useListFilter } from '../../lib/filters.ts'
import { useText } from '../../lib/language.ts'
import { Choice, half, Search } from '../../parts/filters.tsx'
import { Empty, ErrorNotice, PageFrame } from '../../parts/page.tsx'
import { filterRows, plazaRows } from './rows.ts'
import { PlazaTable, type PlazaTableProps } from './table.tsx'
import { plazaText } from './text.ts'

/** What can be called, and what it costs. */
export function Page() {
  const text = useText(plazaText)
  const plaza = usePlaza()
  const { data, error } = plaza
  return (
    <PageFrame title={text.plaza} description={text.description}>
      {error && <Refused error={error} retry={() => void plaza.refetch()} />}
      {plaza.isPending && <Skeleton height={320} />}
      {data && !error && (
        <>
          {data.description !== '' && <Text className="cut">{data.description}</Text>}
          {data.rows.length === 0 ? <Nothing /> : <Found {...data} />}
        </>
      )}
    </PageFrame>
  )
}

function Nothing() {
  const text = useText(plazaText)
  const isAdmin = useMe().data?.role === 'admin'
  return <Empty text={{ ...text, emptyHint: isAdmin ? text.emptyHint : text.emptyForUser }} />
}

function Refused({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  const text = useText(plazaText)
  const status = error instanceof CallFailed ? error.status : 0
  if (status === 404) return <Empty text={{ empty: text.off, emptyHint: text.offHint }} />
  if (status === 401) return <Empty text={{ empty: text.needsKey, emptyHint: text.needsKeyHint }} />
  return <ErrorNotice error={error} retry={retry} />
}

function Found({ rows, publicModels }: Omit<PlazaTableProps, 'tokens'>) {
  const text = useText(plazaText)
  const { filter, key, showAll } = useListFilter({ search: null, group: null, token: null })
  const tokens = useOwnTokens().data?.items ?? []
  const { search, group } = filter
  const token = tokens.find(({ id }) => String(id) === filter.token)
  const found = filterRows(rows, { search, group, token })
  return (
    <>
      <Group key={key} align="flex-end" gap="sm">
        <Search label={text.search} placeholder={text.searchHint} w={{ base: '100%', xs: 280 }} />
        <Choice
          {...{ name: 'group', label: text.group, w: half }}
          data={[...new Set(rows.map((row) => row.group))]}
        />
        <Choice
          {...{ name: 'token', label: text.token, w: half }}
          data={tokens.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      </Group>
      {found.length > 0 ? (
        <PlazaTable
          key={`${search} ${group} ${token?.id}`}
          rows={found}
          publicModels={publicModels}
          tokens={tokens}
        />
      ) : (
        <Empty text={text} showAll={showAll} />
      )}
    </>
  )
}

/** The public plaza, and what is only for who is signed in; its error has status 404 when it is off, 401 when it asks for a key. */
const usePlaza = () =>
  useQuery({
    queryKey: ['plaza'],
    staleTime: 60_000,
    queryFn: async () => {
      const [shown, own] = (await Promise.all([
        read('/api/v1/model-plaza'),
        read('/api/v1/groups/plaza'),
      ])) as [PlazaDocument, PlazaDocument]
      const groups = [...shown.data.groups, ...own.data.groups].toSorted(
        (a, b) => a.rate_multiplier - b.rate_multiplier,
      )
      const publicModels = new Set(
        shown.data.groups.flatMap(({ models }) => models.map(({ name }) => name)),
      )
      return { description: shown.data.description, rows: plazaRows(groups), publicModels }
    },
  })

const useOwnTokens = () =>
  useCall(['tokens', 'choice'], () => api.tokens.get({ query: { page_size: 100 } }))
