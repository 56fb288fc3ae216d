import { Table, type TableProps } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useAlignedPoints } from './points.ts'
import { SortChoice, SortHead, type Sorting } from './sorting.tsx'

/**
 * In the first line of a card stand its box, its name (the first column, where none is said to be) and what is
 * beside it. Below, a text has a line for itself, and of figures and short texts two share one: by the column, not
 * by what is in it, so that all cards of a list are alike. What the page has that the card leads to may be left out.
 */
type InCard = 'box' | 'name' | 'beside' | 'line' | 'half' | 'none'

export interface Column<Item, Sort extends string = string> {
  readonly label: string
  readonly render: (item: Item) => ReactNode
  readonly isFigure?: boolean
  readonly className?: string
  /** The label on a phone, where it is another. */
  readonly cardLabel?: string
  /** How it stands in a card on a phone; usually figures are halves of a line, texts whole lines. */
  readonly card?: InCard
  /** What heads it instead of the label. */
  readonly head?: ReactNode
  /** What the address, and the API of a list, call it when it is sorted by. */
  readonly sort?: Sort
  /** What a table that is whole here is sorted by. */
  readonly value?: (item: Item) => string | number | null
}

/** A column of texts. */
export const column = <Item,>(
  label: string,
  render: Column<Item>['render'],
): Column<Item, never> => ({ label, render })

/** A column of short texts, such as states and days: half of a line in a card. */
export const short = <Item,>(
  label: string,
  render: Column<Item>['render'],
): Column<Item, never> => ({ label, render, card: 'half' })

export const figure = <Item,>(
  label: string,
  render: Column<Item>['render'],
): Column<Item, never> => ({ label, render, isFigure: true })

/** A column of what can be done with an item: on a phone it stands beside the item's name. */
export const acting = <Item,>(
  label: string,
  render: Column<Item>['render'],
): Column<Item, never> => ({ label, render, isFigure: true, card: 'beside' })

/** A column that can be sorted by, under this name. Tables that are whole here need what is compared. */
export const sorted = <Item, const Sort extends string>(
  sort: Sort,
  column: Column<Item, never>,
  value?: Column<Item>['value'],
): Column<Item, Sort> => ({ ...column, sort, ...(value && { value }) })

/** The same column, which stands in cards in this way. */
export const inCard = <Item, Sort extends string>(
  card: InCard,
  column: Column<Item, Sort>,
): Column<Item, Sort> => ({ ...column, card })

interface DataTableProps<Item> extends TableProps {
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string | number
  readonly caption?: string
  /** Those that stand out. */
  readonly isMarked?: (item: Item) => boolean
  /** Absent: columns do not sort. */
  readonly sorting?: Sorting
}

/** A table where there is room, cards on a phone. */
export const DataTable = <Item,>(props: DataTableProps<Item>) => {
  const { items, columns, keyOf, caption, isMarked, ...look } = props
  // One row has no order.
  const sorting = items.length > 1 ? props.sorting : undefined
  const table = useRef<HTMLTableElement>(null)
  useAlignedPoints(table, items)
  const named = columns.find(({ card }) => card === 'name') ?? columns.find(({ card }) => !card)
  const inCard = (column: Column<Item>): InCard =>
    column === named ? 'name' : (column.card ?? (column.isFigure ? 'half' : 'line'))
  return (
    <>
      {sorting && <SortChoice columns={columns} sorting={sorting} />}
      <Table ref={table} className="list" {...look}>
        {caption && <Table.Caption className="visually-hidden">{caption}</Table.Caption>}
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Head key={column.label} column={column} sorting={sorting} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={keyOf(item)} mod={{ marked: isMarked?.(item) }}>
              {columns.map((column) => (
                <Table.Td
                  key={column.label}
                  data-label={column.cardLabel ?? column.label}
                  ta={column.isFigure ? 'end' : undefined}
                  mod={{ figure: column.isFigure, card: inCard(column) }}
                  className={column.className}
                >
                  {column.render(item)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}

interface HeadProps<Item> {
  readonly column: Column<Item>
  readonly sorting: Sorting | undefined
}

function Head<Item>({ column, sorting }: HeadProps<Item>) {
  const { label, head = label, isFigure } = column
  if (sorting && column.sort !== undefined)
    return <SortHead {...{ column, sorting }}>{head}</SortHead>
  return (
    <Table.Th ta={isFigure ? 'end' : 'start'} mod={{ figure: isFigure }}>
      {head}
    </Table.Th>
  )
}
