import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly hint: string
  readonly children: ReactNode
}

/** A thing that can be done here, with what it is for. */
export const Section = ({ title, hint, children }: SectionProps) => (
  <Paper withBorder p="md">
    <Stack>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text size="sm" c="dimmed" maw={720}>
        {hint}
      </Text>
      {children}
    </Stack>
  </Paper>
)
