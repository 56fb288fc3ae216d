import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RequestItem } from '../../admin/requests/schema.ts'
import type { ListPage } from '../parts/list.tsx'

export type LiveState = 'off' | 'connecting' | 'on' | 'skipped' | 'failed'

/** So many new rows are kept on top of the list; the oldest of them go first. */
const maxRows = 500

interface Watched {
  readonly isOn: boolean
  /** Address of the events. */
  readonly url: string
  /** The list that new requests are put on top of. */
  readonly queryKey: readonly unknown[]
}

type Pages = InfiniteData<ListPage<RequestItem>, string | undefined>

/** Puts requests on top of a list as they end, while it is switched on. */
export function useLive({ isOn, url, queryKey }: Watched): LiveState {
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
