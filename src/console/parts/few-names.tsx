import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { firstFew } from '../lib/few.ts'
import { formatCount } from '../lib/language.ts'
import { LongText, nameClass } from './text.tsx'

interface FewNamesProps {
  readonly names: readonly string[]
  /** How many there are, where `names` has only the first. */
  readonly total?: number
  /** The words for none. */
  readonly none: string
}

/** The first of some names, and how many there are beside; those that are known on hover. */
export function FewNames({ names, total = names.length, none }: FewNamesProps) {
  const first = firstFew(names)
  const more = total - first.length
  const isWhole = more === 0 && first[0] === names[0]
  return (
    <LongText className="cut few" title={isWhole ? undefined : names.join(', ')}>
      {first.length === 0 && none}
      {first.map((name, at) => (
        <Fragment key={name}>
          {at > 0 && ', '}
          <span className={nameClass(name)}>{name}</span>
        </Fragment>
      ))}
      {more > 0 && (
        <Text span inherit c="dimmed">
          {'\u00a0'}+{formatCount(more)}
        </Text>
      )}
    </LongText>
  )
}
