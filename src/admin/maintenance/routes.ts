import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forAdmins, success } from '../envelope.ts'
import { Proof } from '../shapes.ts'
import { BackupList, DownloadTicket, JobList, JobView, NewJob } from './schema.ts'

/** Jobs and backups. Refusals are thrown as `ApiError`. */
export interface MaintenanceService {
  jobs(): Promise<Static<typeof JobList>>
  job(id: string): Promise<JobView>
  start(who: SignedIn, kind: JobView['kind']): Promise<JobView>
  cancel(id: string): Promise<JobView>
  backups(): Promise<Static<typeof BackupList>>
  /** Issues a ticket for one download, to a user who proves their identity. */
  allowDownload(
    who: SignedIn,
    name: string,
    password: string | null,
  ): Promise<Static<typeof DownloadTicket>>
  download(who: SignedIn, name: string, ticket: string): Promise<Response>
  removeBackup(who: SignedIn, name: string): Promise<void>
}

const byId = Type.Object({ id: Type.String({ maxLength: 100 }) })
const byName = Type.Object({ name: Type.String({ maxLength: 100 }) })
const byTicket = Type.Object({ ...byName.properties, ticket: Type.String({ maxLength: 100 }) })

/** Jobs and backups, for administrators. */
export const maintenanceRoutes = (guard: Guard, maintenance: MaintenanceService) =>
  new Elysia({ name: 'admin.maintenance', prefix: '/api/v1/admin' })
    .use(guard('admin'))
    .get('/jobs', async () => success(await maintenance.jobs()), {
      ...forAdmins(JobList, 'Jobs since the start, newest first'),
    })
    .post('/jobs', async ({ who, body }) => success(await maintenance.start(who, body.kind)), {
      body: NewJob,
      ...forAdmins(JobView, 'Begin to verify the records, or to back them up'),
    })
    .get('/jobs/:id', async ({ params }) => success(await maintenance.job(params.id)), {
      params: byId,
      ...forAdmins(JobView, 'How far a job is'),
    })
    .delete('/jobs/:id', async ({ params }) => success(await maintenance.cancel(params.id)), {
      params: byId,
      ...forAdmins(JobView, 'End a job that runs'),
    })
    .get('/backups', async () => success(await maintenance.backups()), {
      ...forAdmins(BackupList, 'Backups beside the database, newest first'),
    })
    .post(
      '/backups/:name/download',
      async ({ who, params, body }) =>
        success(await maintenance.allowDownload(who, params.name, body.password)),
      forAdmins(
        DownloadTicket,
        'Where a backup can be downloaded; needs the password, if there is one',
        { params: byName, body: Proof },
      ),
    )
    .get(
      '/backups/:name/download/:ticket',
      ({ who, params }) => maintenance.download(who, params.name, params.ticket),
      {
        params: byTicket,
        detail: {
          ...{ tags: ['Administration'], summary: 'A backup' },
          responses: { 200: { description: 'A backup' } },
        },
      },
    )
    .delete(
      '/backups/:name',
      async ({ who, params }) => {
        await maintenance.removeBackup(who, params.name)
        return success(null)
      },
      forAdmins(Type.Null(), 'Remove a backup', { params: byName }),
    )
