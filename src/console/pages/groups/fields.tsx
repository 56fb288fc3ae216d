import {
  Alert,
  Fieldset,
  List,
  MultiSelect,
  Radio,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { PriceExample } from '../../../admin/groups/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { LimitFields, RegionFields } from '../../parts/fields.tsx'
import { fieldsOf, showProblems } from '../../parts/form.tsx'
import { Hint } from '../../parts/text.tsx'
import { formField, type GroupValues } from './form-values.ts'
import { groupText } from './text.ts'

type GroupForm = UseFormReturnType<GroupValues>

interface GroupFieldsProps {
  readonly form: GroupForm
  /** What another multiplier would do, below its field. */
  readonly effect?: ReactNode
}

/** The form of a group. */
export function GroupFields({ form, effect }: GroupFieldsProps) {
  const text = useText(groupText)
  const field = fieldsOf(form, text)
  const names = useChannelNames() ?? form.values.channels
  return (
    <Stack>
      <TextInput required {...field('name')} />
      <MultiSelect
        data={[...new Set([...names, ...form.values.channels])]}
        searchable
        hidePickedOptions
        {...field('channels')}
      />
      <TextInput
        leftSection="×"
        inputMode="decimal"
        maw={300}
        required
        {...field('rate_multiplier')}
      />
      {effect}
      <Textarea autosize minRows={2} maxRows={14} spellCheck={false} {...field('models')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Textarea
          label={text.about}
          description={text.aboutHint}
          autosize
          minRows={1}
          {...form.getInputProps('description')}
        />
        <TextInput {...field('platform')} />
      </SimpleGrid>
      <Stack gap="xs">
        <Switch {...field('is_open', 'checkbox')} />
        {!form.values.is_open && (
          <Textarea autosize minRows={2} maxRows={14} spellCheck={false} {...field('accounts')} />
        )}
      </Stack>
      <Stack gap="xs">
        <Switch {...field('has_all_tools', 'checkbox')} />
        {!form.values.has_all_tools && (
          <Textarea autosize minRows={2} maxRows={14} spellCheck={false} {...field('tools')} />
        )}
      </Stack>
      <RegionFields kind={form.values.regions.kind} inputProps={form.getInputProps} />
      <Switch {...field('long_context_pricing', 'checkbox')} />
      <Radio.Group {...field('on_disconnect')}>
        <Stack gap="xs" mt="xs">
          <Radio value="bill_observed" label={text.bill_observed} />
          <Radio value="drain" label={text.drain} />
        </Stack>
      </Radio.Group>
      <Fieldset legend={text.limits}>
        <LimitFields inputProps={form.getInputProps} />
      </Fieldset>
    </Stack>
  )
}

/** What another multiplier would do to prices; what is no multiplier is told when it is saved. */
export function Effect({ id, multiplier }: { readonly id: number; readonly multiplier: string }) {
  const text = useText(groupText)
  const [asked] = useDebouncedValue(multiplier.trim(), 300)
  const { data } = useQuery({
    queryKey: ['group', 'effect', id, asked],
    queryFn: () =>
      call(
        api.admin.groups({ id })['multiplier-effect'].get({ query: { rate_multiplier: asked } }),
      ),
    enabled: /^\d*\.?\d+$/.test(asked),
    retry: false,
  })
  if (!data) return null
  const { changed, tokens, examples } = data
  if (changed === 0) {
    return <Hint>{text.noEffect}</Hint>
  }
  return (
    <Alert color="blue" aria-live="polite">
      <Text size="sm">{text.effect(changed, tokens)}</Text>
      <List size="sm" mt="xs">
        {examples.map((example) => (
          <List.Item key={example.model} className="cut">
            {example.model}: {pricesText(example, example.now, text)} →{' '}
            <b>{pricesText(example, example.after, text)}</b>
          </List.Item>
        ))}
        {changed > examples.length && (
          <List.Item>{text.andMore(changed - examples.length)}</List.Item>
        )}
      </List>
      {data.rate_multiplier === '0' && (
        <Text size="sm" mt="xs" fw={600}>
          {text.freeAll}
        </Text>
      )}
    </Alert>
  )
}

function pricesText(
  { unit }: PriceExample,
  [first = '0', second = '0']: readonly string[],
  text: (typeof groupText)['en'],
): string {
  return unit === 'call'
    ? text.perCall(formatUsd(first))
    : text.inOut(formatUsd(first), formatUsd(second))
}

/** Shows a refusal at the fields of the form that it names; false: not all of it has one. */
export const showGroupError = (form: GroupForm, error: unknown): boolean =>
  showProblems(form, error, formField)

/** The names of all channels, page after page; undefined until they are here. */
export function useChannelNames(): readonly string[] | undefined {
  return useQuery({
    queryKey: ['channels', 'names'],
    queryFn: async () => {
      const names: string[] = []
      let cursor: string | undefined
      do {
        const query = { page_size: 100, ...(cursor !== undefined && { cursor }) }
        const page = await call(api.admin.channels.get({ query }))
        names.push(...page.items.map(({ name }) => name))
        cursor = page.next ?? undefined
      } while (cursor !== undefined)
      return names
    },
  }).data
}
