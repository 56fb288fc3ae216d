import { Alert, Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api, call, useCall, useMe } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { Action, sayDone, useRefresh } from '../../parts/action.tsx'
import { inputsOf, SendForm } from '../../parts/form.tsx'
import { ErrorNotice, PageFrame, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/text.tsx'
import { deviceOf } from './device.ts'
import { Passkeys, Providers, TwoFactor } from './factors.tsx'
import { profileText } from './text.ts'

/** One's own account: what one signs in with, and where. */
export function Page() {
  const text = useText(profileText)
  const profile = useCall(['sign-in-profile'], () => api.auth.profile.get())
  const { data } = profile
  const email = useMe().data?.email ?? ''
  return (
    <PageFrame title={text.profile} description={text.description(email)}>
      {profile.error && <ErrorNotice error={profile.error} retry={() => void profile.refetch()} />}
      {data && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Section title={text.password}>
            <Password hasPassword={data.has_password} />
          </Section>
          <Section title={text.twoFactor}>
            <TwoFactor isOn={data.two_factor} hasPassword={data.has_password} />
          </Section>
          <Section title={text.passkeys}>
            <Passkeys passkeys={data.passkeys} />
          </Section>
          <Section title={text.sessions}>
            <Sessions />
          </Section>
          {data.providers.length > 0 && (
            <Section title={text.providers}>
              <Providers providers={data.providers} />
            </Section>
          )}
        </SimpleGrid>
      )}
    </PageFrame>
  )
}

function Password({ hasPassword }: { readonly hasPassword: boolean }) {
  const text = useText(profileText)
  const refresh = useRefresh()
  const form = useForm({ initialValues: { current_password: '', new_password: '' } })
  const input = inputsOf(form, text)
  const [others, setOthers] = useState<readonly string[]>([])
  if (!hasPassword) return <Text>{text.noPassword}</Text>
  return (
    <SendForm
      form={form}
      send={async (entry) => {
        const { passkeys, providers } = await call(api.auth.password.post(entry))
        form.reset()
        sayDone(text.changed)
        setOthers([...passkeys, ...providers].map(({ name }) => name ?? text.passkeyUnnamed))
        await refresh('sessions')
      }}
      fieldOf={(field) => (field === 'password' ? 'current_password' : field)}
      submit={text.change}
      look={{ variant: 'default', w: 'fit-content' }}
    >
      {input.secret('current_password', { autoComplete: 'current-password' })}
      {input.secret('new_password', { autoComplete: 'new-password' })}
      {others.length > 0 && <Alert color="yellow">{text.othersLeft(others.join(', '))}</Alert>}
    </SendForm>
  )
}

function Sessions() {
  const text = useText(profileText)
  const refresh = useRefresh()
  const sessions = useCall(['sessions'], () => api.auth.sessions.get())
  const end = async (id: string) => {
    await call(api.auth.sessions({ id }).delete())
    await refresh('sessions')
    return undefined
  }
  const endOthers = async () => {
    const { ended } = await call(api.auth.sessions['end-others'].post())
    await refresh('sessions')
    return text.ended(ended)
  }
  const all = sessions.data ?? []
  return (
    <Stack>
      {sessions.error && <ErrorNotice error={sessions.error} />}
      {all.map(({ id, created_at, address, user_agent, is_current }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <Stack gap={0} miw={0}>
            <Text className="cut">
              <span title={user_agent ?? undefined}>
                {user_agent === null ? text.unknownDevice : (deviceOf(user_agent) ?? user_agent)}
              </span>{' '}
              {is_current && <Badge variant="light">{text.thisOne}</Badge>}
            </Text>
            <Text size="sm" c="dimmed" className="cut" component="div">
              {address} · {text.signedInAt} <Time at={created_at} />
            </Text>
          </Stack>
          {!is_current && <Action size="xs" flex="none" label={text.end} run={() => end(id)} />}
        </Group>
      ))}
      {all.length > 1 && <Action w="fit-content" label={text.endOthers} run={endOthers} />}
    </Stack>
  )
}
