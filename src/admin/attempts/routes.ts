import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { AttemptList, AttemptsQuery } from './schema.ts'
import type { AttemptService } from './service.ts'

/** Attempts of all requests. */
export const attemptRoutes = (guard: Guard, attempts: AttemptService) =>
  new Elysia({ name: 'admin.attempts', prefix: '/api/v1/admin/attempts' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await attempts.list(query)), {
      query: AttemptsQuery,
      response: { 200: Answer(AttemptList) },
      detail: { tags: ['Administration'], summary: 'Attempts at channels, newest first' },
    })
