import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forUsers, success } from '../envelope.ts'
import { orNull, Role } from '../shapes.ts'

/** The signed-in user, and what the console needs of the site. */
export const Me = Type.Object({
  email: Type.String(),
  role: Role,
  has_password: Type.Boolean(),
  balance: Type.String({ description: 'USD, exact.' }),
  reserved: Type.String({ description: 'USD: reserved for requests under way.' }),
  credit_limit: Type.String({ description: 'USD: how far below zero the balance may go.' }),
  balance_low_below: Type.String({ description: 'USD: below this the balance counts as low.' }),
  site: Type.Object({
    name: Type.String(),
    version: Type.String(),
    base_url: orNull(Type.String()),
    overseas_base_url: orNull(Type.String()),
    price_feed_url: Type.String(),
    status_url: Type.String(),
  }),
})
export type Me = Static<typeof Me>

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
