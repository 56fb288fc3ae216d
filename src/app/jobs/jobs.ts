import type { JobView } from '../../admin/maintenance/schema.ts'
import type { Clock } from '../../lib/clock.ts'
import { messageOf } from '../../lib/failure.ts'
import { isoTime } from '../../lib/format.ts'
import type { JobProgress, JobResult } from './child.ts'

export type JobKind = JobView['kind']

export type JobWork = (
  onProgress: (progress: JobProgress) => void,
  signal: AbortSignal,
) => Promise<JobResult>

export type Jobs = ReturnType<typeof createJobs>

/** Older ones are forgotten. */
const mostKept = 20

/** Background jobs, one of each kind at a time. */
export function createJobs(clock: Clock) {
  const jobs = new Map<string, JobView>()
  const running = new Map<string, { controller: AbortController; ended: Promise<void> }>()

  const change = (id: string, changed: Partial<JobView>) => {
    const job = jobs.get(id)
    if (job) jobs.set(id, { ...job, ...changed })
  }

  async function follow(id: string, work: JobWork, { signal }: AbortController): Promise<void> {
    try {
      const result = await work((progress) => change(id, { progress }), signal)
      change(id, { state: 'done', ...result })
    } catch (error) {
      const failure = messageOf(error)
      change(id, signal.aborted ? { state: 'cancelled' } : { state: 'failed', failure })
    } finally {
      change(id, { ended_at: isoTime(clock()) })
      running.delete(id)
    }
  }

  async function cancel(id: string): Promise<void> {
    const one = running.get(id)
    one?.controller.abort()
    await one?.ended
  }

  return {
    /** Undefined: one of its kind is running. */
    start(kind: JobKind, startedBy: string, work: JobWork): JobView | undefined {
      for (const id of running.keys()) if (jobs.get(id)?.kind === kind) return undefined
      const id = crypto.randomUUID()
      const job: JobView = {
        ...{ id, kind, state: 'running', started_by: startedBy, started_at: isoTime(clock()) },
        ...{ ended_at: null, progress: null, failure: null, verify: null, backup: null },
      }
      jobs.set(id, job)
      const controller = new AbortController()
      running.set(id, { controller, ended: follow(id, work, controller) })
      for (const old of [...jobs.keys()].slice(0, -mostKept))
        if (!running.has(old)) jobs.delete(old)
      return job
    },
    list: (): JobView[] => [...jobs.values()].reverse(),
    find: (id: string) => jobs.get(id),
    cancel,
    async stop(): Promise<void> {
      await Promise.all([...running.keys()].map(cancel))
    },
  }
}
