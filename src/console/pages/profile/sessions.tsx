import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { sayDone, useAttempt, useRefresh } from '../../parts/action.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { Time } from '../../parts/text.tsx'
import { deviceOf } from './device.ts'
import { profileText } from './text.ts'

/** Where the account is signed in, and how to end that. */
export function Sessions() {
  const text = useText(profileText)
  const refresh = useRefresh()
  const { error, attempt: tried } = useAttempt()
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => call(api.auth.sessions.get()),
  })
  const attempt = (work: () => Promise<void>) =>
    tried(async () => {
      await work()
      await refresh('sessions')
    })
  const end = async (id: string) => {
    await call(api.auth.sessions({ id }).delete())
  }
  const endOthers = async () => {
    const { ended } = await call(api.auth.sessions['end-others'].post())
    sayDone(text.ended(ended))
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
              {is_current && <Badge>{text.thisOne}</Badge>}
            </Text>
            <Text size="sm" c="dimmed" className="cut" component="div">
              {address} · {text.signedInAt} <Time at={created_at} />
            </Text>
          </Stack>
          {!is_current && (
            <Button
              size="xs"
              flex="none"
              variant="default"
              onClick={() => void attempt(() => end(id))}
            >
              {text.end}
            </Button>
          )}
        </Group>
      ))}
      {all.length > 1 && (
        <Button variant="default" w="fit-content" onClick={() => void attempt(endOthers)}>
          {text.endOthers}
        </Button>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </Stack>
  )
}
