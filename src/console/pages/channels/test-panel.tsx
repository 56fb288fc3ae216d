import { Alert, Button, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { TestAsked, Tested } from '../../../admin/channels/schema.ts'
import { formatDuration } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useAttempt } from '../../parts/action.tsx'
import { ChoiceInput } from '../../parts/choice-input.tsx'
import { ErrorNotice, Section } from '../../parts/page.tsx'
import { LongText } from '../../parts/text.tsx'
import { causeText } from '../requests/causes.ts'
import { channelText } from './text.ts'

interface TestPanelProps {
  readonly hint: string
  readonly models: readonly string[]
  readonly protocols: readonly string[]
  readonly keys: readonly { readonly mark: string; readonly hint: string }[]
  /** Asks; a refusal that belongs to a field of the form is shown there. */
  readonly test: (asked: TestAsked) => Promise<Tested>
}

/** Asks the upstream once and tells what came of it. */
export function TestPanel({ hint, models, protocols, keys, test }: TestPanelProps) {
  const text = useText(channelText)
  const [asked, setAsked] = useState<TestAsked>({})
  const [result, setResult] = useState<Tested | null>(null)
  const { error, isBusy, attempt } = useAttempt()
  const send = () =>
    attempt(async () => {
      setResult(null)
      setResult(await test(asked))
    })
  const choose = (name: keyof TestAsked) => (value: string | null) =>
    setAsked(({ [name]: _, ...rest }) => (value ? { ...rest, [name]: value } : rest))
  return (
    <Section title={text.test} hint={hint}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <ChoiceInput
          label={text.testModel}
          placeholder={text.first}
          data={[...new Set(models)]}
          value={asked.model ?? null}
          onChange={choose('model')}
        />
        <ChoiceInput
          label={text.protocol}
          placeholder={text.best}
          data={[...protocols]}
          value={asked.protocol ?? null}
          onChange={choose('protocol')}
        />
        {keys.length > 1 && (
          <ChoiceInput
            label={text.key}
            placeholder={text.first}
            data={keys.map((key) => ({ value: key.mark, label: key.hint }))}
            value={asked.key ?? null}
            onChange={choose('key')}
          />
        )}
      </SimpleGrid>
      <div>
        <Button variant="default" loading={isBusy} onClick={() => void send()}>
          {text.send}
        </Button>
        {error !== null && <ErrorNotice error={error} />}
        <div aria-live="polite">{result && <Result result={result} />}</div>
      </div>
    </Section>
  )
}

function Result({ result }: { readonly result: Tested }) {
  const text = useText(channelText)
  const { ok, status, failure, first_byte_ms, error } = result
  const facts = [
    text.result(result.protocol, result.model),
    status !== null && text.http(status),
    first_byte_ms !== null && text.firstByte(formatDuration(first_byte_ms)),
  ]
  const why = failure && (causeText(failure, 'attempt') ?? result.why)
  const hint = hintFor(result, text)
  return (
    <Alert mt="md" color={ok ? 'green' : 'red'} title={ok ? text.works : text.fails}>
      <Stack gap="xs">
        <LongText>{facts.filter(Boolean).join(' · ')}</LongText>
        {why && <Text size="sm">{why}</Text>}
        {error && (
          <LongText>
            {text.said} <q>{error}</q>
          </LongText>
        )}
        {hint && <Text size="sm">{hint}</Text>}
      </Stack>
    </Alert>
  )
}

function hintFor(
  { status, failure }: Tested,
  text: (typeof channelText)['en'],
): string | undefined {
  if (failure === 'address_refused') return text.hintPrivate
  if (status === 401 || status === 403) return text.hintKey
  return status === 404 || status === 405 ? text.hint404 : undefined
}
