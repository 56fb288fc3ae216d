import type { Clock } from '../../lib/clock.ts'
import type { BackupResult, JobProgress, VerifyResult } from './child.ts'

export type JobKind = 'verify' | 'backup'

/** Long work, as it is at a moment. */
export interface Job {
  readonly id: string
  readonly kind: JobKind
  readonly startedBy: string
  readonly startedAt: number
  readonly endedAt: number | null
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  /** How far it came. */
  readonly progress: JobProgress | null
  readonly result: VerifyResult | BackupResult | null
  /** Why it failed. */
  readonly failure: string | null
}

/** Does the work of a job. */
export type JobWork = (
  onProgress: (progress: JobProgress) => void,
  signal: AbortSignal,
) => Promise<VerifyResult | BackupResult>

/** Long work in the background, one of each kind at a time. */
export interface Jobs {
  /** Begins; undefined while one of that kind runs. */
  start(kind: JobKind, startedBy: string, work: JobWork): Job | undefined
  /** Newest first. */
  list(): readonly Job[]
  find(id: string): Job | undefined
  /** Ends a job that runs; resolves when it has. */
  cancel(id: string): Promise<void>
  /** Ends all. */
  stop(): Promise<void>
}

/** So many jobs are remembered, the newest. */
const mostKept = 20

interface Running {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

/** No jobs yet. */
export function createJobs(clock: Clock): Jobs {
  const jobs = new Map<string, Job>()
  const running = new Map<string, Running>()

  const change = (id: string, changed: Partial<Job>) => {
    const job = jobs.get(id)
    if (job) jobs.set(id, { ...job, ...changed })
  }

  async function follow(id: string, work: JobWork, { signal }: AbortController): Promise<void> {
    try {
      const result = await work((progress) => change(id, { progress }), signal)
      change(id, { state: 'done', result })
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      change(id, signal.aborted ? { state: 'cancelled' } : { state: 'failed', failure })
    } finally {
      change(id, { endedAt: clock() })
      running.delete(id)
    }
  }

  async function cancel(id: string): Promise<void> {
    const one = running.get(id)
    one?.controller.abort()
    await one?.ended
  }

  return {
    start(kind, startedBy, work) {
      for (const id of running.keys()) if (jobs.get(id)?.kind === kind) return undefined
      const id = crypto.randomUUID()
      const job: Job = {
        ...{ id, kind, startedBy, startedAt: clock(), endedAt: null, state: 'running' },
        ...{ progress: null, result: null, failure: null },
      }
      jobs.set(id, job)
      const controller = new AbortController()
      running.set(id, { controller, ended: follow(id, work, controller) })
      for (const old of [...jobs.keys()].slice(0, -mostKept))
        if (!running.has(old)) jobs.delete(old)
      return job
    },
    list: () => [...jobs.values()].reverse(),
    find: (id) => jobs.get(id),
    cancel,
    async stop() {
      await Promise.all([...running.keys()].map(cancel))
    },
  }
}
