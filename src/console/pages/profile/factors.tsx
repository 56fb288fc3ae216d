import { Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { QRCodeSVG } from 'qrcode.react'
import { type ReactNode, useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { hasPasskeys, makePasskey } from '../../lib/passkey.ts'
import { Action, type ActionProps, sayDone, useRefresh } from '../../parts/action.tsx'
import { inputsOf, SendForm } from '../../parts/form.tsx'
import { Code, Time } from '../../parts/text.tsx'
import { profileText } from './text.ts'

/** Something of the account, with a button that takes it away. */
const Row = ({ children, ...action }: ActionProps & { readonly children: ReactNode }) => (
  <Group justify="space-between">
    <Text className="cut">{children}</Text>
    <Action size="xs" {...action} />
  </Group>
)

interface Passkey {
  readonly id: string
  readonly name: string | null
  readonly created_at: string
}

/** The account's passkeys, and a way to add one where the browser can. */
export function Passkeys({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const text = useText(profileText)
  const refresh = useRefresh()
  const form = useForm({ initialValues: { passkeyName: '' } })
  const add = async ({ passkeyName }: { passkeyName: string }) => {
    const { options } = await call(api.auth.passkeys.options.get())
    const response = await makePasskey(options)
    const name = passkeyName.trim() || text.passkeyUnnamed
    await call(api.auth.passkeys.post({ response, name }))
    form.reset()
    await refresh('sign-in-profile')
  }
  return (
    <Stack>
      {passkeys.length === 0 && <Text>{text.noPasskeys}</Text>}
      {passkeys.map(({ id, name, created_at }) => (
        <Row
          key={id}
          label={text.remove}
          ask={{
            title: text.removePasskey(name ?? text.passkeyUnnamed),
            ...{ text: text.removePasskeyText, isDangerous: true },
          }}
          run={async () => {
            await call(api.auth.passkeys({ id }).delete())
            await refresh('sign-in-profile')
            return undefined
          }}
        >
          {name ?? text.passkeyUnnamed} · <Time at={created_at} />
        </Row>
      ))}
      {hasPasskeys() && (
        <SendForm
          form={form}
          send={add}
          submit={text.addPasskey}
          look={{ variant: 'default', w: 'fit-content' }}
        >
          {inputsOf(form, text).line('passkeyName', { maxLength: 100 })}
        </SendForm>
      )}
    </Stack>
  )
}

interface Provider {
  readonly id: string
  readonly name: string
  readonly created_at: string
}

/** Accounts elsewhere that sign in to this one. */
export function Providers({ providers }: { readonly providers: readonly Provider[] }) {
  const text = useText(profileText)
  const refresh = useRefresh()
  const unlink = async (provider: string) => {
    await call(api.auth.unlink.post({ provider }))
    await refresh('sign-in-profile')
    return undefined
  }
  return (
    <Stack>
      {providers.map(({ id, name, created_at }) => (
        <Row key={id} label={text.unlink} run={() => unlink(id)}>
          {name} · <Time at={created_at} />
        </Row>
      ))}
    </Stack>
  )
}

interface Secret {
  readonly totp_uri: string
  readonly backup_codes: readonly string[]
}

/** What people type who can't scan: apps ask for the key, never for the address it stands in. */
const keyIn = (uri: string) => new URL(uri).searchParams.get('secret') ?? uri

/** Turning the second factor on and off; each needs the password. */
export function TwoFactor({ isOn, hasPassword }: { isOn: boolean; hasPassword: boolean }) {
  const text = useText(profileText)
  const refresh = useRefresh()
  const [secret, setSecret] = useState<Secret | null>(null)
  const form = useForm({ initialValues: { password: '', code: '' } })
  const input = inputsOf(form, text)
  const route = api.auth['two-factor']
  const send = async ({ password, code }: typeof form.values) => {
    if (secret) await call(route.confirm.post({ code: code.replaceAll(' ', '') }))
    else if (isOn) await call(route.disable.post({ password }))
    setSecret(secret || isOn ? null : await call(route.enable.post({ password })))
    form.reset()
    if (!secret && !isOn) return
    await refresh('sign-in-profile')
    sayDone(secret ? text.turnedOn : text.turnedOff)
  }
  const giveUp = () => {
    setSecret(null)
    form.reset()
  }
  if (!hasPassword && !isOn) return <Text>{text.noPassword}</Text>
  return (
    <SendForm
      form={form}
      send={send}
      submit={isOn ? text.turnOff : text.turnOn}
      look={secret ? {} : { variant: 'default', w: 'fit-content' }}
      {...(secret && { cancel: giveUp })}
    >
      {secret ? (
        <>
          <Stack gap="xs">
            <Text>{text.scan}</Text>
            <QRCodeSVG value={secret.totp_uri} size={192} marginSize={4} title={text.scan} />
            <Text size="sm">{text.appKey}</Text>
            <Code label={text.appKey}>{keyIn(secret.totp_uri)}</Code>
          </Stack>
          <Stack gap="xs">
            <Text>{text.backupHint}</Text>
            <Code label={text.backup}>{secret.backup_codes.join('\n')}</Code>
          </Stack>
          {input.line('code', {
            ...{ autoComplete: 'one-time-code', inputMode: 'numeric', required: true },
          })}
        </>
      ) : (
        <>
          <Text>{isOn ? text.twoFactorOn : text.twoFactorOff}</Text>
          {input.secret('password', {
            ...{ label: text.needsPassword, autoComplete: 'current-password' },
          })}
        </>
      )}
    </SendForm>
  )
}
