import { Text } from '@mantine/core'
import { formatUsd } from '../lib/format.ts'

interface MoneyProps {
  readonly usd: string
  /** In a `Figure`: a long amount is written smaller, so that it stands in one line. */
  readonly fits?: boolean
}

/** An exact amount in USD, as the API writes it. Never broken: halves would read as two amounts. */
export function Money({ usd, fits = false }: MoneyProps) {
  const shown = formatUsd(usd)
  return (
    <Text
      span
      inherit
      c={usd.startsWith('-') ? 'red' : undefined}
      style={{ whiteSpace: 'nowrap', ...(fits && { fontSize: fittingSize(shown.length) }) }}
    >
      {shown}
    </Text>
  )
}

/** How wide a bold figure is at most, in parts of its size: signs between figures are narrower. */
const widthOfSign = 0.7

/** The usual size, or the one at which so many signs fill the figure that they stand in. */
const fittingSize = (signs: number) => `min(1em, calc(100cqi / ${signs * widthOfSign}))`
