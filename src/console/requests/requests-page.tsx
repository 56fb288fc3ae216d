import { Button, Group, Menu, Stack, Switch, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RequestItem } from '../../admin/requests/schema.ts'
import { api, call } from '../lib/api.ts'
import { useText } from '../lib/language.tsx'
import { Empty } from '../parts/empty.tsx'
import { List, type ListPage } from '../parts/list.tsx'
import { PageFrame } from '../parts/page.tsx'
import { useColumns } from './columns.tsx'
import { FilterBar } from './filters.tsx'
import { callQueryOf, type Filters, queryOf, useFilters } from './search.ts'
import { requestsText } from './text.ts'
import { type LiveState, useLive } from './use-live.ts'

/** Own requests, or those of all accounts: filters, list, export and live view. */
export function RequestsPage({ isAll }: { readonly isAll: boolean }) {
  const text = useText(requestsText)
  const { filters, set, clear, isLive, setLive } = useFilters()
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
        <FilterBar {...{ filters, set, clear, isAll }} />
        <LiveLine state={live} />
      </Stack>
      <List
        queryKey={queryKey}
        load={(cursor) => load(isAll, filters, cursor)}
        columns={useColumns(isAll)}
        keyOf={(item) => item.request_id}
        caption={isAll ? text.all : text.own}
        empty={<Nothing isFiltered={Object.keys(filters).length > 0} clear={clear} />}
      />
    </PageFrame>
  )
}

function load(
  isAll: boolean,
  filters: Filters,
  cursor: string | undefined,
): Promise<ListPage<RequestItem>> {
  const query = { ...callQueryOf(filters), ...(cursor !== undefined && { cursor }) }
  return isAll ? call(api.admin.requests.get({ query })) : call(api.requests.get({ query }))
}

function ExportMenu({ address }: { readonly address: string }) {
  const text = useText(requestsText)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">{text.exportAs}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`${address}&format=csv`} download>
          {text.asCsv}
        </Menu.Item>
        <Menu.Item component="a" href={`${address}&format=jsonl`} download>
          {text.asJsonl}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** What the live view does, for who sees and for who listens. */
function LiveLine({ state }: { readonly state: LiveState }) {
  const text = useText(requestsText)
  const words = {
    off: '',
    connecting: text.liveConnecting,
    on: text.liveOn,
    skipped: text.liveSkipped,
    failed: text.liveFailed,
  }
  return (
    <Text size="sm" c={state === 'failed' ? 'red' : 'dimmed'} role="status">
      {words[state]}
    </Text>
  )
}

interface NothingProps {
  readonly isFiltered: boolean
  readonly clear: () => void
}

function Nothing({ isFiltered, clear }: NothingProps) {
  const text = useText(requestsText)
  if (isFiltered) {
    return (
      <Empty
        title={text.noMatch}
        hint={text.noMatchHint}
        action={<Button onClick={clear}>{text.clear}</Button>}
      />
    )
  }
  return (
    <Stack>
      <Empty
        title={text.none}
        hint={text.noneHint}
        action={
          <Group>
            <Button renderRoot={(props) => <Link to="/tokens" {...props} />}>
              {text.createToken}
            </Button>
          </Group>
        }
      />
    </Stack>
  )
}
