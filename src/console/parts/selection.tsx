import { Checkbox } from '@mantine/core'
import { type ChangeEvent, type KeyboardEvent, useRef, useState } from 'react'
import { bilingual, useText } from '../lib/language.ts'
import type { Column } from './table.tsx'

type Key = string | number

/** Which items of a list are chosen. */
export interface Selection<Item> {
  readonly chosen: readonly Item[]
  readonly has: (item: Item) => boolean
  readonly choose: (items: readonly Item[]) => void
  /** Chooses one, or all between it and the one before; a second time: no longer. */
  readonly toggle: (item: Item, isRange: boolean) => void
}

/** Of what a list shows now: an item that is gone is not chosen. */
export function useSelection<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Selection<Item> {
  const [keys, setKeys] = useState<ReadonlySet<Key>>(new Set())
  const last = useRef<Key>(undefined)
  const has = (item: Item) => keys.has(keyOf(item))
  function toggle(item: Item, isRange: boolean): void {
    const to = items.indexOf(item)
    const from = isRange ? items.findIndex((one) => keyOf(one) === last.current) : -1
    const range = from === -1 ? [item] : items.slice(Math.min(from, to), Math.max(from, to) + 1)
    const next = new Set(keys)
    for (const one of range) {
      if (has(item)) next.delete(keyOf(one))
      else next.add(keyOf(one))
    }
    last.current = keyOf(item)
    setKeys(next)
  }
  return {
    chosen: items.filter(has),
    has,
    choose: (wanted) => setKeys(new Set(wanted.map(keyOf))),
    toggle,
  }
}

interface ChooseAllProps<Item> {
  readonly items: readonly Item[]
  readonly selection: Selection<Item>
  /** Whether its words stand beside it. */
  readonly isNamed?: boolean
}

/** Chooses all that the list shows, or none. */
export function ChooseAll<Item>({ items, selection, isNamed }: ChooseAllProps<Item>) {
  const text = useText(selectionText)
  const { chosen, choose } = selection
  const isAll = chosen.length === items.length
  return (
    <Checkbox
      size="xs"
      {...(isNamed ? { label: text.all } : { 'aria-label': text.all })}
      checked={isAll}
      indeterminate={chosen.length > 0 && !isAll}
      onChange={() => choose(isAll ? [] : items)}
    />
  )
}

/** The column with a box for each item. */
export function useChoosing<Item>(
  selection: Selection<Item>,
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Column<Item> {
  const text = useText(selectionText)
  const toggle = (item: Item) => (event: ChangeEvent<HTMLInputElement>) => {
    const { nativeEvent } = event
    selection.toggle(item, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
  }
  return {
    label: text.choose,
    head: <ChooseAll items={items} selection={selection} />,
    className: 'choosing',
    card: 'box',
    render: (item) => (
      <Checkbox
        size="xs"
        aria-label={text.chooseOne(nameOf(item))}
        checked={selection.has(item)}
        onChange={toggle(item)}
        onKeyDown={(event) => moveByKeys(event, selection.choose)}
      />
    ),
  }
}

/** Arrows lead from box to box, Shift with an arrow chooses on the way, Escape chooses none. */
function moveByKeys(event: KeyboardEvent<HTMLInputElement>, choose: (items: []) => void): void {
  const { key, shiftKey, currentTarget: box } = event
  if (key === 'Escape') choose([])
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  const table = box.closest('table')
  if (step === undefined || !table) return
  event.preventDefault()
  const boxes = [...table.querySelectorAll<HTMLInputElement>('tbody .choosing input')]
  const next = boxes[boxes.indexOf(box) + step]
  next?.focus()
  if (shiftKey && next?.checked === false) next.click()
}

const selectionText = bilingual({
  all: ['Choose all on this page', '选择本页全部'],
  choose: ['Choose', '选择'],
  chooseOne: ['Choose {name}', '选择 {name}'],
})
