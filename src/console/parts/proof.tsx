import { PasswordInput, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'
import { useMe } from '../lib/use-me.ts'

const texts = bilingual({
  noPassword: [
    'Your account has no password: this works within ten minutes after signing in. Later, sign out and in again first.',
    '您的账户没有密码：登录后十分钟内可以操作；超过十分钟，请先退出并重新登录。',
  ],
})

interface ProofProps {
  readonly label: string
  readonly hint: string
  /** Of the form's field. */
  readonly input: GetInputPropsReturnType
}

/** Where somebody says anew who they are: by the password, for who has one. */
export function Proof({ label, hint, input }: ProofProps) {
  const text = useText(texts)
  const hasPassword = useMe().data?.has_password ?? true
  if (!hasPassword) return <Text size="sm">{text.noPassword}</Text>
  return (
    <PasswordInput
      label={label}
      description={hint}
      autoComplete="current-password"
      required
      data-autofocus
      {...input}
    />
  )
}
