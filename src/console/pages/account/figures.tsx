import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { useColon } from '../../parts/colon.tsx'
import { Money } from '../../parts/money.tsx'
import { accountText } from '../accounts/text.ts'

/** What is on the account, and what of it is set aside. */
export function Figures({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const colon = useColon()
  const { balance, reserved, credit_limit } = account
  return (
    <Group gap="xl">
      <Figure label={text.balance} hint={`${text.creditLimit}${colon}${formatUsd(credit_limit)}`}>
        <Money usd={balance} />
      </Figure>
      <Figure label={text.reserved} hint={text.reservedHint}>
        <Money usd={reserved} />
      </Figure>
    </Group>
  )
}

interface FigureProps {
  readonly label: string
  readonly hint: string
  readonly children: ReactNode
}

const Figure = ({ label, hint, children }: FigureProps) => (
  <Stack gap={0}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text size="xl" fw={600}>
      {children}
    </Text>
    <Text size="xs" c="dimmed">
      {hint}
    </Text>
  </Stack>
)
