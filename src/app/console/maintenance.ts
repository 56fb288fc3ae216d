import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SignedIn } from '../../admin/access.ts'
import { ApiError } from '../../admin/api-error.ts'
import { fileHeaders } from '../../admin/download.ts'
import type { MaintenanceService } from '../../admin/maintenance/routes.ts'
import type { TokenParts } from '../../admin/tokens/service.ts'
import type { Clock } from '../../lib/clock.ts'
import { failureCode } from '../../lib/failure.ts'
import { isoTime } from '../../lib/format.ts'
import { jobUrlVariable, runChild } from '../jobs/child.ts'
import { createJobs, type JobKind, type JobWork } from '../jobs/jobs.ts'
import { ownProgram } from '../own-program.ts'
import { describeStore, fileOf, isOnServer } from '../store-place.ts'
import type { ConsoleParts } from './parts.ts'

/** Jobs in processes of their own, and backups in a folder. */
export function createMaintenance(
  { config, store, clock }: Pick<ConsoleParts, 'config' | 'store' | 'clock'>,
  prove: TokenParts['prove'],
): MaintenanceService & { stop(): Promise<void> } {
  const place = config().store
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
    if (found) return found
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
    jobs: async () => ({ items: jobs.list() }),
    job: async (id) => requireJob(id),
    async start(who, kind) {
      const job = jobs.start(kind, who.email, await workOf(kind))
      if (job === undefined) {
        const running = kind === 'verify' ? 'A verification' : 'A backup'
        throw new ApiError('in_use', `${running} is under way already: wait for it, or end it.`)
      }
      await note(who, `job.${kind}`, 'database')
      return job
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
      await prove(who, password)
      await note(who, 'backup.download', name)
      const ticket = tickets.issue(name, who.sessionId)
      return { path: `/api/v1/admin/backups/${name}/download/${ticket}` }
    },
    async download({ sessionId }, name, ticket) {
      const { file } = await requireBackup(name)
      if (!tickets.redeem(ticket, name, sessionId)) {
        throw new ApiError('not_found', 'This download was used or has expired: request it again.')
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

const validMs = 60_000

/** Single-use tickets for downloads, each bound to a session. */
function createTickets(clock: Clock) {
  const tickets = new Map<string, { name: string; sessionId: string; until: number }>()
  return {
    issue(name: string, sessionId: string): string {
      for (const [id, { until }] of tickets) if (until < clock()) tickets.delete(id)
      const id = randomBytes(24).toString('base64url')
      tickets.set(id, { name, sessionId, until: clock() + validMs })
      return id
    },
    redeem(id: string, name: string, sessionId: string): boolean {
      const ticket = tickets.get(id)
      if (ticket?.name !== name || ticket.sessionId !== sessionId) return false
      tickets.delete(id)
      return ticket.until >= clock()
    },
  }
}

/** Safe names only, such as `tollgate-20261121-083012.db`. */
const namePattern = /^tollgate-\d{8}-\d{6}(-\d+)?\.db$/

/** The backups beside a database, in `backups/`. */
export function createBackupFolder(database: string) {
  const path = join(dirname(database), 'backups')

  async function find(name: string) {
    if (!namePattern.test(name)) return undefined
    const file = join(path, name)
    const found = await stat(file).catch(missing)
    if (!found?.isFile()) return undefined
    return { name, file, sizeBytes: found.size, createdAt: Math.round(found.mtimeMs) }
  }

  return {
    path,
    find,
    async list() {
      const names = (await readdir(path).catch(missing)) ?? []
      const files = await Promise.all(names.sort().reverse().map(find))
      return files.filter((one) => one !== undefined)
    },
    /** Path for a new backup; creates the folder for its owner only. */
    async next(now: number) {
      await mkdir(path, { recursive: true, mode: 0o700 })
      const time = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
      for (let count = 1; ; count++) {
        const name = `tollgate-${time}${count === 1 ? '' : `-${count}`}.db`
        if ((await find(name)) === undefined) return join(path, name)
      }
    },
    /** False: it was missing. */
    async remove(name: string) {
      const found = await find(name)
      if (found === undefined) return false
      await rm(found.file)
      return true
    },
  }
}

function missing(error: unknown): undefined {
  if (failureCode(error) === 'ENOENT') return undefined
  throw error
}
