import { SimpleGrid, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useText } from '../../lib/language.tsx'
import type { PriceValues } from './form-values.ts'
import { priceText } from './text.ts'

/** The prices of a tier; `path` is where they stand in the form: `''`, `tiers.0.`. */
export function RateFields({
  form,
  path = '',
}: {
  readonly form: UseFormReturnType<PriceValues>
  readonly path?: string
}) {
  const text = useText(priceText)
  const fields = [
    ['input', text.input, undefined],
    ['output', text.output, undefined],
    ['cache_read', text.cacheRead, text.fallsBack(text.input)],
    ['cache_write', text.cacheWrite, text.fallsBack(text.input)],
    ['cache_write_1h', text.cacheWrite1h, text.fallsBack(text.cacheWrite)],
  ] as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing="xs">
      {fields.map(([name, label, hint]) => (
        <TextInput
          key={name}
          label={label}
          placeholder={hint}
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          required={hint === undefined}
          {...form.getInputProps(path + name)}
        />
      ))}
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
