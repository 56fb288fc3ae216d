import { Box, Button, Center, Skeleton, Stack, Table, type TableProps, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { bilingual, formatCount, useText } from '../lib/language.ts'
import { type Bulk, BulkBar } from './bulk.tsx'
import { ErrorNotice } from './page.tsx'
import { useAlignedPoints } from './points.ts'
import { ChooseAll, useChoosing, useSelection } from './selection.tsx'
import { Hint, Time } from './text.tsx'

export interface Column<Item> {
  readonly label: string
  readonly render: (item: Item) => ReactNode
  readonly isFigure?: boolean
  readonly className?: string
  /** The label on a phone, where it is another. */
  readonly cardLabel?: string
  /** What heads it instead of the label. */
  readonly head?: ReactNode
}

/** A column of texts. */
export const column = <Item,>(label: string, render: Column<Item>['render']): Column<Item> => ({
  ...{ label, render },
})

export const figure = <Item,>(label: string, render: Column<Item>['render']): Column<Item> => ({
  ...{ label, render, isFigure: true },
})

interface DataTableProps<Item> extends TableProps {
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string | number
  readonly caption?: string
  /** Those that stand out. */
  readonly isMarked?: (item: Item) => boolean
}

/** A table where there is room, cards on a phone. */
export const DataTable = <Item,>(props: DataTableProps<Item>) => {
  const { items, columns, keyOf, caption, isMarked, ...look } = props
  const table = useRef<HTMLTableElement>(null)
  useAlignedPoints(table, items)
  return (
    <Table ref={table} className="list" {...look}>
      {caption && <Table.Caption className="visually-hidden">{caption}</Table.Caption>}
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ label, head = label, isFigure }) => (
            <Table.Th key={label} ta={isFigure ? 'end' : 'start'} mod={{ figure: isFigure }}>
              {head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((item) => (
          <Table.Tr key={keyOf(item)} mod={{ marked: isMarked?.(item) }}>
            {columns.map(({ label, cardLabel = label, render, isFigure, className }) => (
              <Table.Td
                key={label}
                data-label={cardLabel}
                ta={isFigure ? 'end' : undefined}
                mod={{ figure: isFigure }}
                className={className}
              >
                {render(item)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** Words that other lists use, too. */
export const listText = bilingual({
  counted: ['{shown} of {total}', '共 {total} 条，已显示 {shown} 条'],
  moreThan: ['more than {total}', '超过 {total}'],
  searched: ['The search takes long. Shown is all since:', '查找较慢，已显示此后全部记录：'],
  goOn: ['Look further back', '继续向前查找'],
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

interface ListProps<Item> {
  /** Names the list and its filters for the cache. */
  readonly queryKey: readonly unknown[]
  /** Asks for the page behind a cursor; without one, for the first. */
  readonly load: (page: { readonly cursor?: string }) => Promise<ListPage<Item>>
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string | number
  readonly empty: ReactNode
  readonly caption: string
  /** What can be done to several items at once: each then has a box to choose it. */
  readonly bulk?: Bulk<Item>
}

/** A list of the API, page after page; a table where there is room, cards on a phone. */
export function List<Item>(props: ListProps<Item>) {
  const { queryKey, load, empty } = props
  const text = useText(listText)
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: cursor }) => load(cursor === undefined ? {} : { cursor }),
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
      <Rows {...props} items={items} />
      {notice}
      <Center>
        <Stack align="center" gap="xs">
          <Hint aria-live="polite">
            {text.counted(shown, first?.total_is_exact === false ? text.moreThan(total) : total)}
          </Hint>
          {searchedBackTo && (
            <Text size="sm" role="status">
              {text.searched} <Time at={searchedBackTo} />
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

type RowsProps<Item> = ListProps<Item> & { readonly items: readonly Item[] }

function Rows<Item>({ bulk, ...props }: RowsProps<Item>) {
  if (bulk) return <ChosenRows {...props} bulk={bulk} />
  const { items, columns, keyOf, caption } = props
  return (
    <Table.ScrollContainer minWidth={0}>
      <DataTable {...{ items, columns, keyOf, caption }} highlightOnHover verticalSpacing="xs" />
    </Table.ScrollContainer>
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
      <Table.ScrollContainer minWidth={0}>
        <DataTable
          {...{ items, keyOf, caption: props.caption, isMarked: selection.has }}
          columns={[choosing, ...props.columns]}
          highlightOnHover
          verticalSpacing="xs"
        />
      </Table.ScrollContainer>
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
