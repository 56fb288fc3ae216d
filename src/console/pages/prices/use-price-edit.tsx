import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { PriceView } from '../../../admin/prices/schema.ts'
import { api, call, know } from '../../lib/api.ts'
import { showProblems } from '../../lib/form-errors.ts'
import { useText } from '../../lib/language.tsx'
import { confirm, sayDone, sayRefused } from '../../parts/action.tsx'
import { presentOf, useEdit } from '../../parts/edit.tsx'
import { fieldOf, givenPrice, type PriceValues, valuesOf } from './form-values.ts'
import { priceText } from './text.ts'

/** The price of a model with its form, and what can be done to it; all show what they did. */
export function usePriceEdit(live: PriceView) {
  const text = useText(priceText)
  const queries = useQueryClient()
  const { model } = live
  const route = api.admin.prices({ model: encodeURIComponent(model) })
  const put = (values: PriceValues, replaces: number | null) =>
    call(route.put({ ...givenPrice(values), note: values.note, replaces }))

  const edit = useEdit<PriceView, PriceValues>({
    live,
    valuesOf,
    isWhole: true,
    send: ({ price }, values) => put(values, price?.id ?? null),
    showAtFields: (form, error) => showProblems(form, error, fieldOf),
    tell: (now) => {
      void know(queries, ['price', model], now)
      for (const name of ['prices', 'feed', 'price-history', 'price-preview']) {
        void queries.invalidateQueries({ queryKey: [name] })
      }
    },
    saySaved: (now, before) => {
      const id = notifications.show({
        color: 'green',
        autoClose: 10_000,
        message: (
          <Group justify="space-between">
            <Text size="sm">{text.saved(model)}</Text>
            <Button
              size="compact-sm"
              variant="light"
              onClick={() => {
                notifications.hide(id)
                void undo(before, now)
              }}
            >
              {text.undo}
            </Button>
          </Group>
        ),
      })
    },
  })

  async function takeAway({ price }: PriceView, to: 'list_price' | 'not_callable') {
    const done = await call(route.delete({ replaces: price?.id ?? null, to }))
    edit.showInForm(done.price)
  }

  /** Puts back what was in force before. */
  async function restore(before: PriceView, now: PriceView): Promise<void> {
    const { price } = before
    if (price === null || price.terms.unit === 'none') return takeAway(now, 'not_callable')
    if (price.source === 'vendor') return takeAway(now, 'list_price')
    edit.showInForm(await put(valuesOf(before), now.price?.id ?? null))
  }

  async function undo(before: PriceView, now: PriceView): Promise<void> {
    try {
      await restore(before, now)
    } catch (error) {
      if (showConflict(error)) return
      sayRefused(error)
    }
  }

  /** Shows the present state after a conflict; false for any other error. */
  function showConflict(error: unknown): boolean {
    const present = presentOf<PriceView>(error)
    if (present === undefined) return false
    edit.show(present)
    notifications.show({ message: text.conflict, color: 'yellow', autoClose: false })
    return true
  }

  return {
    edit,
    showConflict,
    async remove(to: 'list_price' | 'not_callable'): Promise<void> {
      const isList = to === 'list_price'
      const isSure = await confirm({
        title: isList ? text.toList : text.takeAway,
        text: isList ? text.toListAsk(model) : text.takeAwayAsk(model),
        confirm: isList ? text.toList : text.takeAway,
        isDangerous: !isList,
      })
      if (!isSure) return
      await takeAway(edit.seen, to)
      sayDone(isList ? text.isList(model) : text.isAway(model))
    },
  }
}
