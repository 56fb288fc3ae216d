import { Alert, Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { accountText } from '../accounts/text.ts'

/** Says that an account owes more than its credit limit allows, and what took it there. */
export function Overdrawn({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const { overdrawn, overdrawn_by } = account
  if (overdrawn === null) return null
  return (
    <Alert color="red" title={text.overdrawnBy(formatUsd(overdrawn))}>
      {text.overdrawnHint}{' '}
      {overdrawn_by !== null && (
        <Anchor inherit underline="always" component={Link} to={`/admin/requests/${overdrawn_by}`}>
          {text.overdrawnCause}
        </Anchor>
      )}
    </Alert>
  )
}
