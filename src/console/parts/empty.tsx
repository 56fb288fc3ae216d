import { Center, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyProps {
  readonly title: string
  /** What to do next, in a sentence. */
  readonly hint?: ReactNode
  /** The button or link that does it. */
  readonly action?: ReactNode
}

/** Where a list has nothing yet: says so, and leads on. */
export const Empty = ({ title, hint, action }: EmptyProps) => (
  <Center py="xl">
    <Stack align="center" gap="xs" maw={480}>
      <Text fw={600}>{title}</Text>
      {hint && (
        <Text c="dimmed" ta="center">
          {hint}
        </Text>
      )}
      {action}
    </Stack>
  </Center>
)
