import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/time.tsx'
import { profileText } from './text.ts'

interface Provider {
  readonly id: string
  readonly name: string
  readonly created_at: string
}

/** Accounts elsewhere that sign in to this one. */
export function Providers({ providers }: { readonly providers: readonly Provider[] }) {
  const text = useText(profileText)
  const queries = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const unlink = async (provider: string) => {
    setError(null)
    try {
      await call(api.auth.unlink.post({ provider }))
      await queries.invalidateQueries({ queryKey: ['sign-in-profile'] })
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Stack>
      {providers.map(({ id, name, created_at }) => (
        <Group key={id} justify="space-between">
          <Text className="cut">
            {name} · <Time at={created_at} />
          </Text>
          <Button size="xs" variant="default" onClick={() => void unlink(id)}>
            {text.unlink}
          </Button>
        </Group>
      ))}
      {error !== null && <ErrorNotice error={error} />}
    </Stack>
  )
}
