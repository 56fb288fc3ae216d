import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly children: ReactNode
}

/** A part of a page, with its title. */
export const Section = ({ title, children }: SectionProps) => (
  <Paper withBorder p="md" component="section" miw={0}>
    <Stack>
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  </Paper>
)
