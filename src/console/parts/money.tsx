import { Text } from '@mantine/core'
import { formatUsd } from '../lib/format.ts'

/** An exact amount in USD, as the API writes it. */
export const Money = ({ usd }: { readonly usd: string }) => (
  <Text span inherit c={usd.startsWith('-') ? 'red' : undefined} style={{ whiteSpace: 'nowrap' }}>
    {formatUsd(usd)}
  </Text>
)
