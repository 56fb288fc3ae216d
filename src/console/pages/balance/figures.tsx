import { Alert, SimpleGrid } from '@mantine/core'
import type { Me } from '../../../admin/me/schema.ts'
import { isLess } from '../../lib/decimal.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Money } from '../../parts/money.tsx'
import { balanceText } from './text.ts'

/** What is left, what is set aside of it, and how far it may go. */
export function Figures({ me }: { readonly me: Me }) {
  const text = useText(balanceText)
  const { balance, reserved, credit_limit, balance_low_below } = me
  return (
    <>
      {isLess(balance, balance_low_below) && (
        <Alert color="yellow" title={text.lowTitle} role="alert">
          {text.low(formatUsd(balance_low_below))}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <Figure label={text.balance}>
          <Money usd={balance} fits />
        </Figure>
        <Figure label={text.reserved} hint={text.reservedHint}>
          <Money usd={reserved} fits />
        </Figure>
        <Figure
          label={text.creditLimit}
          hint={credit_limit === '0' ? text.prepaid : text.creditHint}
        >
          <Money usd={credit_limit} fits />
        </Figure>
      </SimpleGrid>
    </>
  )
}
