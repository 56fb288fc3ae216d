import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Divider,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, CallFailed, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/form-errors.ts'
import { useText } from '../../lib/language.tsx'
import { nextPage } from '../../lib/next-page.ts'
import { askForPasskey, hasPasskeys } from '../../lib/passkey.ts'
import { textOf } from '../../lib/texts.ts'
import { useAttempt } from '../../parts/action.tsx'
import { fieldsOf, SendForm } from '../../parts/form.tsx'
import { AnchorLink } from '../../parts/link.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { Outside } from '../../parts/outside.tsx'
import { Hint } from '../../parts/text.tsx'
import { signInText } from './text.ts'

/** Ways into the console. */
export function Page() {
  const text = useText(signInText)
  const { next, error: refusal } = useSearch({ strict: false })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isHalfway, setHalfway] = useState(false)
  const { error, attempt } = useAttempt()
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: () => call(api.auth.methods.get()),
  })

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

  if (isHalfway) return <SecondStep onDone={enter} onBack={() => setHalfway(false)} />
  const { registration_enabled = false, setup_open = false, providers = [] } = methods.data ?? {}
  return (
    <Outside title={text.title}>
      {setup_open && <Alert color="yellow">{text.setup}</Alert>}
      {refusal !== undefined && <Refusal word={String(refusal)} />}
      <PasswordForm onDone={enter} onSecondStep={() => setHalfway(true)} />
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
      <Hint>{text.forgotten}</Hint>
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

interface PasswordFormProps {
  readonly onDone: () => Promise<void>
  readonly onSecondStep: () => void
}

/** Signing in by e-mail and password. */
function PasswordForm({ onDone, onSecondStep }: PasswordFormProps) {
  const text = useText(signInText)
  const form = useForm({ initialValues: { email: '', password: '', remember: true } })
  const field = fieldsOf(form, text)
  return (
    <SendForm
      form={form}
      send={async (values) => {
        const { two_factor } = await call(api.auth['sign-in'].email.post(values))
        if (two_factor) onSecondStep()
        else await onDone()
      }}
      showAtFields={(_, error) =>
        error instanceof CallFailed && error.field === 'email' && showAtField(form, error)
      }
      submit={text.signIn}
    >
      <TextInput type="email" autoComplete="username" required {...field('email')} />
      <PasswordInput autoComplete="current-password" required {...field('password')} />
      <Checkbox {...field('remember', 'checkbox')} />
    </SendForm>
  )
}

interface SecondStepProps {
  readonly onDone: () => Promise<void>
  readonly onBack: () => void
}

/** The code that an account with a second factor is asked for. */
function SecondStep({ onDone, onBack }: SecondStepProps) {
  const text = useText(signInText)
  const [isBackup, setBackup] = useState(false)
  const form = useForm({ initialValues: { code: '', trust: false } })
  const field = fieldsOf(form, text)
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
            <Anchor component="button" type="button" onClick={onBack}>
              {text.back}
            </Anchor>
            <Anchor component="button" type="button" onClick={() => setBackup(!isBackup)}>
              {isBackup ? text.useApp : text.useBackup}
            </Anchor>
          </Group>
        }
      >
        <TextInput
          autoComplete="one-time-code"
          inputMode={isBackup ? 'text' : 'numeric'}
          data-autofocus
          required
          {...field('code')}
          {...(isBackup && { description: text.backupHint })}
        />
        <Checkbox {...field('trust', 'checkbox')} />
      </SendForm>
    </Outside>
  )
}
