import { Text } from '@mantine/core'
import { formatUsd } from '../lib/format.ts'

interface MoneyProps {
  readonly usd: string
  /** In a narrow place a long amount may go on in the next line. */
  readonly mayBreak?: boolean
}

/** An exact amount in USD, as the API writes it. */
export const Money = ({ usd, mayBreak = false }: MoneyProps) => (
  <Text
    span
    inherit
    c={usd.startsWith('-') ? 'red' : undefined}
    style={mayBreak ? undefined : { whiteSpace: 'nowrap' }}
  >
    {mayBreak ? <Breakable>{formatUsd(usd)}</Breakable> : formatUsd(usd)}
  </Text>
)

/** A long amount is broken where one would read a pause: at its point. */
function Breakable({ children }: { readonly children: string }) {
  const [whole, decimals] = children.split('.')
  return (
    <>
      {whole}
      <wbr />.{decimals}
    </>
  )
}
