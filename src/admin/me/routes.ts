import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forUsers, success } from '../envelope.ts'
import { Me } from './schema.ts'

export interface MeService {
  describe(who: SignedIn): Promise<Me>
}

/** The signed-in user. */
export const meRoutes = (guard: Guard, me: MeService) =>
  new Elysia({ name: 'admin.me', prefix: '/api/v1/me' })
    .use(guard('user'))
    .get('', async ({ who }) => success(await me.describe(who)), {
      ...forUsers(Me, 'Who is signed in'),
    })
