import { useState } from 'react'
import { api, call } from '../lib/call.ts'
import { bilingual, textOf, useText } from '../lib/language.ts'
import { askForPasskey, hasPasskeys } from '../lib/passkey.ts'
import { hasTyped } from '../lib/unsaved.ts'
import { queryOf, useAnswer, useTry } from './ask.ts'
import { Forgotten } from './forgotten.tsx'
import { type Entry, EntryForm, Field, Secret, Tick } from './form.tsx'
import { Outside } from './frame.tsx'
import { afterwards, beside } from './next.ts'
import { Failure, Notice } from './notice.tsx'

/** Into the console, which is a page of its own: nothing is left there of who was here before. */
const enter = () => location.replace(afterwards())

async function enterWithPasskey(): Promise<void> {
  const { options } = await call(api.auth.passkey.options.get())
  const response = await askForPasskey(options)
  await call(api.auth['sign-in'].passkey.post({ response }))
  enter()
}

async function enterBy(provider: string): Promise<void> {
  const entry = { provider, callback_url: afterwards() }
  const { url } = await call(api.auth['sign-in'].provider.post(entry))
  location.assign(url)
}

/** Ways into the console. */
export function Page() {
  const text = useText(signInText)
  const [isHalfway, setHalfway] = useState(false)
  const { error, attempt } = useTry()
  const methods = useAnswer(() => api.auth.methods.get())
  const refusal = queryOf('error')

  if (isHalfway) return <SecondStep onOther={() => setHalfway(false)} />
  const { registration_enabled = false, setup_open = false, providers = [] } = methods ?? {}
  return (
    <Outside title={text.signIn}>
      {setup_open && <Notice kind="mid">{text.setup}</Notice>}
      {refusal === null ? <WhyHere /> : <Refusal word={refusal} />}
      <PasswordForm onOther={() => setHalfway(true)} />
      {error !== null && <Failure error={error} />}
      {(hasPasskeys() || providers.length > 0) && <hr />}
      {providers.map(({ id, name }) => (
        <Way key={id} label={text.withProvider(name)} run={() => attempt(() => enterBy(id))} />
      ))}
      {hasPasskeys() && <Way label={text.withPasskey} run={() => attempt(enterWithPasskey)} />}
      {registration_enabled && (
        <p>
          {text.noAccount} <a href={beside('/console/sign-up')}>{text.signUp}</a>
        </p>
      )}
      <Forgotten what="password" />
    </Outside>
  )
}

/** Another way in than by a password. */
const Way = ({ label, run }: { readonly label: string; readonly run: () => Promise<void> }) => (
  <button type="button" className="button" onClick={() => void run()}>
    {label}
  </button>
)

/** For people who asked for another page: why they have to sign in, and that it leads on to that page. */
function WhyHere() {
  const text = useText(signInText)
  if (queryOf('ended') !== null) {
    return (
      <Notice kind="mid" title={text.ended}>
        {hasTyped() ? text.typedComesBack : text.pageComesBack}
      </Notice>
    )
  }
  return afterwards() === '/console/' ? null : <p className="soft">{text.leadsOn}</p>
}

/** What a provider's refusal means; nothing of the address itself is shown. */
function Refusal({ word }: { readonly word: string }) {
  const { refusals, refused } = useText(signInText)
  return <Notice kind="bad">{textOf(refusals, word) ?? refused}</Notice>
}

interface Step {
  /** To the second step, or back from it. */
  readonly onOther: () => void
}

function PasswordForm({ onOther }: Step) {
  const text = useText(signInText)
  const send = async (entry: Entry) => {
    const { two_factor } = await call(
      api.auth['sign-in'].email.post({
        email: entry.text('email'),
        password: entry.text('password'),
        remember: entry.isTicked('remember'),
      }),
    )
    if (two_factor) onOther()
    else enter()
  }
  return (
    <EntryForm send={send} submit={text.signIn}>
      <Field name="email" label={text.email} type="email" autoComplete="username" hasFocus />
      <Secret name="password" label={text.password} autoComplete="current-password" />
      <Tick name="remember" label={text.remember} defaultChecked />
    </EntryForm>
  )
}

function SecondStep({ onOther }: Step) {
  const text = useText(signInText)
  const [isBackup, setBackup] = useState(false)
  const send = async (entry: Entry) => {
    const code = entry.text('code').replaceAll(' ', '')
    const step = { code, trust: entry.isTicked('trust'), backup: isBackup }
    await call(api.auth['second-factor'].post(step))
    enter()
  }
  return (
    <Outside title={text.secondStep}>
      <EntryForm send={send} submit={text.confirm}>
        <Field
          name="code"
          label={text.code}
          hint={isBackup ? text.backupHint : text.codeHint}
          autoComplete="one-time-code"
          inputMode={isBackup ? 'text' : 'numeric'}
          hasFocus
        />
        <Tick name="trust" label={text.trust} />
      </EntryForm>
      <p className="ways">
        <button type="button" className="link" onClick={onOther}>
          {text.back}
        </button>
        <button type="button" className="link" onClick={() => setBackup(!isBackup)}>
          {isBackup ? text.useApp : text.useBackup}
        </button>
      </p>
      <Forgotten what="factor" />
    </Outside>
  )
}

const signInText = bilingual({
  remember: ['Stay signed in', '保持登录'],
  withPasskey: ['Sign in with a passkey', '使用通行密钥登录'],
  withProvider: ['Sign in with {name}', '使用 {name} 登录'],

  /** By the word that comes back from a provider in the address. */
  refusals: {
    signup_disabled: [
      'There is no account for you here yet, and registration is closed. Ask an administrator for one.',
      '还没有对应的账户，且未开放注册。请联系管理员。',
    ],
    account_not_linked: [
      'There is an account with your e-mail address, but it does not go with this way to sign in. Sign in as you did before, or ask an administrator.',
      '已有使用此邮箱的账户，但它未关联此登录方式。请用原来的方式登录，或联系管理员。',
    ],
    email_not_found: [
      'The other site gave no e-mail address for you that can be used here. Ask an administrator.',
      '对方网站没有给出可在此使用的邮箱地址。请联系管理员。',
    ],
    access_denied: ['Cancelled or refused at the other site.', '登录在对方网站被取消或拒绝。'],
    state_mismatch: [
      'The sign-in took too long, or was begun in another browser. Try again.',
      '登录用时过长，或是在另一个浏览器中开始的。请重试。',
    ],
  },
  refused: ['Sign-in failed. Try again or ask an administrator.', '登录失败，请重试或联系管理员。'],
  ended: ['Your session has ended', '登录已失效'],
  pageComesBack: [
    'Sign in again: you come back to the page where you were.',
    '请重新登录，登录后会回到原来的页面。',
  ],
  typedComesBack: [
    'Sign in again: you come back to the page where you were, with what you had typed there.',
    '请重新登录，登录后会回到原来的页面，已填写的内容也会保留。',
  ],
  leadsOn: ['Sign in, and you come to the page that you wanted.', '登录后会打开您要访问的页面。'],
  noAccount: ['No account yet?', '还没有账户？'],
  signUp: ['Create one', '立即注册'],
  setup: [
    'This gateway has no administrator yet. Open the one-time link that it showed when it started: it is in the terminal and in the log.',
    '此网关尚无管理员。请打开启动时显示的一次性链接，它在终端和日志中。',
  ],
  secondStep: ['Second factor', '两步验证'],
  code: ['Code', '验证码'],
  codeHint: ['The six digits that your authenticator app shows.', '验证器应用当前显示的六位数字。'],
  backupHint: ['One of the backup codes. Each works once.', '一个备用码，每个只能使用一次。'],
  useBackup: ['Use a backup code', '使用备用码'],
  useApp: ['Use the app', '使用验证器应用'],
  trust: ['Do not ask again on this device for 30 days', '30 天内在此设备上不再询问'],
  back: ['Back', '返回'],
})
