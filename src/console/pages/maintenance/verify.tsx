import { Alert, Button, List, Stack, Text } from '@mantine/core'
import type { JobView, VerifyDifference } from '../../../admin/maintenance/schema.ts'
import { formatCount, formatUsd } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Colon } from '../../parts/colon.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/time.tsx'
import { differenceText } from './difference-text.ts'
import { JobProgress } from './job-progress.tsx'
import { Section } from './section.tsx'
import { maintenanceText } from './text.ts'
import { useJobs } from './use-jobs.ts'

/** Proves the records, or names what is wrong with them. */
export function Verify() {
  const text = useText(maintenanceText)
  const { job, start, cancel, error } = useJobs('verify')
  return (
    <Section title={text.verify} hint={text.verifyHint}>
      {error && <ErrorNotice error={error} />}
      <div aria-live="polite">
        {job && <JobProgress job={job} cancel={() => cancel.mutate(job.id)} />}
        {job?.verify && <Report job={job} report={job.verify} />}
      </div>
      {job?.state !== 'running' && (
        <Button w="fit-content" loading={start.isPending} onClick={() => start.mutate()}>
          {text.start}
        </Button>
      )}
    </Section>
  )
}

interface ReportProps {
  readonly job: JobView
  readonly report: NonNullable<JobView['verify']>
}

function Report({ job, report }: ReportProps) {
  const text = useText(maintenanceText)
  const { language } = useLanguage()
  const count = (value: number) => formatCount(value, language)
  const { valid, is_damaged, differences, differences_total } = report
  const title = valid
    ? text.valid
    : is_damaged
      ? text.damaged
      : text.invalid(count(differences_total))
  return (
    <Alert color={valid ? 'green' : 'red'} title={title}>
      <Stack gap="xs">
        {is_damaged && <Text size="sm">{text.damagedText}</Text>}
        {valid && (
          <Text size="sm">
            {text.validText(
              count(report.requests),
              count(report.ledger_entries),
              count(report.accounts),
              formatUsd(report.charged),
            )}
          </Text>
        )}
        {differences.length > 0 && (
          <>
            {differences.length < differences_total && (
              <Text size="sm">{text.firstOf(count(differences.length))}</Text>
            )}
            <List size="sm">
              {differences.map((difference) => (
                <List.Item key={difference.text} className="cut">
                  <Found difference={difference} />
                </List.Item>
              ))}
            </List>
          </>
        )}
        {job.ended_at && (
          <Text size="xs">
            {text.at}
            <Colon />
            <Time at={job.ended_at} /> · {text.by}
            <Colon />
            {job.started_by}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

/** A difference in the language of the page, and in the gateway's own words. */
function Found({ difference }: { readonly difference: VerifyDifference }) {
  const { language } = useLanguage()
  const told = differenceText(difference, language)
  if (told === undefined) return <span lang="en">{difference.text}</span>
  return (
    <>
      {told}
      <Text size="xs" c="dimmed" lang="en">
        {difference.text}
      </Text>
    </>
  )
}
