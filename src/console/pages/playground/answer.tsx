import { Accordion, Alert, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { curlOf } from '../../../look/snippets.ts'
import { api, CallFailed, call, useMe } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.ts'
import { Code, Copy, Hint, LongText, Money, SmallHint, TextLink } from '../../parts/text.tsx'
import { causeText } from '../requests/causes.ts'
import type { Exchange } from './exchange.ts'
import { texts } from './text.ts'

/** What a model says, as text alone: it is a stranger's. */
export function Answer({ exchange }: Shown) {
  return (
    <Card withBorder padding="md" component="article" aria-label={exchange.question.model}>
      <Stack gap="sm">
        <Title order={2} size="h5" className="cut">
          {exchange.question.model}
        </Title>
        <Said exchange={exchange} />
        <Problem exchange={exchange} />
        {exchange.phase !== 'asking' && <Figures exchange={exchange} />}
        <RawExchange exchange={exchange} />
      </Stack>
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
  if (phase === 'stopped') return <Alert>{text.stopped}</Alert>
  const isRefused = status !== null && status >= 400
  if (error === undefined && !isRefused) return null
  const title = phase === 'broken' ? text.broken : isRefused ? text.refused(status) : text.failed
  return (
    <Alert color="red" role="alert" title={title}>
      <LongText>
        <Reason cause={cause} error={error} />{' '}
        {requestId !== null && (
          <TextLink to="/requests/$id" params={{ id: requestId }}>
            {text.why}
          </TextLink>
        )}
      </LongText>
    </Alert>
  )
}

/** The gateway's own refusals are told in the language of the page, and as clients read them. */
function Reason({ cause, error }: Pick<Exchange, 'cause' | 'error'>) {
  const { language } = useLanguage()
  const told = language === 'en' || cause === null ? undefined : causeText(cause)
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
  const writingMs = totalMs !== null && firstTextMs !== null ? totalMs - firstTextMs : 0
  return (
    <Group gap="sm">
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
      {requestId !== null && <Cost requestId={requestId} writingMs={writingMs} />}
    </Group>
  )
}

/**
 * A receipt is stored shortly after the answer has ended: when to look, and how often. One that was
 * stopped may be read on for minutes.
 */
const firstLookMs = 600
const soonLooks = 8
const looks = 200
const apartMs = (count: number) => (count < soonLooks ? 400 : 3_000)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** In a shorter time, all may have come at once. */
const leastWritingMs = 200

interface CostProps {
  readonly requestId: string
  /** From the first text to the end. */
  readonly writingMs: number
}

/** Tokens, speed and cost, by the receipt. */
function Cost({ requestId, writingMs }: CostProps) {
  const text = useText(texts)
  const receipt = useQuery({
    queryKey: ['cost', requestId],
    queryFn: async () => {
      await pause(firstLookMs)
      return call(api.requests({ id: requestId }).get())
    },
    retry: (count, error) => count < looks && error instanceof CallFailed && error.status === 404,
    retryDelay: apartMs,
  })
  if (receipt.isPending && receipt.failureCount < soonLooks) return null
  const toRequest = (words: string) => (
    <TextLink to="/requests/$id" params={{ id: requestId }}>
      {words}
    </TextLink>
  )
  if (!receipt.data) {
    return (
      <Hint>
        {text.costLater} {toRequest(text.toRequest)}
      </Hint>
    )
  }
  const { amount, input_tokens, cache_read_tokens, output_tokens } = receipt.data
  return (
    <>
      <Text size="sm">{text.tokensUsed(input_tokens + cache_read_tokens, output_tokens)}</Text>
      {writingMs >= leastWritingMs && output_tokens > 0 && (
        <Text size="sm">{text.speed(Math.round((output_tokens * 1000) / writingMs))}</Text>
      )}
      <Text size="sm">
        {text.cost}{' '}
        <strong>
          <Money usd={amount} />
        </strong>{' '}
        · {toRequest(text.receipt)}
      </Text>
    </>
  )
}

/** What went over the wire: the question as a client sends it, and the answer as it came. */
function RawExchange({ exchange }: { readonly exchange: Exchange }) {
  const text = useText(texts)
  const address = useMe().data?.site.base_url ?? location.origin
  const { question, status, headers, raw, isRawCut } = exchange
  const head = [`HTTP ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const command = curlOf(question, address)
  return (
    <>
      <Group gap="xs">
        {exchange.text !== '' && (
          <Copy size="compact-xs" value={exchange.text} label={text.copyAnswer} />
        )}
        <Copy size="compact-xs" value={command} label={text.copyCurl} />
      </Group>
      <Accordion variant="contained">
        <Accordion.Item value="raw">
          <Accordion.Control>{text.raw}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="xs">
              <Text size="sm" fw={600}>
                {text.request}
              </Text>
              <Code label={text.request} isProgram>
                {command}
              </Code>
              <SmallHint>{text.requestHint}</SmallHint>
              {status !== null && (
                <>
                  <Text size="sm" fw={600}>
                    {text.response}
                  </Text>
                  <Code label={text.response}>{`${head.join('\n')}\n\n${raw}`}</Code>
                  {isRawCut && <SmallHint>{text.cut}</SmallHint>}
                </>
              )}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  )
}
