import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { QRCodeSVG } from 'qrcode.react'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { hasPasskeys, makePasskey } from '../../lib/passkey.ts'
import { confirm, useAttempt, useRefresh } from '../../parts/action.tsx'
import { ErrorNotice } from '../../parts/page.tsx'
import { Code, Time } from '../../parts/text.tsx'
import { profileText } from './text.ts'

interface Passkey {
  readonly id: string
  readonly name: string | null
  readonly created_at: string
}

/** The account's passkeys, and a way to add one where the browser can. */
export function Passkeys({ passkeys }: { readonly passkeys: readonly Passkey[] }) {
  const text = useText(profileText)
  const refresh = useRefresh()
  const [name, setName] = useState('')
  const { error, attempt: tried } = useAttempt()
  const attempt = (work: () => Promise<void>) =>
    tried(async () => {
      await work()
      await refresh('sign-in-profile')
    })
  const add = async () => {
    const { options } = await call(api.auth.passkeys.options.get())
    const response = await makePasskey(options)
    await call(api.auth.passkeys.post({ response, name: name.trim() || text.passkeyUnnamed }))
    setName('')
  }
  const remove = async ({ id, name: called }: Passkey) => {
    const isSure = await confirm({
      title: text.removePasskey(called ?? text.passkeyUnnamed),
      text: text.removePasskeyText,
      confirm: text.remove,
      isDangerous: true,
    })
    if (isSure) await call(api.auth.passkeys({ id }).delete())
  }
  return (
    <Stack>
      {passkeys.length === 0 && <Text>{text.noPasskeys}</Text>}
      {passkeys.map((passkey) => (
        <Group key={passkey.id} justify="space-between">
          <Text className="cut">
            {passkey.name ?? text.passkeyUnnamed} · <Time at={passkey.created_at} />
          </Text>
          <Button size="xs" variant="default" onClick={() => void attempt(() => remove(passkey))}>
            {text.remove}
          </Button>
        </Group>
      ))}
      {hasPasskeys() && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void attempt(add)
          }}
        >
          <Group align="flex-end">
            <TextInput
              label={text.passkeyName}
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" variant="default">
              {text.addPasskey}
            </Button>
          </Group>
        </form>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </Stack>
  )
}

/** What is shown once, while it is being turned on. */
interface Secret {
  readonly totp_uri: string
  readonly backup_codes: readonly string[]
}

/** Turning the second factor on and off; each needs the password. */
export function TwoFactor({ isOn, hasPassword }: { isOn: boolean; hasPassword: boolean }) {
  const text = useText(profileText)
  const refresh = useRefresh()
  const [secret, setSecret] = useState<Secret | null>(null)
  const [entry, setEntry] = useState('')
  const { error, isBusy, attempt: tried } = useAttempt()
  const attempt = (work: () => Promise<void>) =>
    tried(async () => {
      await work()
      setEntry('')
    })
  const seen = () => refresh('sign-in-profile')
  const begin = async () =>
    setSecret(await call(api.auth['two-factor'].enable.post({ password: entry })))
  const finish = async () => {
    await call(api.auth['two-factor'].confirm.post({ code: entry.replaceAll(' ', '') }))
    setSecret(null)
    await seen()
  }
  const remove = async () => {
    await call(api.auth['two-factor'].disable.post({ password: entry }))
    await seen()
  }

  if (!hasPassword && !isOn) return <Text>{text.noPassword}</Text>
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(secret ? finish : isOn ? remove : begin)
      }}
    >
      <Stack>
        {secret ? (
          <>
            <Text>{text.scan}</Text>
            <QRCodeSVG value={secret.totp_uri} size={192} marginSize={4} title={text.scan} />
            <Text size="sm">{text.uri}</Text>
            <Code label={text.uri}>{secret.totp_uri}</Code>
            <Text size="sm">{text.backupHint}</Text>
            <Code label={text.backup}>{secret.backup_codes.join('\n')}</Code>
            <TextInput
              label={text.code}
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              value={entry}
              onChange={(event) => setEntry(event.currentTarget.value)}
            />
          </>
        ) : (
          <>
            <Text>{isOn ? text.twoFactorOn : text.twoFactorOff}</Text>
            <PasswordInput
              label={text.needsPassword}
              autoComplete="current-password"
              required
              value={entry}
              onChange={(event) => setEntry(event.currentTarget.value)}
            />
          </>
        )}
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" variant="default" loading={isBusy} w="fit-content">
          {secret ? text.confirm : isOn ? text.turnOff : text.turnOn}
        </Button>
      </Stack>
    </form>
  )
}
