import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { Diagnosis } from './schema.ts'
import type { DiagnosisService } from './service.ts'

const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) })
const answers = { params: ById, response: { 200: Answer(Diagnosis) } }

/** Why an own request failed. */
export const diagnosisRoutes = (guard: Guard, diagnosis: DiagnosisService) =>
  new Elysia({ name: 'admin.diagnosis', prefix: '/api/v1/requests/:id/diagnosis' })
    .use(guard('user'))
    .get('', async ({ who, params }) => success(await diagnosis.own(who, params.id)), {
      ...answers,
      detail: { tags: ['Console'], summary: 'Why an own request failed, step by step' },
    })

/** Why any request failed. */
export const anyDiagnosisRoutes = (guard: Guard, diagnosis: DiagnosisService) =>
  new Elysia({ name: 'admin.any-diagnosis', prefix: '/api/v1/admin/requests/:id/diagnosis' })
    .use(guard('admin'))
    .get('', async ({ params }) => success(await diagnosis.any(params.id)), {
      ...answers,
      detail: { tags: ['Administration'], summary: 'Why any request failed, step by step' },
    })
