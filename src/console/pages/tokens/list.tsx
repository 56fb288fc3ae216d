import { Group } from '@mantine/core'
import { api, call } from '../../lib/api.ts'
import { useFilters, useListFilter } from '../../lib/filters.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { Dialog, type DialogProps } from '../../parts/action.tsx'
import { Choice, half, Search } from '../../parts/filters.tsx'
import { List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { useTokenBulk } from './bulk.ts'
import { useTokenColumns } from './columns.tsx'
import { useGroups } from './groups.ts'
import { NoToken } from './no-token.tsx'
import { tokensText } from './text.ts'

const statuses = ['active', 'disabled'] as const

/** The API keys of who is signed in. */
export function Page() {
  const text = useText(tokensText)
  const columns = useTokenColumns()
  const [{ create: isWanted }, set] = useFilters()
  const { filter, key, showAll } = useListFilter({ search: null, group: null, status: statuses })
  const hasNoGroup = useGroups().data?.items.length === 0
  const create = (wish: Pick<DialogProps, 'isWanted' | 'onClosed'> = {}) => (
    <Dialog
      {...{ label: text.create, size: 'lg', closeOnClickOutside: false, ...wish }}
      look={{ disabled: hasNoGroup }}
      load={async () => (await import('./token-form.tsx')).CreateToken}
    />
  )
  const wanted = {
    isWanted: isWanted !== undefined,
    onClosed: () => isWanted !== undefined && set({ create: null }),
  }
  return (
    <PageFrame title={text.tokens} description={text.description} actions={create(wanted)}>
      <Filters key={key} />
      <List
        queryKey={['tokens', filter]}
        load={(page) => call(api.tokens.get({ query: { ...filter, ...page } }))}
        columns={columns}
        keyOf={({ id }) => id}
        caption={text.tokens}
        bulk={useTokenBulk()}
        empty={
          showAll ? (
            <Empty text={{ ...text, empty: text.noneFound }} showAll={showAll} />
          ) : (
            <NoToken hint={text.emptyHint} action={create()} />
          )
        }
      />
    </PageFrame>
  )
}

function Filters() {
  const text = useText(tokensText)
  const groups = useGroups().data?.items ?? []
  return (
    <Group align="flex-end" gap="sm">
      <Search label={text.search} placeholder={text.searchHint} w={{ base: '100%', xs: 280 }} />
      <Choice name="group" label={text.group} w={half} data={groups.map(({ name }) => name)} />
      <Choice name="status" label={text.status} w={half} data={choicesOf(statuses, text)} />
    </Group>
  )
}
