import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import type { JobView } from '../../../admin/maintenance/schema.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { textOf } from '../../lib/texts.ts'
import { formatBytes } from './format-bytes.ts'
import { maintenanceText } from './text.ts'

interface JobProgressProps {
  readonly job: JobView
  readonly cancel: () => void
}

/** How far a job is, or why it came to nothing. */
export function JobProgress({ job, cancel }: JobProgressProps) {
  const text = useText(maintenanceText)
  const { language } = useLanguage()
  const { state, progress, failure, kind } = job
  if (state === 'failed')
    return (
      <Alert color="red" title={text.failed} role="alert">
        <Text size="sm" className="cut">
          {failure}
        </Text>
      </Alert>
    )
  if (state === 'cancelled') return <Text c="dimmed">{text.cancelled}</Text>
  if (state !== 'running') return null
  const { part, done, total } = progress ?? { part: '', done: 0, total: 0 }
  const figure = (count: number) =>
    kind === 'backup' ? formatBytes(count) : formatCount(count, language)
  const percent = total > 0 ? Math.min(100, (done / total) * 100) : 100
  const name = textOf(text.parts, part) ?? text.running
  return (
    <Stack gap="xs">
      <Progress value={percent} animated aria-label={`${text.running}: ${name}`} />
      <Group justify="space-between">
        <Text size="sm">
          {name}
          {total > 0 && ` · ${text.of(figure(Math.min(done, total)), figure(total))}`}
        </Text>
        <Button size="xs" variant="default" onClick={cancel}>
          {text.cancel}
        </Button>
      </Group>
    </Stack>
  )
}
