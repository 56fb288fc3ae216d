import { SimpleGrid, Stack, Text } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useMe } from '../lib/api.ts'
import { bilingual, choicesOf, useText } from '../lib/language.ts'
import { Dialog, type DialogProps } from './action.tsx'
import { inputsOf, SendForm } from './form.tsx'
import type { RegionValues } from './form-values.ts'

interface FormProps<Values> {
  readonly form: UseFormReturnType<Values>
}

const limitTexts = bilingual({
  rpm: ['Requests a minute', '每分钟请求数'],
  tpm: ['LLM tokens a minute', '每分钟 Token 数'],
  concurrency: ['Requests at once', '并发请求数'],
  unlimited: ['no limit', '不限'],
})

/** The three limits of whatever has them; a form keeps them under `limits`. */
export function LimitFields<Values extends { limits: object }>({ form }: FormProps<Values>) {
  const text = useText(limitTexts)
  const { whole } = inputsOf<{ limits: object }>(form as never, text)
  const look = {
    ...{ placeholder: text.unlimited, min: 1, thousandSeparator: ' ', hideControls: true },
  }
  return (
    <SimpleGrid type="container" cols={{ base: 1, '420px': 3 }}>
      {whole('limits.rpm', look)}
      {whole('limits.tpm', look)}
      {whole('limits.concurrency', look)}
    </SimpleGrid>
  )
}

const regionTexts = bilingual({
  kind: ['Countries that requests may come from', '请求可来自的国家/地区'],
  kindHint: [
    'By the header of a trusted proxy (setting “Country header”). Where the country is not known, “only these” refuses and “all but these” lets through.',
    '依据受信任代理的请求头判断（设置“国家/地区请求头”）。来源未知时，“仅限以下”会拒绝，“除以下之外”会放行。',
  ],
  all: ['All countries', '所有国家/地区'],
  allow: ['Only these countries', '仅限以下国家/地区'],
  deny: ['All but these countries', '除以下之外的国家/地区'],
  countries: ['Codes of countries', '国家/地区代码'],
  countriesHint: ['Two-letter codes with commas, such as CN, US.', '两位字母代码，如 CN, US。'],
})

/** The countries of whatever serves some only; a form keeps them under `regions`. */
export function RegionFields<Values extends { regions: RegionValues }>({
  form,
}: FormProps<Values>) {
  const text = useText(regionTexts)
  const { choice, line } = inputsOf<{ regions: RegionValues }>(form as never, text)
  const kinds = choicesOf(['all', 'allow', 'deny'], text)
  return (
    <Stack gap="xs">
      {choice('regions.kind', kinds)}
      {form.values.regions.kind !== 'all' && line('regions.countries', { spellCheck: false })}
    </Stack>
  )
}

/** Its label, where two people's changes are compared. */
export const useRegionLabel = (): string => useText(regionTexts).kind

const proofTexts = bilingual({
  noPassword: [
    'Your account has no password: this works within ten minutes after signing in. Later, sign out and in again first.',
    '您的账户没有密码：登录后十分钟内可以操作；超过十分钟，请先退出并重新登录。',
  ],
})

interface ProofDialogProps extends Omit<DialogProps, 'children'> {
  /** Has `password` and `passwordHint`. */
  readonly text: object
  readonly submit: string
  readonly send: (proof: { password: string | null }) => Promise<unknown>
}

/** A dialog that asks for the password, of who has one, before it does something. */
export const ProofDialog = ({ text, submit, send, ...dialog }: ProofDialogProps) => (
  <Dialog {...dialog}>{(close) => <ProofForm {...{ text, submit, send, close }} />}</Dialog>
)

interface ProofFormProps extends Pick<ProofDialogProps, 'text' | 'submit' | 'send'> {
  readonly close: () => void
}

function ProofForm({ text, submit, send, close }: ProofFormProps) {
  const { noPassword } = useText(proofTexts)
  const hasPassword = useMe().data?.has_password ?? true
  const form = useForm({ initialValues: { password: '' } })
  return (
    <SendForm
      form={form}
      send={async ({ password }) => {
        await send({ password: password || null })
        close()
      }}
      submit={submit}
      cancel={close}
    >
      {hasPassword ? (
        inputsOf(form, text).secret('password', {
          ...{ autoComplete: 'current-password', 'data-autofocus': true },
        })
      ) : (
        <Text size="sm">{noPassword}</Text>
      )}
    </SendForm>
  )
}
