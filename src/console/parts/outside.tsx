import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { usePublicSettings } from '../lib/site.ts'
import { LookMenu } from './look-menu.tsx'

interface OutsideProps {
  readonly title: string
  readonly children: ReactNode
}

/** The frame of the pages that need no session: one card in the middle. */
export function Outside({ title, children }: OutsideProps) {
  const site = usePublicSettings().data?.site_name ?? 'Tollgate'
  useEffect(() => {
    document.title = `${title} · ${site}`
  }, [title, site])
  return (
    <Stack mih="100vh" p="md" gap={0}>
      <Group justify="space-between" component="header">
        <Text fw={700} className="cut">
          {site}
        </Text>
        <LookMenu />
      </Group>
      <Center flex={1} component="main" py="xl">
        <Paper withBorder p={{ base: 'md', xs: 'xl' }} w="100%" maw={440}>
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Center>
    </Stack>
  )
}
