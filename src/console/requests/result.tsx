import { Badge, Group, Text } from '@mantine/core'
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
    <Group
      gap={isAlone ? 'xs' : 6}
      wrap="nowrap"
      justify="flex-end"
      style={isAlone ? { flexDirection: 'row-reverse' } : undefined}
    >
      {meaning && (
        <Text size="sm" className="cut" miw={isAlone ? undefined : 'min(13rem, 100%)'}>
          {meaning}
        </Text>
      )}
      <Badge color={cause === null ? 'green' : 'red'} variant="dot" style={{ flex: 'none' }}>
        {status ?? '—'} {cause === null ? text.ok : ''}
      </Badge>
    </Group>
  )
}
