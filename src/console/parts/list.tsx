import { Box, Button, Center, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { bilingual, formatCount, useText } from '../lib/language.ts'
import { readSort } from '../lib/sort.ts'
import { type Bulk, BulkBar } from './bulk.tsx'
import { ErrorNotice } from './page.tsx'
import { ChooseAll, useChoosing, useSelection } from './selection.tsx'
import { type Sorting, useSorting } from './sorting.tsx'
import { type Column, DataTable } from './table.tsx'
import { Hint, Time } from './text.tsx'

/** Words that other lists use, too. */
export const listText = bilingual({
  counted: ['{shown} of {total}', '共 {total} 条，已显示 {shown} 条'],
  moreThan: ['more than {total}', '{total}+'],
  searched: ['The search takes long. Shown is all since:', '查找较慢，已显示此后全部记录：'],
  searchedUp: ['The search takes long. Shown is all before:', '查找较慢，已显示此前全部记录：'],
  goOn: ['Look further', '继续查找'],
})

/** A page of a list, as the API answers it. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly total: number
  readonly total_is_exact: boolean
  readonly next: string | null
  /** Set when looking took too long: until then all is here, and `next` goes on looking. */
  readonly searched_back_to?: string | null
}

interface ListProps<Item, Sort extends string> {
  /** Names the list and its filters for the cache. */
  readonly queryKey: readonly unknown[]
  /** Asks for the page behind a cursor; without one, for the first. */
  readonly load: (page: {
    readonly cursor?: string
    readonly sort?: Sort | `-${Sort}`
  }) => Promise<ListPage<Item>>
  /** Those that sort do so by the API, over all pages. */
  readonly columns: readonly Column<Item, Sort>[]
  /** How it is sorted where nothing else is asked for, if a column has it. */
  readonly usual?: Sort | `-${Sort}`
  /** What the address calls its order; `sort` unless the page has several lists. */
  readonly sortWord?: string
  readonly keyOf: (item: Item) => string | number
  readonly empty: ReactNode
  readonly caption: string
  /** What can be done to several items at once: each then has a box to choose it. */
  readonly bulk?: Bulk<Item>
}

/** A list of the API, page after page; a table where there is room, cards on a phone. */
export function List<Item, const Sort extends string = never>(props: ListProps<Item, Sort>) {
  const { queryKey, load, empty, columns, usual, sortWord } = props
  const text = useText(listText)
  const sorting = useSorting(columns, usual, sortWord)
  const { sort } = sorting
  const isUp = sort !== undefined && !readSort(sort).isDescending
  const query = useInfiniteQuery({
    queryKey: sort === undefined ? queryKey : [...queryKey, { sort }],
    queryFn: ({ pageParam: cursor }) =>
      load({ ...(sort !== undefined && { sort }), ...(cursor !== undefined && { cursor }) }),
    // The order changes below the eyes of who has asked for it.
    placeholderData: (last, before) => (isSameList(before?.queryKey, queryKey) ? last : undefined),
    initialPageParam: undefined as string | undefined,
    // Who comes back wants to see what has happened meanwhile.
    refetchOnMount: 'always',
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const notice = query.error && (
    <ErrorNotice error={query.error} retry={() => void query.refetch()} />
  )
  if (!query.data) return notice ?? <Waiting />
  const items = query.data.pages.flatMap((page) => page.items)
  const [first] = query.data.pages
  const searchedBackTo = query.data.pages.at(-1)?.searched_back_to
  if (items.length === 0 && !query.hasNextPage) return notice ?? empty
  const total = formatCount(first?.total ?? 0)
  const shown = formatCount(items.length)
  return (
    <Stack>
      <Rows {...props} items={items} sorting={sorting} />
      {notice}
      <Center>
        <Stack align="center" gap="xs">
          <Hint aria-live="polite">
            {text.counted(shown, first?.total_is_exact === false ? text.moreThan(total) : total)}
          </Hint>
          {searchedBackTo && (
            <Text size="sm" role="status">
              {isUp ? text.searchedUp : text.searched} <Time at={searchedBackTo} />
            </Text>
          )}
          {query.hasNextPage && (
            <Button
              variant="default"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {searchedBackTo ? text.goOn : text.more}
            </Button>
          )}
        </Stack>
      </Center>
    </Stack>
  )
}

type RowsProps<Item> = Pick<ListProps<Item, string>, 'keyOf' | 'caption' | 'bulk' | 'columns'> & {
  readonly items: readonly Item[]
  readonly sorting: Sorting
}

const isSameList = (before: readonly unknown[] | undefined, now: readonly unknown[]) =>
  before !== undefined && JSON.stringify(before.slice(0, now.length)) === JSON.stringify(now)

/** A table that is too wide is moved by itself, not with the page. */
const scrolling = { overflowX: 'auto' } as const

function Rows<Item>({ bulk, ...props }: RowsProps<Item>) {
  if (bulk) return <ChosenRows {...props} bulk={bulk} />
  const { items, columns, keyOf, caption, sorting } = props
  return (
    <Box style={scrolling}>
      <DataTable
        {...{ items, columns, keyOf, caption, sorting }}
        highlightOnHover
        verticalSpacing="xs"
      />
    </Box>
  )
}

function ChosenRows<Item>({ bulk, ...props }: RowsProps<Item> & { readonly bulk: Bulk<Item> }) {
  const { items, keyOf } = props
  const selection = useSelection(items, keyOf)
  const choosing = useChoosing(selection, items, bulk.nameOf)
  return (
    <>
      <Box hiddenFrom="sm">
        <ChooseAll {...{ items, selection, isNamed: true }} />
      </Box>
      <Box style={scrolling}>
        <DataTable
          {...{ items, keyOf, caption: props.caption, isMarked: selection.has }}
          sorting={props.sorting}
          columns={[choosing, ...props.columns]}
          highlightOnHover
          verticalSpacing="xs"
        />
      </Box>
      <BulkBar {...{ bulk, selection }} />
    </>
  )
}

const Waiting = () => (
  <Stack aria-busy>
    {['a', 'b', 'c', 'd', 'e'].map((name) => (
      <Skeleton key={name} height={36} />
    ))}
  </Stack>
)
