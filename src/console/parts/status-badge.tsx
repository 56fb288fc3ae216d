import { Badge, type MantineStyleProp } from '@mantine/core'
import type { ReactNode } from 'react'

interface StatusBadgeProps {
  /** One of the look's colours. */
  readonly color: 'ok' | 'mid' | 'bad' | 'soft' | 'accent'
  readonly children: ReactNode
}

/** A state in a word or two, with a dot in its colour. */
export const StatusBadge = ({ color, children }: StatusBadgeProps) => (
  <Badge variant="dot" fw={500} flex="none" style={dotOf(color)}>
    {children}
  </Badge>
)

const dotOf = (color: StatusBadgeProps['color']) =>
  ({ '--badge-dot-color': `var(--${color})` }) as MantineStyleProp

interface ActiveBadgeProps {
  readonly status: 'active' | 'disabled'
  readonly text: Readonly<Record<'active' | 'disabled', string>>
}

/** Whether something is switched on, in its own words. */
export const ActiveBadge = ({ status, text }: ActiveBadgeProps) => (
  <StatusBadge color={status === 'active' ? 'ok' : 'soft'}>{text[status]}</StatusBadge>
)
