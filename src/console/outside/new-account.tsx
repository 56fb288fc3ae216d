import { api, call } from '../lib/call.ts'
import { bilingual, useText } from '../lib/language.ts'
import { queryOf, useAnswer } from './ask.ts'
import { Contact } from './contact.tsx'
import { EntryForm, Field, Secret } from './form.tsx'
import { Outside } from './frame.tsx'
import { afterwards, beside } from './next.ts'
import { Notice } from './notice.tsx'

/** The first start: makes the administrator. */
export function SetUp() {
  const text = useText(texts)
  const code = queryOf('code')
  const state = useAnswer(() => api.setup.get())
  const make = async (account: Account) => {
    await call(api.setup.post({ ...account, code: String(code) }))
  }
  return (
    <Outside title={text.setUp}>
      {state?.open === false ? (
        <>
          <p>{text.closed}</p>
          <ToSignIn />
        </>
      ) : code === null ? (
        <Notice kind="mid">{text.noCode}</Notice>
      ) : (
        <>
          <p>{text.intro}</p>
          <AccountForm submit={text.createAdministrator} make={make} next="/console/admin/start" />
        </>
      )}
    </Outside>
  )
}

/** Opens an account of one's own, where the site allows it. */
export function SignUp() {
  const text = useText(texts)
  const make = async (account: Account) => {
    await call(api.auth['sign-up'].email.post(account))
  }
  const methods = useAnswer(() => api.auth.methods.get())
  return (
    <Outside title={text.signUp}>
      {methods?.registration_enabled === false ? (
        <>
          <Notice kind="mid">{text.registrationClosed}</Notice>
          <Contact />
        </>
      ) : (
        <AccountForm submit={text.create} make={make} next={afterwards()} />
      )}
      <p>
        {text.have} <ToSignIn />
      </p>
    </Outside>
  )
}

const ToSignIn = () => <a href={beside('/console/sign-in')}>{useText(texts).signIn}</a>

/** The API says the same; here it is said before anything is sent. */
const minLength = 10

interface Account {
  readonly email: string
  readonly password: string
}

interface AccountFormProps {
  readonly submit: string
  readonly make: (account: Account) => Promise<void>
  readonly next: string
}

function AccountForm({ submit, make, next }: AccountFormProps) {
  const text = useText(texts)
  return (
    <EntryForm
      check={(entry) => ({
        ...(entry.text('password').length < minLength && { password: text.short }),
        ...(entry.text('again') !== entry.text('password') && { again: text.differ }),
      })}
      send={async (entry) => {
        await make({ email: entry.text('email'), password: entry.text('password') })
        location.replace(next)
      }}
      submit={submit}
    >
      <Field name="email" label={text.email} type="email" autoComplete="username" hasFocus />
      <Secret
        name="password"
        label={text.password}
        hint={text.passwordHint}
        autoComplete="new-password"
      />
      <Secret name="again" label={text.again} autoComplete="new-password" />
    </EntryForm>
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
  registrationClosed: [
    'Registration is closed here: ask an administrator for an account.',
    '本站未开放注册，请联系管理员开通账户。',
  ],
  create: ['Create account', '注册'],
  have: ['Already have an account?', '已有账户？'],
  passwordHint: [
    'At least 10 characters. A sentence is easier to remember than random characters.',
    '至少 10 个字符。一句话比一串符号更好记。',
  ],
  again: ['Password again', '再次输入密码'],
  differ: ['The two passwords differ.', '两次输入的密码不一致。'],
  short: ['A password has at least 10 characters.', '密码至少需要 10 个字符。'],
})
