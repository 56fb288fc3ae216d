import { Card, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useMe } from '../lib/site.ts'
import { Hint } from './text.tsx'

interface PageFrameProps {
  readonly title: string
  /** What the page is for, in one sentence. */
  readonly description?: ReactNode
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page's title, what it is for, what can be done, and its content. */
export function PageFrame({ title, description, actions, children }: PageFrameProps) {
  const site = useMe().data?.site.name
  useEffect(() => {
    document.title = site ? `${title} · ${site}` : title
  }, [title, site])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} maw={720}>
          <Title order={1} size="h2" className="cut">
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

interface SectionProps {
  readonly title: string
  /** What it is for. */
  readonly hint?: string
  readonly children: ReactNode
}

/** A part of a page, with its title. */
export const Section = ({ title, hint, children }: SectionProps) => (
  <Paper withBorder p="md" component="section" miw={0}>
    <Stack>
      <Title order={2} size="h4">
        {title}
      </Title>
      {hint && <Hint maw={720}>{hint}</Hint>}
      {children}
    </Stack>
  </Paper>
)

interface TitledCardProps {
  readonly title: string
  /** Of the title. */
  readonly size?: 'h3' | 'h5'
  readonly children: ReactNode
}

/** A part of a page in a card, which its title names. */
export const TitledCard = ({ title, size = 'h5', children }: TitledCardProps) => (
  <Card withBorder padding="md" component="section" aria-label={title}>
    <Title order={2} size={size} mb="xs">
      {title}
    </Title>
    {children}
  </Card>
)
