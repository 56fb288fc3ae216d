import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface RequestLinkProps {
  readonly id: string
  /** For administrators, who see those of all accounts. */
  readonly isAll: boolean
  readonly children: ReactNode
}

/** Leads to a request's receipt. */
export const RequestLink = ({ id, isAll, children }: RequestLinkProps) => (
  <Anchor
    inherit
    renderRoot={(props) => (
      <Link to={isAll ? '/admin/requests/$id' : '/requests/$id'} params={{ id }} {...props} />
    )}
  >
    {children}
  </Anchor>
)
