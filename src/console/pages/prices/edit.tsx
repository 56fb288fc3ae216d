import { Alert, Button, Fieldset, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { PriceView } from '../../../admin/prices/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { Action, offerUndo } from '../../parts/action.tsx'
import { EditForm, presentOf, useEdit } from '../../parts/edit.tsx'
import { Fields } from '../../parts/fields.tsx'
import { inputsOf } from '../../parts/form.tsx'
import { showNotice } from '../../parts/notices.tsx'
import { Hint } from '../../parts/text.tsx'
import {
  emptyTier,
  fieldOf,
  givenPrice,
  type PriceValues,
  rateFields,
  shownTerms,
  termsValues,
  valuesOf,
} from './fields.ts'
import { LivePreview, Simulate } from './preview.tsx'
import { TermsDetails } from './terms.tsx'
import { priceText } from './text.ts'

/** The form of a price, with what comes of it. */
export function Edit({ view }: { readonly view: PriceView }) {
  const text = useText(priceText)
  const { model } = view
  const { edit, remove } = usePriceEdit(view)
  const { form } = edit
  const input = inputsOf(form, text)
  const { price, vendor } = edit.seen
  const { unit } = form.values
  const units = [
    { value: 'tokens', label: text.byToken },
    { value: 'call', label: text.byCall },
    { value: 'free', label: text.asFree },
  ]
  const pairs = (placeholder: string) => ({ placeholder, autoComplete: 'off' })
  return (
    <Stack gap="lg">
      <ListPrice view={view} take={(values) => form.setValues(values)} />
      <EditForm
        edit={edit}
        shown={(state) => shown(state, text)}
        buttons={
          <Group className="saving" mod={{ typed: edit.isTyped }}>
            <Button type="submit" loading={form.submitting}>
              {text.save}
            </Button>
            {vendor !== null && price !== null && price.source !== 'vendor' && (
              <Action
                label={text.toList}
                ask={{ title: text.toList, text: text.toListAsk(model) }}
                run={() => remove('list_price')}
              />
            )}
            {price !== null && price.terms.unit !== 'none' && (
              <Action
                {...{ variant: 'subtle', color: 'red', label: text.takeAway }}
                ask={{ title: text.takeAway, text: text.takeAwayAsk(model), isDangerous: true }}
                run={() => remove('not_callable')}
              />
            )}
          </Group>
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
            {input.line('context_window', { inputMode: 'numeric' })}
          </>
        )}
        {unit === 'call' && input.usd('per_call', { required: true })}
        {unit !== 'free' && input.line('tools', pairs('web_search=10, mcp=free'))}
        {unit !== 'free' && input.line('service_tiers', pairs('priority=2, flex=0.5'))}
        {input.line('note', { maxLength: 500 })}
      </EditForm>
      <LivePreview model={model} values={form.values} />
      <Simulate model={model} values={form.values} />
    </Stack>
  )
}

type PriceForm = UseFormReturnType<PriceValues>
type Removed = 'list_price' | 'not_callable'

function usePriceEdit(live: PriceView) {
  const text = useText(priceText)
  const { model } = live
  const route = api.admin.prices({ model: encodeURIComponent(model) })
  const put = (values: PriceValues, replaces: number | null) =>
    call(route.put({ ...givenPrice(values), note: values.note, replaces }))

  const edit = useEdit<PriceView, PriceValues>({
    live,
    queryKey: ['price', model],
    changes: ['prices', 'feed', 'price-history', 'price-preview'],
    valuesOf,
    isWhole: true,
    send: ({ price }, values) => put(values, price?.id ?? null),
    fieldOf,
    saySaved: (now, before) =>
      offerUndo(text.saved(model), () => orShow(() => restore(before, now))),
  })

  async function takeAway({ price }: PriceView, to: Removed): Promise<void> {
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

  /** Does something; where another person was faster, shows what is in force now. Returns whether it is done. */
  async function orShow(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      const present = presentOf<PriceView>(error)
      if (present === undefined) throw error
      edit.show(present)
      showNotice({ message: text.conflict, color: 'yellow', autoClose: false })
      return false
    }
  }

  return {
    edit,
    async remove(to: Removed): Promise<string | undefined> {
      if (!(await orShow(() => takeAway(edit.seen, to)))) return undefined
      return to === 'list_price' ? text.isList(model) : text.isAway(model)
    },
  }
}

function shown(view: PriceView, text: (typeof priceText)['en']): Record<string, unknown> {
  const { unit, context_window, note } = valuesOf(view)
  const units = { tokens: text.byToken, call: text.byCall, free: text.asFree }
  return {
    [text.source]: view.price && text.sources[view.price.source],
    [text.billing]: units[unit],
    ...shownTerms((view.price?.terms ?? {}) as never, text),
    [text.context_window]: context_window,
    [text.note]: note,
  }
}

interface ListPriceProps {
  readonly view: PriceView
  readonly take: (values: Partial<PriceValues>) => void
}

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

function RateFields({ form, path }: { form: PriceForm; path?: string }) {
  const text = useText(priceText)
  const looks = {
    input: { required: true },
    output: { required: true },
    cache_read: { placeholder: text.fallsBack(text.input) },
    cache_write: { placeholder: text.fallsBack(text.input) },
    cache_write_1h: { placeholder: text.fallsBack(text.cache_write) },
    others: { placeholder: 'input_audio=32, output_audio=64', autoComplete: 'off' },
  }
  return <Fields {...{ form, path, text, looks }} fields={rateFields} />
}

/** Prices above a length of context, as many as there are. */
function TierFields({ form }: { readonly form: PriceForm }) {
  const text = useText(priceText)
  const input = inputsOf(form, text)
  return (
    <Fieldset legend={text.tiers}>
      <Stack>
        <Hint>{text.tiersHint}</Hint>
        {form.values.tiers.map(({ key }, at) => (
          <Stack key={key} gap="xs">
            <Group align="flex-end">
              {input.line(`tiers.${at}.above`, { inputMode: 'numeric', required: true, flex: 1 })}
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
