import { Alert, Anchor, Button, Divider, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call, useCall } from '../lib/api.ts'
import { bilingual, textOf, useText } from '../lib/language.ts'
import { nextPage } from '../lib/next-page.ts'
import { askForPasskey, hasPasskeys } from '../lib/passkey.ts'
import { useAttempt } from '../parts/action.tsx'
import { inputsOf, SendForm } from '../parts/form.tsx'
import { Outside } from '../parts/outside.tsx'
import { ErrorNotice } from '../parts/page.tsx'
import { AnchorLink } from '../parts/text.tsx'
import { Forgotten } from './forgotten.tsx'

/** Ways into the console. */
export function Page() {
  const text = useText(signInText)
  const { next, error: refusal } = useSearch({ strict: false })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isHalfway, setHalfway] = useState(false)
  const { error, attempt } = useAttempt()
  const methods = useCall(['sign-in-methods'], () => api.auth.methods.get())

  const enter = async () => {
    // Nothing may be left of who was here before: neither what was read, nor that it had ended.
    queries.clear()
    await navigate({ href: `/console${nextPage(next, location.origin)}`, replace: true })
  }
  const enterWithPasskey = async () => {
    const { options } = await call(api.auth.passkey.options.get())
    const response = await askForPasskey(options)
    await call(api.auth['sign-in'].passkey.post({ response }))
    await enter()
  }
  const enterBy = async (provider: string) => {
    const callback_url = `/console${nextPage(next, location.origin)}`
    const { url } = await call(api.auth['sign-in'].provider.post({ provider, callback_url }))
    location.assign(url)
  }

  if (isHalfway) return <SecondStep onDone={enter} onOther={() => setHalfway(false)} />
  const { registration_enabled = false, setup_open = false, providers = [] } = methods.data ?? {}
  return (
    <Outside title={text.signIn}>
      {setup_open && <Alert color="yellow">{text.setup}</Alert>}
      {refusal !== undefined && <Refusal word={String(refusal)} />}
      <PasswordForm onDone={enter} onOther={() => setHalfway(true)} />
      {error !== null && <ErrorNotice error={error} />}
      {(hasPasskeys() || providers.length > 0) && <Divider />}
      <Stack gap="xs">
        {providers.map(({ id, name }) => (
          <Button key={id} variant="default" onClick={() => attempt(() => enterBy(id))}>
            {text.withProvider(name)}
          </Button>
        ))}
        {hasPasskeys() && (
          <Button variant="default" onClick={() => attempt(enterWithPasskey)}>
            {text.withPasskey}
          </Button>
        )}
      </Stack>
      {registration_enabled && (
        <Text size="sm">
          {text.noAccount}{' '}
          <AnchorLink to="/sign-up" underline="always">
            {text.signUp}
          </AnchorLink>
        </Text>
      )}
      <Forgotten />
    </Outside>
  )
}

/** What a provider's refusal means; nothing of the address itself is shown. */
function Refusal({ word }: { readonly word: string }) {
  const { refusals, refused } = useText(signInText)
  const known = textOf(refusals, word)
  return (
    <Alert color="red" role="alert">
      {known ?? refused}
    </Alert>
  )
}

interface Steps {
  readonly onDone: () => Promise<void>
  /** To the second step, or back from it. */
  readonly onOther: () => void
}

function PasswordForm({ onDone, onOther }: Steps) {
  const text = useText(signInText)
  const form = useForm({ initialValues: { email: '', password: '', remember: true } })
  const input = inputsOf(form, text)
  return (
    <SendForm
      form={form}
      send={async (values) => {
        const { two_factor } = await call(api.auth['sign-in'].email.post(values))
        if (two_factor) onOther()
        else await onDone()
      }}
      submit={text.signIn}
    >
      {input.line('email', { type: 'email', autoComplete: 'username', required: true })}
      {input.secret('password', { autoComplete: 'current-password' })}
      {input.tick('remember')}
    </SendForm>
  )
}

function SecondStep({ onDone, onOther }: { onDone: () => Promise<void>; onOther: () => void }) {
  const text = useText(signInText)
  const [isBackup, setBackup] = useState(false)
  const form = useForm({ initialValues: { code: '', trust: false } })
  const input = inputsOf(form, text)
  return (
    <Outside title={text.secondStep}>
      <SendForm
        form={form}
        send={async ({ code, trust }) => {
          const entry = { code: code.replaceAll(' ', ''), trust, backup: isBackup }
          await call(api.auth['second-factor'].post(entry))
          await onDone()
        }}
        submit={text.confirm}
        below={
          <Group justify="space-between">
            <Anchor component="button" type="button" onClick={onOther}>
              {text.back}
            </Anchor>
            <Anchor component="button" type="button" onClick={() => setBackup(!isBackup)}>
              {isBackup ? text.useApp : text.useBackup}
            </Anchor>
          </Group>
        }
      >
        {input.line('code', {
          ...{ autoComplete: 'one-time-code', 'data-autofocus': true, required: true },
          inputMode: isBackup ? 'text' : 'numeric',
          ...(isBackup && { description: text.backupHint }),
        })}
        {input.tick('trust')}
      </SendForm>
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
  noAccount: ['No account yet?', '还没有账户？'],
  signUp: ['Create one', '立即注册'],
  setup: [
    'This gateway has no administrator yet. Open the one-time link that it showed when it started: it is in the terminal and in the log.',
    '此网关尚无管理员。请打开启动时显示的一次性链接，它在终端和日志中。',
  ],
  secondStep: ['Second step', '第二步验证'],
  code: ['Code', '验证码'],
  codeHint: ['The six digits that your authenticator app shows.', '验证器应用当前显示的六位数字。'],
  backupHint: ['One of the backup codes. Each works once.', '一个备用码，每个只能使用一次。'],
  useBackup: ['Use a backup code', '使用备用码'],
  useApp: ['Use the app', '使用验证器应用'],
  trust: ['Do not ask again on this device for 30 days', '30 天内在此设备上不再询问'],
  back: ['Back', '返回'],
})
