import { Paper, SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Providers } from './providers.tsx'
import { Sessions } from './sessions.tsx'
import { profileText } from './text.ts'
import { TwoFactor } from './two-factor.tsx'

/** One's own account: what one signs in with, and where. */
export function Page() {
  const text = useText(profileText)
  const profile = useQuery({
    queryKey: ['sign-in-profile'],
    queryFn: () => call(api.auth.profile.get()),
  })
  const { data } = profile
  return (
    <PageFrame title={text.title} description={text.description}>
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
          {data.providers.length > 0 && (
            <Section title={text.providers}>
              <Providers providers={data.providers} />
            </Section>
          )}
        </SimpleGrid>
      )}
      <Section title={text.sessions}>
        <Sessions />
      </Section>
    </PageFrame>
  )
}

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Paper withBorder p="md" component="section">
    <Stack>
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  </Paper>
)
