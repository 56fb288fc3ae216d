import { Alert, List, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { PriceExample } from '../../../admin/groups/schema.ts'
import { formatUsd } from '../../../look/money.ts'
import { api, useCall } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { useChannelNames } from '../../lib/names.ts'
import { Fields } from '../../parts/fields.tsx'
import { SomeOf } from '../../parts/picking.tsx'
import { Hint } from '../../parts/text.tsx'
import { type GroupValues, groupFields } from './group-fields.ts'
import { groupText } from './text.ts'

interface GroupInputsProps {
  readonly form: UseFormReturnType<GroupValues>
  /** What another multiplier would do, below its field. */
  readonly effect?: ReactNode
}

export function GroupInputs({ form, effect }: GroupInputsProps) {
  const { channels } = form.values
  const names = useChannelNames() ?? channels
  return (
    <Fields
      form={form}
      fields={groupFields}
      text={useText(groupText)}
      looks={{ name: { required: true } }}
      own={{
        channels: (given) => <SomeOf {...given} data={[...new Set([...names, ...channels])]} />,
        rate_multiplier: (given) => (
          <Stack>
            <TextInput {...given} leftSection="×" inputMode="decimal" maw={300} required />
            {effect}
          </Stack>
        ),
      }}
    />
  )
}

/** What another multiplier would do to prices; what is no multiplier is told when it is saved. */
export function Effect({ id, multiplier }: { readonly id: number; readonly multiplier: string }) {
  const text = useText(groupText)
  const [asked] = useDebouncedValue(multiplier.trim(), 300)
  const { data } = useCall(
    ['group-effect', id, asked],
    () => api.admin.groups({ id })['multiplier-effect'].get({ query: { rate_multiplier: asked } }),
    { enabled: /^\d*\.?\d+$/.test(asked), retry: false },
  )
  if (!data) return null
  const { changed, tokens, examples } = data
  if (changed === 0) return <Hint>{text.noEffect}</Hint>
  const pricesOf = ({ unit }: PriceExample, prices: readonly string[]) => {
    const [first = '$0', second = '$0'] = prices.map(formatUsd)
    return unit === 'call' ? text.perCall(first) : text.inOut(first, second)
  }
  return (
    <Alert color="blue" aria-live="polite">
      <Text size="sm">{text.effect(changed, tokens)}</Text>
      <List size="sm" mt="xs">
        {examples.map((example) => (
          <List.Item key={example.model} className="cut">
            {example.model}: {pricesOf(example, example.now)} →{' '}
            <b>{pricesOf(example, example.after)}</b>
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
