import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { JobView } from '../../../admin/maintenance/schema.ts'
import { api, call } from '../../lib/api.ts'

/** How often a job that runs is looked at. */
const pollMs = 700

/** The newest job of a kind, with what begins and ends one. */
export function useJobs(kind: JobView['kind']) {
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: ['jobs'],
    queryFn: () => call(api.admin.jobs.get()),
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
