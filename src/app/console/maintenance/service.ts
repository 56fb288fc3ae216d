import type { SignedIn } from '../../../admin/access.ts'
import { ApiError } from '../../../admin/api-error.ts'
import { fileHeaders } from '../../../admin/download.ts'
import type { MaintenanceService } from '../../../admin/maintenance/service.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/format.ts'
import type { Store } from '../../../store/ports/store.ts'
import type { Config } from '../../config/config.ts'
import { createBackupFolder } from '../../jobs/backup-folder.ts'
import { jobUrlVariable, ownProgram, runChild } from '../../jobs/child.ts'
import { createJobs, type JobKind, type JobWork } from '../../jobs/jobs.ts'
import { describeStore, fileOf, isOnServer } from '../../store-place.ts'
import { jobView } from './job-view.ts'
import { createTickets } from './tickets.ts'

export interface MaintenanceParts {
  readonly config: () => Config
  readonly store: Store
  readonly clock: Clock
  /** Whether it is an account's password; throws `ApiError` when there were too many tries. */
  readonly prove: (who: SignedIn, password: string | null) => Promise<void>
}

/** Long work in processes of their own, and backups in a folder. */
export function createMaintenance(
  parts: MaintenanceParts,
): MaintenanceService & { stop(): Promise<void> } {
  const { store, clock } = parts
  const place = parts.config().store
  const database = fileOf(place)
  const folder = database === undefined ? undefined : createBackupFolder(database)
  const jobs = createJobs(clock)
  const tickets = createTickets(clock)

  function requireFolder() {
    if (folder) return folder
    throw new ApiError(
      'unavailable',
      isOnServer(place)
        ? `The database ${describeStore(place)} is on a server: back it up there, with pg_dump.`
        : 'The database is in memory only: there is no file to verify or to back up.',
    )
  }

  async function requireBackup(name: string) {
    const found = await requireFolder().find(name)
    if (found) return found
    throw new ApiError('not_found', `There is no backup ${JSON.stringify(name)}.`)
  }

  function requireJob(id: string) {
    const found = jobs.find(id)
    if (found) return jobView(found)
    const elsewhere = isOnServer(place) ? ', and known only to the node that began them' : ''
    throw new ApiError(
      'not_found',
      `There is no such job; jobs are forgotten at a restart${elsewhere}.`,
    )
  }

  const note = ({ email }: SignedIn, action: string, subject: string, detail = {}) =>
    store.edits.noteChange({ actor: email, action, subject, detail })

  const inChild =
    (...args: readonly string[]): JobWork =>
    (onProgress, signal) =>
      runChild({
        ...{ command: [...ownProgram(), 'job', ...args], onProgress, signal },
        ...(isOnServer(place) && { env: { [jobUrlVariable]: place.url } }),
      })

  async function workOf(kind: JobKind): Promise<JobWork> {
    if (kind === 'verify' && isOnServer(place)) return inChild('verify')
    const { next } = requireFolder()
    const file = database ?? ''
    return kind === 'verify'
      ? inChild('verify', file)
      : inChild('backup', file, await next(clock()))
  }

  return {
    jobs: async () => ({ items: jobs.list().map(jobView) }),
    job: async (id) => requireJob(id),
    async start(who, kind) {
      const job = jobs.start(kind, who.email, await workOf(kind))
      if (job === undefined) {
        const running = kind === 'verify' ? 'A verification' : 'A backup'
        throw new ApiError('in_use', `${running} is under way already: wait for it, or end it.`)
      }
      await note(who, `job.${kind}`, 'database')
      return jobView(job)
    },
    async cancel(id) {
      requireJob(id)
      await jobs.cancel(id)
      return requireJob(id)
    },
    async backups() {
      const found = (await folder?.list()) ?? []
      return {
        folder: folder?.path ?? null,
        items: found.map(({ name, sizeBytes, createdAt }) => ({
          ...{ name, size_bytes: sizeBytes, created_at: isoTime(createdAt) },
        })),
      }
    },
    async allowDownload(who, name, password) {
      await requireBackup(name)
      await parts.prove(who, password)
      await note(who, 'backup.download', name)
      const ticket = tickets.issue(name, who.sessionId)
      return { path: `/api/v1/admin/backups/${name}/download/${ticket}` }
    },
    async download({ sessionId }, name, ticket) {
      const { file } = await requireBackup(name)
      if (!tickets.redeem(ticket, name, sessionId)) {
        throw new ApiError('not_found', 'This download was used or has expired: ask anew.')
      }
      return new Response(Bun.file(file), {
        headers: fileHeaders({ name, type: 'application/octet-stream' }),
      })
    },
    async removeBackup(who, name) {
      await requireBackup(name)
      if (await requireFolder().remove(name)) await note(who, 'backup.remove', name)
    },
    stop: jobs.stop,
  }
}
