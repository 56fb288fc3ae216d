import { Alert, Button, List, Stack, Text } from '@mantine/core'
import type { JobView, VerifyDifference } from '../../../admin/maintenance/schema.ts'
import { formatUsd } from '../../../look/money.ts'
import { useLanguage, useText } from '../../lib/language.ts'
import { PageFrame, Section } from '../../parts/page.tsx'
import { Colon, SmallHint, Time } from '../../parts/text.tsx'
import { Backups } from './backups.tsx'
import { Jobs } from './jobs.tsx'
import { differenceText, maintenanceText } from './text.ts'

/** What keeps a gateway in order. */
export function Page() {
  const text = useText(maintenanceText)
  return (
    <PageFrame title={text.maintenance} description={text.description}>
      <Stack>
        <Section title={text.verify} hint={text.verifyHint}>
          <Jobs kind="verify" label={text.start}>
            {(job) => job.verify && <Report job={job} report={job.verify} />}
          </Jobs>
        </Section>
        <Backups />
        <Section title={text.config} hint={text.configHint}>
          <Button
            component="a"
            href="/api/v1/admin/config.yaml"
            download
            variant="default"
            w="fit-content"
          >
            {text.configDownload}
          </Button>
        </Section>
      </Stack>
    </PageFrame>
  )
}

function Report({ job, report }: { job: JobView; report: NonNullable<JobView['verify']> }) {
  const text = useText(maintenanceText)
  const { valid, is_damaged, differences, differences_total } = report
  const title = valid ? text.valid : is_damaged ? text.damaged : text.invalid(differences_total)
  return (
    <Alert color={valid ? 'green' : 'red'} title={title}>
      <Stack gap="xs">
        {is_damaged && <Text size="sm">{text.damagedText}</Text>}
        {valid && (
          <Text size="sm">
            {text.validText(
              report.requests,
              report.ledger_entries,
              report.accounts,
              formatUsd(report.charged),
            )}
          </Text>
        )}
        {differences.length > 0 && (
          <>
            {differences.length < differences_total && (
              <Text size="sm">{text.firstOf(differences.length)}</Text>
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
      <SmallHint lang="en">{difference.text}</SmallHint>
    </>
  )
}
