import {
  Alert,
  Button,
  Fieldset,
  Group,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDidUpdate } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PriceView } from '../../../admin/prices/schema.ts'
import { api, call, know } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { confirm, sayDone, sayRefused } from '../../parts/action.tsx'
import { EditForm, presentOf, useEdit } from '../../parts/edit.tsx'
import { fieldsOf, showProblems } from '../../parts/form.tsx'
import { ErrorNotice } from '../../parts/page.tsx'
import { Hint } from '../../parts/text.tsx'
import {
  emptyTier,
  fieldOf,
  givenPrice,
  type PriceValues,
  rateNames,
  termsValues,
  valuesOf,
} from './form-values.ts'
import { LivePreview, Simulate } from './preview.tsx'
import { TermsDetails } from './terms.tsx'
import { priceText } from './text.ts'

/** The form of a price, with what comes of it. */
export function Edit({ view }: { readonly view: PriceView }) {
  const text = useText(priceText)
  const { edit, remove, showConflict } = usePriceEdit(view)
  const { form, seen } = edit
  const field = fieldsOf(form, text)
  const [error, setError] = useState<unknown>(null)
  useDidUpdate(() => setError(null), [seen])

  async function takeAway(to: 'list_price' | 'not_callable'): Promise<void> {
    setError(null)
    try {
      await remove(to)
    } catch (failure) {
      if (!showConflict(failure)) setError(failure)
    }
  }

  const { unit } = form.values
  const units = [
    { value: 'tokens', label: text.byToken },
    { value: 'call', label: text.byCall },
    { value: 'free', label: text.asFree },
  ]
  return (
    <Stack gap="lg">
      <ListPrice view={view} take={(values) => form.setValues(values)} />
      <EditForm
        edit={edit}
        shown={(state) => shown(state, text)}
        buttons={
          <>
            {error !== null && <ErrorNotice error={error} />}
            <Group>
              <Button type="submit" loading={form.submitting}>
                {text.save}
              </Button>
              <Removal view={seen} remove={(to) => void takeAway(to)} />
            </Group>
          </>
        }
      >
        <SegmentedControl
          aria-label={text.billing}
          data={units}
          fullWidth
          {...form.getInputProps('unit')}
        />
        {unit === 'tokens' && (
          <>
            <Fieldset legend={text.perMillion}>
              <RateFields form={form} />
            </Fieldset>
            <TierFields form={form} />
            <TextInput inputMode="numeric" {...field('context_window')} />
          </>
        )}
        {unit === 'call' && (
          <TextInput leftSection="$" inputMode="decimal" required {...field('per_call')} />
        )}
        {unit !== 'free' && (
          <>
            <TextInput
              placeholder="web_search=10, mcp=free"
              autoComplete="off"
              {...field('tools')}
            />
            <TextInput
              placeholder="priority=2, flex=0.5"
              autoComplete="off"
              {...field('service_tiers')}
            />
          </>
        )}
        <TextInput maxLength={500} {...field('note')} />
      </EditForm>
      <LivePreview model={view.model} values={form.values} />
      <Simulate model={view.model} values={form.values} />
    </Stack>
  )
}

/** What two people may have changed, by its label. */
function shown(view: PriceView, text: (typeof priceText)['en']): Record<string, unknown> {
  const values = valuesOf(view)
  const units = { tokens: text.byToken, call: text.byCall, free: text.asFree }
  return {
    [text.source]: view.price && text.sources[view.price.source],
    [text.billing]: units[values.unit],
    ...Object.fromEntries(rateNames.map((name) => [text[name], values[name]])),
    [text.others]: values.others,
    [text.tools]: values.tools,
    [text.service_tiers]: values.service_tiers,
    [text.tiers]: values.tiers.map(({ key: _, ...tier }) => tier),
    [text.per_call]: values.per_call,
    [text.context_window]: values.context_window,
    [text.note]: values.note,
  }
}

interface ListPriceProps {
  readonly view: PriceView
  readonly take: (values: Partial<PriceValues>) => void
}

/** What the vendor asks for it. */
function ListPrice({ view: { vendor }, take }: ListPriceProps) {
  const text = useText(priceText)
  if (vendor === null) return null
  return (
    <Alert color="gray" title={text.vendorPrice(vendor.vendor)}>
      <Group justify="space-between" align="flex-end">
        <Stack gap={2} flex="1 1 260px">
          <TermsDetails terms={vendor.terms} />
          {vendor.until !== null && <Text size="sm">{text.until(vendor.until)}</Text>}
        </Stack>
        <Button size="xs" variant="default" onClick={() => take(termsValues(vendor.terms))}>
          {text.takeVendor}
        </Button>
      </Group>
    </Alert>
  )
}

interface RemovalProps {
  readonly view: PriceView
  readonly remove: (to: 'list_price' | 'not_callable') => void
}

function Removal({ view: { price, vendor }, remove }: RemovalProps) {
  const text = useText(priceText)
  const isRemoved = price === null || price.terms.unit === 'none'
  return (
    <>
      {vendor !== null && price !== null && price.source !== 'vendor' && (
        <Button variant="default" onClick={() => remove('list_price')}>
          {text.toList}
        </Button>
      )}
      {!isRemoved && (
        <Button variant="subtle" color="red" onClick={() => remove('not_callable')}>
          {text.takeAway}
        </Button>
      )}
    </>
  )
}

interface RateFieldsProps {
  readonly form: UseFormReturnType<PriceValues>
  /** Where they stand in the form: `''`, `tiers.0.`. */
  readonly path?: string
}

/** The prices of a tier. */
function RateFields({ form, path = '' }: RateFieldsProps) {
  const text = useText(priceText)
  const instead = {
    cache_read: 'input',
    cache_write: 'input',
    cache_write_1h: 'cache_write',
  } as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing="xs">
      {rateNames.map((name) => {
        const isNeeded = name === 'input' || name === 'output'
        return (
          <TextInput
            key={name}
            label={text[name]}
            placeholder={isNeeded ? undefined : text.fallsBack(text[instead[name]])}
            leftSection="$"
            inputMode="decimal"
            autoComplete="off"
            required={isNeeded}
            {...form.getInputProps(path + name)}
          />
        )
      })}
      <TextInput
        label={text.others}
        placeholder="input_audio=32, output_audio=64"
        description={text.othersHint}
        autoComplete="off"
        {...form.getInputProps(`${path}others`)}
      />
    </SimpleGrid>
  )
}

/** Prices above a length of context, as many as there are. */
function TierFields({ form }: { readonly form: UseFormReturnType<PriceValues> }) {
  const text = useText(priceText)
  return (
    <Fieldset legend={text.tiers}>
      <Stack>
        <Hint>{text.tiersHint}</Hint>
        {form.values.tiers.map(({ key }, at) => (
          <Stack key={key} gap="xs">
            <Group align="flex-end">
              <TextInput
                label={text.above}
                inputMode="numeric"
                required
                flex={1}
                {...form.getInputProps(`tiers.${at}.above`)}
              />
              <Button variant="default" onClick={() => form.removeListItem('tiers', at)}>
                {text.removeTier}
              </Button>
            </Group>
            <RateFields form={form} path={`tiers.${at}.`} />
          </Stack>
        ))}
        <Button
          variant="default"
          w="fit-content"
          onClick={() => form.insertListItem('tiers', emptyTier())}
        >
          {text.addTier}
        </Button>
      </Stack>
    </Fieldset>
  )
}

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
