import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { JobView } from '../../../admin/maintenance/schema.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { formatCount, textOf, useText } from '../../lib/language.ts'
import { LongText } from '../../parts/text.tsx'
import { maintenanceText } from './text.ts'

/** How far a job is, or why it came to nothing. */
export function JobProgress({ job, cancel }: { job: JobView; cancel: () => void }) {
  const text = useText(maintenanceText)
  const { state, progress, failure, kind } = job
  if (state === 'failed')
    return (
      <Alert color="red" title={text.failed} role="alert">
        <LongText>{failure}</LongText>
      </Alert>
    )
  if (state === 'cancelled') return <Text c="dimmed">{text.cancelled}</Text>
  if (state !== 'running') return null
  const { part, done, total } = progress ?? { part: '', done: 0, total: 0 }
  const figure = (count: number) => (kind === 'backup' ? formatBytes(count) : formatCount(count))
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

/** How often a job that runs is looked at. */
const pollMs = 700

/** The newest job of a kind, with what begins and ends one. */
export function useJobs(kind: JobView['kind']) {
  const queries = useQueryClient()
  const query = useCall(['jobs'], () => api.admin.jobs.get(), {
    refetchInterval: ({ state }) =>
      state.data?.items.some((job) => job.state === 'running') ? pollMs : false,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['jobs'] })
  const onError = ({ message }: Error) => notifications.show({ message, color: 'red' })
  const start = useMutation({
    mutationFn: () => call(api.admin.jobs.post({ kind })),
    onSuccess: refresh,
    onError,
  })
  const cancel = useMutation({
    mutationFn: (id: string) => call(api.admin.jobs({ id }).delete()),
    onSuccess: refresh,
    onError,
  })
  return {
    error: query.error,
    job: query.data?.items.find((job) => job.kind === kind),
    start,
    cancel,
  }
}
