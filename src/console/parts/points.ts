import { type RefObject, useLayoutEffect } from 'react'

/**
 * Puts the decimal points of amounts in line, column by column: each amount leaves room for as many
 * decimals as the longest of its column has, and no more. `Money` has its decimals in a `span`.
 */
export function useAlignedPoints(table: RefObject<HTMLTableElement | null>, items: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: amounts change with the items alone
  useLayoutEffect(() => {
    const columns = new Map<number, HTMLElement[]>()
    for (const decimals of table.current?.querySelectorAll<HTMLElement>('td .money > span') ?? []) {
      const place = decimals.closest('td')?.cellIndex ?? 0
      const column = columns.get(place) ?? []
      column.push(decimals)
      columns.set(place, column)
    }
    for (const column of columns.values()) {
      const most = Math.max(...column.map(({ textContent }) => textContent.length))
      for (const one of column) one.style.setProperty('--signs', String(most))
    }
  }, [items])
}
