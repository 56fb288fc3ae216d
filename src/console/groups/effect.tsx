import { Alert, List, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { PriceExample } from '../../admin/groups/schema.ts'
import { api, call } from '../lib/api.ts'
import { formatCount, formatUsd } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { groupText } from './text.ts'

interface EffectProps {
  readonly id: number
  readonly multiplier: string
}

/** What another multiplier would do to prices; what is no multiplier is told when it is saved. */
export function Effect({ id, multiplier }: EffectProps) {
  const text = useText(groupText)
  const { language } = useLanguage()
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
    return (
      <Text size="sm" c="dimmed">
        {text.noEffect}
      </Text>
    )
  }
  return (
    <Alert color="blue" aria-live="polite">
      <Text size="sm">
        {text.effect(formatCount(changed, language), formatCount(tokens, language))}
      </Text>
      <List size="sm" mt="xs">
        {examples.map((example) => (
          <List.Item key={example.model} className="cut">
            {example.model}: {pricesText(example, example.now, text)} →{' '}
            <b>{pricesText(example, example.after, text)}</b>
          </List.Item>
        ))}
        {changed > examples.length && (
          <List.Item>{text.andMore(formatCount(changed - examples.length, language))}</List.Item>
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
