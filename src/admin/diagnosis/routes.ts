import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, forUsers, success } from '../envelope.ts'
import { Diagnosis } from './schema.ts'
import type { DiagnosisService } from './service.ts'

const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) })

/** Diagnosis of the user's own requests. */
export const diagnosisRoutes = (guard: Guard, diagnosis: DiagnosisService) =>
  new Elysia({ name: 'admin.diagnosis', prefix: '/api/v1/requests/:id/diagnosis' })
    .use(guard('user'))
    .get('', async ({ who, params }) => success(await diagnosis(who, params.id)), {
      params,
      ...forUsers(Diagnosis, 'Why an own request failed, step by step'),
    })

/** Diagnosis of any request, for administrators. */
export const anyDiagnosisRoutes = (guard: Guard, diagnosis: DiagnosisService) =>
  new Elysia({ name: 'admin.any-diagnosis', prefix: '/api/v1/admin/requests/:id/diagnosis' })
    .use(guard('admin'))
    .get('', async ({ params }) => success(await diagnosis('all', params.id)), {
      params,
      ...forAdmins(Diagnosis, 'Why any request failed, step by step'),
    })
