import { Table, type TableProps } from '@mantine/core'
import type { ReactNode } from 'react'

export interface Column<Item> {
  readonly label: string
  readonly render: (item: Item) => ReactNode
  /** Figures stand at the end. */
  readonly isFigure?: boolean
  /** Class of its cells. */
  readonly className?: string
  /** The label on a phone, where it is another. */
  readonly cardLabel?: string
}

/** A column of texts. */
export const column = <Item,>(label: string, render: Column<Item>['render']): Column<Item> => ({
  ...{ label, render },
})

/** A column of figures. */
export const figure = <Item,>(label: string, render: Column<Item>['render']): Column<Item> => ({
  ...{ label, render, isFigure: true },
})

interface DataTableProps<Item> extends TableProps {
  readonly items: readonly Item[]
  readonly columns: readonly Column<Item>[]
  readonly keyOf: (item: Item) => string | number
  /** What the table is of, for screen readers. */
  readonly caption?: string
}

/** A table where there is room, cards on a phone. */
export const DataTable = <Item,>(props: DataTableProps<Item>) => {
  const { items, columns, keyOf, caption, ...look } = props
  return (
    <Table className="list" {...look}>
      {caption && <Table.Caption className="visually-hidden">{caption}</Table.Caption>}
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ label, isFigure }) => (
            <Table.Th key={label} ta={isFigure ? 'end' : 'start'}>
              {label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((item) => (
          <Table.Tr key={keyOf(item)}>
            {columns.map(({ label, cardLabel = label, render, isFigure, className }) => (
              <Table.Td
                key={label}
                data-label={cardLabel}
                ta={isFigure ? 'end' : undefined}
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
