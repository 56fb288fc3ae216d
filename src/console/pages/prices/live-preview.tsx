import { Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, call } from '../../lib/api.ts'
import { faultText } from '../../lib/fault-text.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { givenPrice, isFilledIn, type PriceValues } from './form-values.ts'
import { Preview } from './preview.tsx'
import { priceText } from './text.ts'

interface LivePreviewProps {
  readonly model: string
  readonly values: PriceValues
}

/** What each group would charge by what is in the form, as it is typed. */
export function LivePreview({ model, values }: LivePreviewProps) {
  const { language } = useLanguage()
  const text = useText(priceText)
  const [settled] = useDebouncedValue(values, 300)
  const price = givenPrice(settled)
  const query = useQuery({
    queryKey: ['price-preview', model, price],
    queryFn: () => call(api.admin.prices({ model: encodeURIComponent(model) }).preview.post(price)),
    enabled: isFilledIn(settled),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.preview}
      </Title>
      <Text size="sm" c="dimmed">
        {text.previewHint}
      </Text>
      {query.error ? (
        <Text size="sm" c="red" className="cut">
          {faultText(query.error, language)}
        </Text>
      ) : (
        query.data && <Preview groups={query.data.groups} />
      )}
    </Stack>
  )
}
