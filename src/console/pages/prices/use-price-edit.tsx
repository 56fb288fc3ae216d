import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { PriceView } from '../../../admin/prices/schema.ts'
import { api, CallFailed, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { givenPrice, type PriceValues, termsValues } from './form-values.ts'
import { priceText } from './text.ts'

/** What can be done to the price of a model; all show what they did. */
export function usePriceEdit(view: PriceView) {
  const text = useText(priceText)
  const queries = useQueryClient()
  const { model, price } = view
  const route = api.admin.prices({ model: encodeURIComponent(model) })
  const replaces = price?.id ?? null

  async function show(now: PriceView): Promise<void> {
    queries.setQueryData(['price', model], now)
    await Promise.all(
      ['prices', 'feed', 'price-history'].map((name) =>
        queries.invalidateQueries({ queryKey: [name] }),
      ),
    )
  }

  /** Shows the present state after a conflict; false for any other error. */
  function showConflict(error: unknown): boolean {
    if (!(error instanceof CallFailed) || error.reason !== 'conflict') return false
    void show(error.data as PriceView)
    notifications.show({ message: text.conflict, color: 'yellow', autoClose: false })
    return true
  }

  async function takeAway(to: 'list_price' | 'not_callable', seen = replaces): Promise<void> {
    const done = await call(route.delete({ replaces: seen, to }))
    await show(done.price)
  }

  /** Puts back what was in force before. */
  async function undo(now: number): Promise<void> {
    if (price === null || price.terms.unit === 'none') return takeAway('not_callable', now)
    if (price.source === 'vendor') return takeAway('list_price', now)
    const window = price.context_window
    const values: PriceValues = {
      ...termsValues(price.terms),
      context_window: window === null ? '' : String(window),
      note: price.note,
    }
    await show(await call(route.put({ ...givenPrice(values), note: price.note, replaces: now })))
  }

  return {
    showConflict,
    async save(values: PriceValues): Promise<void> {
      const body = { ...givenPrice(values), note: values.note, replaces }
      const saved = await call(route.put(body))
      await show(saved)
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
                void undo(saved.price?.id ?? 0).catch(showConflict)
              }}
            >
              {text.undo}
            </Button>
          </Group>
        ),
      })
    },
    async remove(to: 'list_price' | 'not_callable'): Promise<void> {
      const isList = to === 'list_price'
      const isSure = await confirm({
        title: isList ? text.toList : text.takeAway,
        text: isList ? text.toListAsk(model) : text.takeAwayAsk(model),
        confirm: isList ? text.toList : text.takeAway,
        cancel: text.cancel,
        isDangerous: !isList,
      })
      if (!isSure) return
      await takeAway(to)
      notifications.show({
        message: isList ? text.isList(model) : text.isAway(model),
        color: 'green',
      })
    },
  }
}
