import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { hasPasskeys, makePasskey } from '../../lib/passkey.ts'
import { confirm, useAttempt, useRefresh } from '../../parts/action.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { Time } from '../../parts/values.tsx'
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
