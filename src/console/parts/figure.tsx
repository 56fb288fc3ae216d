import { Card, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface FigureProps {
  readonly label: string
  readonly children: ReactNode
  /** What it means, or what to do. */
  readonly hint?: ReactNode
}

/** One figure that is looked at first. */
export const Figure = ({ label, children, hint }: FigureProps) => (
  <Card withBorder padding="sm" component="section" aria-label={label}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text
      fz={{ base: 'sm', xs: 'md', lg: 'lg' }}
      fw={600}
      component="div"
      className="cut container"
    >
      {children}
    </Text>
    {hint && (
      <Text size="xs" c="dimmed" component="div">
        {hint}
      </Text>
    )}
  </Card>
)
