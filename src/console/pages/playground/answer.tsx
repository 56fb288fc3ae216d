import { Alert, Anchor, Card, Group, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatDuration } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { causeText } from '../../requests/cause-text.ts'
import { Cost } from './cost.tsx'
import { texts } from './text.ts'
import type { Exchange } from './use-ask.ts'

/** What the model says, as text alone: it is a stranger's. */
export function Answer({ exchange }: { readonly exchange: Exchange | undefined }) {
  const text = useText(texts)
  return (
    <Card withBorder padding="md" component="section" aria-label={text.answer}>
      <Title order={2} size="h5" mb="xs">
        {text.answer}
      </Title>
      {exchange ? <Said exchange={exchange} /> : <Text c="dimmed">{text.nothingYet}</Text>}
      {exchange && <Problem exchange={exchange} />}
      {exchange && exchange.phase !== 'asking' && <Figures exchange={exchange} />}
    </Card>
  )
}

interface Shown {
  readonly exchange: Exchange
}

function Said({ exchange }: Shown) {
  const text = useText(texts)
  const { phase, text: said, error } = exchange
  const hint =
    phase === 'asking' ? text.waiting : phase === 'done' && error === undefined ? text.noText : ''
  return (
    <div aria-live="polite" aria-busy={phase === 'asking'}>
      {said === '' ? (
        <Text c="dimmed">{hint}</Text>
      ) : (
        <Text className="cut" style={{ whiteSpace: 'pre-wrap' }} data-testid="answer">
          {said}
        </Text>
      )}
    </div>
  )
}

function Problem({ exchange: { phase, status, error, cause, requestId } }: Shown) {
  const text = useText(texts)
  if (phase === 'stopped') return <Alert mt="sm">{text.stopped}</Alert>
  const isRefused = status !== null && status >= 400
  if (error === undefined && !isRefused) return null
  const title = phase === 'broken' ? text.broken : isRefused ? text.refused(status) : text.failed
  return (
    <Alert color="red" mt="sm" role="alert" title={title}>
      <Text size="sm" className="cut">
        <Reason cause={cause} error={error} />{' '}
        {requestId !== null && (
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => (
              <Link to="/requests/$id" params={{ id: requestId }} {...props} />
            )}
          >
            {text.why}
          </Anchor>
        )}
      </Text>
    </Alert>
  )
}

/** The gateway's own refusals are told in the language of the page, and as clients read them. */
function Reason({ cause, error }: Pick<Exchange, 'cause' | 'error'>) {
  const { language } = useLanguage()
  const told = language === 'en' || cause === null ? undefined : causeText(cause, language)
  if (told === undefined) return error
  return (
    <>
      {told}{' '}
      <Text span inherit c="dimmed" lang="en">
        {error}
      </Text>
    </>
  )
}

function Figures({ exchange: { firstTextMs, totalMs, requestId } }: Shown) {
  const text = useText(texts)
  return (
    <Group gap="lg" mt="sm">
      {firstTextMs !== null && (
        <Text size="sm">
          {text.firstText} <strong>{formatDuration(firstTextMs)}</strong>
        </Text>
      )}
      {totalMs !== null && (
        <Text size="sm">
          {text.total} <strong>{formatDuration(totalMs)}</strong>
        </Text>
      )}
      {requestId !== null && <Cost requestId={requestId} />}
    </Group>
  )
}
