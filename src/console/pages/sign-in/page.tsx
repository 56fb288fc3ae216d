import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { nextPage } from '../../lib/next-page.ts'
import { askForPasskey, hasPasskeys } from '../../lib/passkey.ts'
import { textOf } from '../../lib/texts.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Outside } from '../../parts/outside.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondStep } from './second-step.tsx'
import { signInText } from './text.ts'

/** Ways into the console. */
export function Page() {
  const text = useText(signInText)
  const { next, error: refusal } = useSearch({ strict: false })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isHalfway, setHalfway] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: () => call(api.auth.methods.get()),
  })

  const enter = async () => {
    // Nothing may be left of who was here before: neither what was read, nor that it had ended.
    queries.clear()
    await navigate({ href: `/console${nextPage(next, location.origin)}`, replace: true })
  }
  const attempt = async (work: () => Promise<void>) => {
    setError(null)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    }
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
          <Anchor component={Link} to="/sign-up" underline="always">
            {text.signUp}
          </Anchor>
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {text.forgotten}
      </Text>
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
