import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'

/** The present state as a tollgate.yaml, without secrets, until whoever takes it leaves. */
export type ConfigExport = (signal: AbortSignal) => Promise<Response>

const description = 'The present state as a tollgate.yaml, without secrets'

export const configExportRoutes = (guard: Guard, exportConfig: ConfigExport) =>
  new Elysia({ name: 'admin.config-export', prefix: '/api/v1/admin' })
    .use(guard('admin'))
    .get('/config.yaml', ({ request }) => exportConfig(request.signal), {
      detail: {
        ...{ tags: ['Administration'], summary: description },
        responses: { 200: { description } },
      },
    })
