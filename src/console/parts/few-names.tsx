import { Text } from '@mantine/core'
import { formatCount } from '../lib/language.ts'
import { LongText } from './text.tsx'

interface FewNamesProps {
  readonly names: readonly string[]
  /** How many there are, where `names` has only the first. */
  readonly total?: number
  /** The words for none. */
  readonly none: string
}

/** So many are read at a glance. */
const shown = 3

/** The first of some names, and how many there are beside; those that are known on hover. */
export function FewNames({ names, total = names.length, none }: FewNamesProps) {
  const more = total - Math.min(names.length, shown)
  const first = names.slice(0, shown).join(', ') || none
  return (
    <div className="few" title={more > 0 ? names.join(', ') : undefined}>
      <LongText lineClamp={2}>{first}</LongText>
      {more > 0 && (
        <Text span size="sm" c="dimmed">
          +{formatCount(more)}
        </Text>
      )}
    </div>
  )
}
