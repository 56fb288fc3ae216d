import { Alert, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, call, useCall } from '../lib/api.ts'
import { bilingual, useText } from '../lib/language.ts'
import { inputsOf, SendForm } from '../parts/form.tsx'
import { Outside } from '../parts/outside.tsx'
import { AnchorLink } from '../parts/text.tsx'

/** The first start: makes the administrator. */
export function SetUp() {
  const text = useText(texts)
  const { code } = useSearch({ strict: false })
  const state = useCall(['setup'], () => api.setup.get())
  const make = async (entry: Entry) => {
    await call(api.setup.post({ ...entry, code: String(code) }))
  }
  return (
    <Outside title={text.setUp}>
      {state.data?.open === false ? (
        <>
          <Text>{text.closed}</Text>
          <ToSignIn />
        </>
      ) : code === undefined ? (
        <Alert color="yellow">{text.noCode}</Alert>
      ) : (
        <>
          <Text>{text.intro}</Text>
          <AccountForm submit={text.createAdministrator} make={make} next="/admin" />
        </>
      )}
    </Outside>
  )
}

/** Opens an account of one's own, where the site allows it. */
export function SignUp() {
  const text = useText(texts)
  const make = async (entry: Entry) => {
    await call(api.auth['sign-up'].email.post(entry))
  }
  return (
    <Outside title={text.signUp}>
      <AccountForm submit={text.create} make={make} next="/" />
      <Text size="sm">
        {text.have} <ToSignIn />
      </Text>
    </Outside>
  )
}

const ToSignIn = () => (
  <AnchorLink to="/sign-in" underline="always">
    {useText(texts).signIn}
  </AnchorLink>
)

/** The API says the same; here it is said before anything is sent. */
const minLength = 10

interface Entry {
  readonly email: string
  readonly password: string
}

interface AccountFormProps {
  readonly submit: string
  readonly make: (entry: Entry) => Promise<void>
  readonly next: '/' | '/admin'
}

function AccountForm({ submit, make, next }: AccountFormProps) {
  const text = useText(texts)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const form = useForm({
    initialValues: { email: '', password: '', again: '' },
    validate: {
      password: (value) => (value.length < minLength ? text.short : null),
      again: (value, { password }) => (value === password ? null : text.differ),
    },
  })
  const input = inputsOf(form, text)
  return (
    <SendForm
      form={form}
      send={async ({ email, password }) => {
        await make({ email, password })
        queries.clear()
        await navigate({ to: next, replace: true })
      }}
      submit={submit}
    >
      {input.line('email', { type: 'email', autoComplete: 'username', required: true })}
      {input.secret('password', { autoComplete: 'new-password' })}
      {input.secret('again', { autoComplete: 'new-password' })}
    </SendForm>
  )
}

const texts = bilingual({
  setUp: ['Set up this gateway', '初始化网关'],
  intro: ['Create the administrator. The link works once.', '创建管理员账户。此链接只能使用一次。'],
  createAdministrator: ['Create administrator', '创建管理员'],
  closed: ['This gateway has an administrator already.', '此网关已有管理员。'],
  noCode: [
    'The address lacks its code. Copy the whole link from the terminal or the log of the gateway.',
    '地址中缺少验证码。请从网关的终端或日志中复制完整链接。',
  ],
  signUp: ['Create an account', '注册账户'],
  create: ['Create account', '注册'],
  have: ['Have one?', '已有账户？'],
  passwordHint: [
    'At least 10 characters. A sentence is easier to remember than random characters.',
    '至少 10 个字符。一句话比一串符号更好记。',
  ],
  again: ['Password again', '再次输入密码'],
  differ: ['The two passwords differ.', '两次输入的密码不一致。'],
  short: ['A password has at least 10 characters.', '密码至少需要 10 个字符。'],
})
