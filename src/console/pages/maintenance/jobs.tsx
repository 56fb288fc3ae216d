import { Alert, Group, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { JobView } from '../../../admin/maintenance/schema.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { formatCount, textOf, useText } from '../../lib/language.ts'
import { Action, type ActionProps, useRefresh } from '../../parts/action.tsx'
import { ErrorNotice } from '../../parts/page.tsx'
import { LongText } from '../../parts/text.tsx'
import { maintenanceText } from './text.ts'

/** How far a job is, or why it came to nothing. */
function JobProgress({ job, cancel }: { job: JobView; cancel: ActionProps['run'] }) {
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
        <Action size="xs" label={text.cancel} run={cancel} />
      </Group>
    </Stack>
  )
}

/** How often a job that runs is looked at. */
const pollMs = 700

interface JobsProps {
  readonly kind: JobView['kind']
  readonly label: string
  readonly children: (job: JobView) => ReactNode
}

/** The newest job of a kind, and a button that starts one. */
export function Jobs({ kind, label, children }: JobsProps) {
  const refresh = useRefresh()
  const { error, job } = useJob(kind)
  const doing = (work: () => Promise<unknown>) => async () => {
    await work()
    await refresh('jobs')
    return undefined
  }
  const cancel = (id: string) => doing(() => call(api.admin.jobs({ id }).delete()))
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <div>
        <div aria-live="polite" className="gap-above">
          {job && <JobProgress job={job} cancel={cancel(job.id)} />}
          {job && children(job)}
        </div>
        {job?.state !== 'running' && (
          <Action
            {...{ label, w: 'fit-content', variant: 'filled' }}
            run={doing(() => call(api.admin.jobs.post({ kind })))}
          />
        )}
      </div>
    </>
  )
}

export function useJob(kind: JobView['kind']) {
  const { data, error } = useCall(['jobs'], () => api.admin.jobs.get(), {
    refetchInterval: ({ state }) =>
      state.data?.items.some((job) => job.state === 'running') ? pollMs : false,
  })
  return { error, job: data?.items.find((job) => job.kind === kind) }
}
