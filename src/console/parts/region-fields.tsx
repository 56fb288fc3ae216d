import { Select, Stack, TextInput } from '@mantine/core'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'
import type { RegionValues } from './region-values.ts'

const texts = bilingual({
  label: ['Countries that requests may come from', '请求可来自的国家/地区'],
  hint: [
    'By the header of a trusted proxy (setting “Country header”). Where the country is not known, “only these” refuses and “all but these” lets through.',
    '依据受信任代理的请求头判断（设置“国家/地区请求头”）。来源未知时，“仅限以下”会拒绝，“除以下之外”会放行。',
  ],
  all: ['All countries', '所有国家/地区'],
  allow: ['Only these countries', '仅限以下国家/地区'],
  deny: ['All but these countries', '除以下之外的国家/地区'],
  codes: ['Codes of countries', '国家/地区代码'],
  codesHint: [
    'Two letters each, such as CN, US, with commas between.',
    '每个为两个字母，例如 CN, US，以逗号分隔。',
  ],
})

interface RegionFieldsProps {
  readonly kind: RegionValues['kind']
  readonly inputProps: (path: string) => object
}

/** The countries of whatever serves some only; a form keeps them under `regions`. */
export function RegionFields({ kind, inputProps }: RegionFieldsProps) {
  const text = useText(texts)
  return (
    <Stack gap="xs">
      <Select
        label={text.label}
        description={text.hint}
        allowDeselect={false}
        data={(['all', 'allow', 'deny'] as const).map((value) => ({ value, label: text[value] }))}
        {...inputProps('regions.kind')}
      />
      {kind !== 'all' && (
        <TextInput
          label={text.codes}
          description={text.codesHint}
          spellCheck={false}
          {...inputProps('regions.countries')}
        />
      )}
    </Stack>
  )
}

/** Its label, where two people's changes are compared. */
export const useRegionLabel = (): string => useText(texts).label
