import { Stack, Switch, Text } from '@mantine/core'
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { RequestItem } from '../../../admin/requests/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { List, type ListPage } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { ButtonLink } from '../../parts/text.tsx'
import { useColumns } from './columns.tsx'
import { callQueryOf, FilterBar, type Filters, queryOf, useRequestFilters } from './filters.tsx'
import { requestsText } from './text.ts'

/** Own requests, or for administrators those of all accounts: filters, list, export and live view. */
export function Page() {
  const isAll = useLocation().pathname.startsWith('/admin/')
  const text = useText(requestsText)
  const { filters, showAll, isLive, setLive } = useRequestFilters()
  const base = isAll ? '/api/v1/admin/requests' : '/api/v1/requests'
  const queryKey = [isAll ? 'all-requests' : 'requests', filters]
  const live = useLive({ isOn: isLive, url: `${base}/live?${queryOf(filters)}`, queryKey })
  return (
    <PageFrame
      title={isAll ? text.all : text.own}
      description={isAll ? text.allDescription : text.ownDescription}
      actions={
        <>
          <Switch
            label={text.live}
            checked={isLive}
            onChange={({ currentTarget }) => setLive(currentTarget.checked)}
          />
          <ExportMenu address={`${base}/export?${queryOf(filters)}`} />
        </>
      }
    >
      <Stack gap={0}>
        <FilterBar isAll={isAll} />
        <LiveLine state={live} />
      </Stack>
      <List
        queryKey={queryKey}
        load={(page) => load(isAll, filters, page)}
        columns={useColumns(isAll)}
        usual="-created_at"
        keyOf={(item) => item.request_id}
        caption={isAll ? text.all : text.own}
        empty={
          <Empty
            text={text}
            showAll={showAll}
            action={<ButtonLink to="/playground">{text.toPlayground}</ButtonLink>}
          />
        }
      />
    </PageFrame>
  )
}

function load(
  isAll: boolean,
  filters: Filters,
  page: { readonly cursor?: string; readonly sort?: 'created_at' | '-created_at' },
): Promise<ListPage<RequestItem>> {
  const query = { ...callQueryOf(filters), ...page }
  return isAll ? call(api.admin.requests.get({ query })) : call(api.requests.get({ query }))
}

function LiveLine({ state }: { readonly state: LiveState }) {
  const text = useText(requestsText)
  return (
    <Text size="sm" c={state === 'failed' ? 'red' : 'dimmed'} role="status">
      {state !== 'off' && text.liveStates[state]}
    </Text>
  )
}

type LiveState = 'off' | 'connecting' | 'on' | 'skipped' | 'failed'

/** So many new rows are kept on top of the list; the oldest of them go first. */
const maxRows = 500

interface Watched {
  readonly isOn: boolean
  readonly url: string
  readonly queryKey: readonly unknown[]
}

type Pages = InfiniteData<ListPage<RequestItem>, string | undefined>

/** Puts requests on top of a list as they end, while it is switched on. */
function useLive({ isOn, url, queryKey }: Watched): LiveState {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('off')
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    if (!isOn) {
      setState('off')
      return
    }
    setState('connecting')
    const listKey: readonly unknown[] = JSON.parse(key)
    const seen: RequestItem[] = []
    const show = () => client.setQueryData<Pages>(listKey, (list) => list && withRows(list, seen))
    const events = new EventSource(url)
    events.addEventListener('ready', () => {
      setState('on')
      // What ended before is in the list; what comes while that is read must not be lost by it.
      void client.invalidateQueries({ queryKey: listKey }).then(show)
    })
    events.addEventListener('request', (event) => {
      seen.unshift(JSON.parse(event.data))
      seen.length = Math.min(seen.length, maxRows)
      show()
    })
    events.addEventListener('skipped', () => setState('skipped'))
    events.addEventListener('end', (event) => {
      if (event.data !== 'signed_out') return
      events.close()
      void client.invalidateQueries({ queryKey: ['me'] })
    })
    events.addEventListener('error', () =>
      setState(events.readyState === EventSource.CLOSED ? 'failed' : 'connecting'),
    )
    return () => events.close()
  }, [isOn, url, key, client])
  return state
}

function withRows(list: Pages, rows: readonly RequestItem[]): Pages {
  const known = new Set(list.pages.flatMap(({ items }) => items.map((item) => item.request_id)))
  const added = rows.filter((row) => !known.has(row.request_id))
  const [first, ...others] = list.pages
  if (first === undefined || added.length === 0) return list
  const total = first.total_is_exact ? first.total + added.length : first.total
  const items = [...added, ...first.items]
  return { ...list, pages: [{ ...first, total, items }, ...others] }
}
