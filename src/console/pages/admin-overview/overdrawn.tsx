import { Alert, Anchor, List } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { GatewayOverview } from '../../../admin/overview/schema.ts'
import { formatCount, formatUsd } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { texts } from './text.ts'

/** Accounts that owe more than their credit limits allow; most gateways have none. */
export function Overdrawn({ overdrawn }: Pick<GatewayOverview, 'overdrawn'>) {
  const text = useText(texts)
  const { language } = useLanguage()
  const { count, accounts } = overdrawn
  if (count === 0) return null
  return (
    <Alert color="red" title={text.overdrawn(formatCount(count, language))}>
      <List size="sm" mb="xs">
        {accounts.map(({ id, email, overdrawn: usd }) => (
          <List.Item key={id}>
            <Anchor inherit underline="always" component={Link} to={`/admin/accounts/${id}`}>
              {email}
            </Anchor>
            {text.owes(formatUsd(usd))}
          </List.Item>
        ))}
      </List>
      <Anchor
        size="sm"
        underline="always"
        renderRoot={(props) => (
          <Link to="/admin/accounts" search={{ balance: 'overdrawn' }} {...props} />
        )}
      >
        {text.toOverdrawn}
      </Anchor>
    </Alert>
  )
}
