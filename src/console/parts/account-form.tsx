import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'
import { fieldsOf, SendForm } from './form.tsx'

const texts = bilingual({
  email: ['E-mail', '邮箱'],
  password: ['Password', '密码'],
  passwordHint: [
    'At least 10 characters. A sentence is easier to keep in mind than signs.',
    '至少 10 个字符。一句话比一串符号更好记。',
  ],
  again: ['Password again', '再次输入密码'],
  differ: ['The two passwords differ.', '两次输入的密码不一致。'],
  short: ['A password has at least 10 characters.', '密码至少需要 10 个字符。'],
})

/** The API says the same; here it is said before anything is sent. */
const minLength = 10

interface AccountFormProps {
  readonly submitLabel: string
  readonly onSubmit: (entry: { email: string; password: string }) => Promise<void>
}

/** E-mail and a new password, typed twice. What `onSubmit` throws is shown. */
export function AccountForm({ submitLabel, onSubmit }: AccountFormProps) {
  const text = useText(texts)
  const form = useForm({
    initialValues: { email: '', password: '', again: '' },
    validate: {
      password: (value) => (value.length < minLength ? text.short : null),
      again: (value, { password }) => (value === password ? null : text.differ),
    },
  })
  const field = fieldsOf(form, text)
  return (
    <SendForm
      form={form}
      send={({ email, password }) => onSubmit({ email, password })}
      submit={submitLabel}
    >
      <TextInput type="email" autoComplete="username" required {...field('email')} />
      <PasswordInput autoComplete="new-password" required {...field('password')} />
      <PasswordInput autoComplete="new-password" required {...field('again')} />
    </SendForm>
  )
}
