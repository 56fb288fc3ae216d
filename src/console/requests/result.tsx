import { Badge, Flex, Text } from '@mantine/core'
import { useLanguage, useText } from '../lib/language.tsx'
import { causeText } from './cause-text.ts'
import { requestsText } from './text.ts'

interface ResultProps {
  readonly status: number | null
  readonly cause: string | null
  readonly of?: 'request' | 'attempt'
  /** By itself, and not at the end of a row. */
  readonly isAlone?: boolean
}

/** How it ended: the status, and what went wrong in a sentence. */
export function Result({ status, cause, of = 'request', isAlone = false }: ResultProps) {
  const text = useText(requestsText)
  const { language } = useLanguage()
  const meaning = cause === null ? undefined : (causeText(cause, language, of) ?? cause)
  return (
    <Flex
      gap={isAlone ? 'xs' : 4}
      direction={isAlone ? 'row' : 'column'}
      align={isAlone ? 'center' : 'flex-end'}
    >
      <Badge color={cause === null ? 'green' : 'red'} variant="dot" style={{ flex: 'none' }}>
        {status ?? '—'} {cause === null ? text.ok : ''}
      </Badge>
      {meaning && (
        <Text size={isAlone ? 'sm' : 'xs'} className="cut" miw={isAlone ? undefined : '8rem'}>
          {meaning}
        </Text>
      )}
    </Flex>
  )
}
