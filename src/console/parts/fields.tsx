import {
  NumberInput,
  PasswordInput,
  type PasswordInputProps,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMe } from '../lib/api.ts'
import { bilingual, useText } from '../lib/language.ts'
import type { RegionValues } from './form-values.ts'

const limitTexts = bilingual({
  rpm: ['Requests a minute', '每分钟请求数'],
  tpm: ['LLM tokens a minute', '每分钟 Token 数'],
  concurrency: ['Requests at once', '并发请求数'],
  unlimited: ['no limit', '不限'],
})

/** The three limits of whatever has them; a form keeps them under `limits`. */
export function LimitFields({ inputProps }: { readonly inputProps: (path: string) => object }) {
  const text = useText(limitTexts)
  return (
    <SimpleGrid type="container" cols={{ base: 1, '420px': 3 }}>
      {(['rpm', 'tpm', 'concurrency'] as const).map((name) => (
        <NumberInput
          key={name}
          label={text[name]}
          placeholder={text.unlimited}
          min={1}
          allowDecimal={false}
          thousandSeparator=" "
          hideControls
          {...inputProps(`limits.${name}`)}
        />
      ))}
    </SimpleGrid>
  )
}

const regionTexts = bilingual({
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
  const text = useText(regionTexts)
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
export const useRegionLabel = (): string => useText(regionTexts).label

const proofTexts = bilingual({
  noPassword: [
    'Your account has no password: this works within ten minutes after signing in. Later, sign out and in again first.',
    '您的账户没有密码：登录后十分钟内可以操作；超过十分钟，请先退出并重新登录。',
  ],
})

/** Where somebody says anew who they are: by the password, for who has one. */
export function Proof(input: PasswordInputProps) {
  const text = useText(proofTexts)
  const hasPassword = useMe().data?.has_password ?? true
  if (!hasPassword) return <Text size="sm">{text.noPassword}</Text>
  return <PasswordInput autoComplete="current-password" required data-autofocus {...input} />
}
