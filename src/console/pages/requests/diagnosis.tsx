import { Alert, Anchor, Card, Group, List, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Diagnosis, Step } from '../../../admin/diagnosis/schema.ts'
import { formatUsd, shortMoney } from '../../../look/money.ts'
import { api, call } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { formatCount, type Language, localeOf, useLanguage, useText } from '../../lib/language.ts'
import { OperatorContact } from '../../parts/operator.tsx'
import { Loaded } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { AnchorLink, Code } from '../../parts/text.tsx'
import { causeText } from './causes.ts'
import { diagnosisTexts, fill, type Param, type Params } from './diagnosis-text.ts'
import { receiptText } from './text.ts'

/** Why a request failed: the verdict, the steps that led to it, and a text to report it with. */
export function Why({ id, isAll }: { readonly id: string; readonly isAll: boolean }) {
  const text = useText(receiptText)
  const query = useQuery({
    queryKey: ['diagnosis', isAll, id],
    queryFn: () =>
      isAll
        ? call(api.admin.requests({ id }).diagnosis.get())
        : call(api.requests({ id }).diagnosis.get()),
  })
  return (
    <Stack component="section" aria-label={text.why}>
      <Title order={2} size="h3">
        {text.why}
      </Title>
      <Loaded query={query} waiting={<Skeleton height={160} />}>
        {(diagnosis) => <Walked diagnosis={diagnosis} />}
      </Loaded>
    </Stack>
  )
}

function Walked({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { verdict, steps, report } = diagnosis
  return (
    <Stack>
      {verdict && <Verdict verdict={verdict} />}
      <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {steps.map((step, place) => (
          <StepCard key={step.step} step={besides(step, verdict)} number={place + 1} />
        ))}
        <Report report={report} number={steps.length + 1} />
      </Stack>
    </Stack>
  )
}

/** A step, less the note and the way out that stand in the verdict above. */
const besides = (step: Step, verdict: Diagnosis['verdict']): Step => ({
  ...step,
  notes: without(step.notes, verdict?.note),
  ways: without(step.ways, verdict?.way),
})

const without = <One,>(all: readonly One[], one: unknown) =>
  all.filter((other) => JSON.stringify(other) !== JSON.stringify(one))

function Verdict({ verdict }: { readonly verdict: NonNullable<Diagnosis['verdict']> }) {
  const text = useText(receiptText)
  const { steps, notes, ways } = useText(diagnosisTexts)
  const { step, note, way } = verdict
  return (
    <Alert color="red" title={text.verdict(steps[step])}>
      <Stack gap={4}>
        <Sentence text={notes[note.word]} params={note.params} />
        {way && <Sentence text={ways[way.word]} params={way.params} />}
      </Stack>
    </Alert>
  )
}

const colours = { ok: 'ok', problem: 'bad', problem_now: 'mid', unknown: 'soft' } as const

function StepCard({ step, number }: { readonly step: Step; readonly number: number }) {
  const text = useText(receiptText)
  const { steps, notes, ways } = useText(diagnosisTexts)
  return (
    <Card component="li" withBorder padding="sm">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Title order={3} size="h5">
            {number}. {steps[step.step]}
          </Title>
          <StatusBadge color={colours[step.finding]}>{text[step.finding]}</StatusBadge>
        </Group>
        {step.notes.map((note) => (
          <Sentence
            key={JSON.stringify(note)}
            text={notes[note.word]}
            params={note.params}
            of={/^(attempt|cooling)_/.test(note.word) ? 'attempt' : 'request'}
          />
        ))}
        {step.ways.length > 0 && (
          <Stack gap={2}>
            <Text size="sm" fw={600}>
              {text.wayOut}
            </Text>
            <List size="sm">
              {step.ways.map((way) => (
                <List.Item key={JSON.stringify(way)}>
                  <Sentence text={ways[way.word]} params={way.params} />
                </List.Item>
              ))}
            </List>
          </Stack>
        )}
        {step.link && <StepLink step={step} link={step.link} />}
      </Stack>
    </Card>
  )
}

/** The status page is no page of the console. */
function StepLink({ step: { step }, link }: { readonly step: Step; readonly link: string }) {
  const { look } = useText(receiptText)
  if (step === 'status') {
    return (
      <Anchor size="sm" href={link} target="_blank" rel="noreferrer">
        {look[step]}
      </Anchor>
    )
  }
  return (
    <AnchorLink size="sm" to={link}>
      {link.startsWith('/admin/accounts/') ? look.account : look[step]}
    </AnchorLink>
  )
}

function Report({ report, number }: { report: Diagnosis['report']; number: number }) {
  const text = useText(receiptText)
  const { steps } = useText(diagnosisTexts)
  const names = Object.keys(text.report) as (keyof typeof report)[]
  const lines = names.map((name) => `${text.report[name]}: ${report[name] ?? text.none}`)
  return (
    <Card component="li" withBorder padding="sm">
      <Stack gap="xs">
        <Title order={3} size="h5">
          {number}. {steps.report}
        </Title>
        <Text size="sm">
          {text.reportHint}
          <OperatorContact />
        </Text>
        <Code label={steps.report}>{lines.join('\n')}</Code>
      </Stack>
    </Card>
  )
}

interface SentenceProps {
  readonly text: string
  readonly params: Params
  /** Whose cause a `cause` is. */
  readonly of?: 'request' | 'attempt'
}

/** A sentence of a diagnosis; what is filled in stands out, and is text whatever is in it. */
function Sentence({ text, params, of = 'request' }: SentenceProps) {
  const { language } = useLanguage()
  const pieces = fill(text, params, (name, value) => show(name, value, language, of))
  return (
    <Text span size="sm" className="cut">
      {pieces.map(({ text, name }, place) => (
        // The pieces of a sentence never change their places.
        // biome-ignore lint/suspicious/noArrayIndexKey: there is nothing else that tells them apart
        <Text key={place} span inherit fw={name && 600} title={exactly(params, name)}>
          {text}
        </Text>
      ))}
    </Text>
  )
}

/** An amount of money is shown short, and whole on hover. */
const exactly = (params: Params, name: string | undefined) =>
  name?.endsWith('_usd') ? formatUsd(String(params[name])) : undefined

function show(name: string, value: Param, language: Language, of: 'request' | 'attempt'): string {
  if (typeof value === 'object') return value.join(language === 'zh' ? '、' : ', ')
  if (name.endsWith('_at')) return shortTime(String(value), language)
  if (name.endsWith('_usd')) return shortMoney(String(value))
  if (name === 'cause') {
    const meaning = causeText(String(value), of)?.replace(/[.。]$/, '')
    return meaning === undefined ? String(value) : `${meaning} (${value})`
  }
  if (name === 'fault') {
    const faults: Readonly<Record<string, string>> = diagnosisTexts[language].faults
    return faults[value] ?? String(value)
  }
  if (typeof value === 'string') return value
  if (name.endsWith('_ms')) return formatDuration(value)
  return name === 'status' ? String(value) : formatCount(value)
}

const shortTime = (at: string, language: Language) =>
  new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(at),
  )
