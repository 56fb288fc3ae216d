import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useText } from '../../lib/language.tsx'
import { emptyTier, type PriceValues } from './form-values.ts'
import { RateFields } from './rate-fields.tsx'
import { priceText } from './text.ts'

/** Prices above a length of context, as many as there are. */
export function TierFields({ form }: { readonly form: UseFormReturnType<PriceValues> }) {
  const text = useText(priceText)
  return (
    <Fieldset legend={text.tiers}>
      <Stack>
        <Text size="sm" c="dimmed">
          {text.tiersHint}
        </Text>
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
