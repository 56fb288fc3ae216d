import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type Member, mayUse } from '../../store/ports/group-access.ts'
import type { Guard } from '../access.ts'
import { forUsers, success } from '../envelope.ts'
import { type GroupViews, OpenGroup } from './views.ts'

export const OpenGroups = Type.Object({ items: Type.Array(OpenGroup) })
export type OpenGroups = Static<typeof OpenGroups>

/** Pages of groups that an account may use and that are not public, as JSON text. */
export interface OwnPages {
  readonly plazaFor: (account: Member) => Promise<string>
  /** `group`: only this group, with all its models. */
  readonly statusFor: (account: Member, group: string | undefined) => Promise<string>
}

/** Those that an account may use. */
const seenBy = (views: Awaited<ReturnType<GroupViews>>, account: Member): OpenGroups => ({
  items: views.filter(({ group }) => mayUse(group.accounts, account)).map(({ view }) => view),
})

const json = (text: string) =>
  new Response(text, { headers: { 'content-type': 'application/json' } })

/** Groups that the user's tokens can belong to, with prices and status that are not public. */
export const openGroupRoutes = (
  guard: Guard,
  views: GroupViews,
  { plazaFor, statusFor }: OwnPages,
) =>
  new Elysia({ name: 'admin.open-groups', prefix: '/api/v1/groups' })
    .use(guard('user'))
    .get('', async ({ who }) => success(seenBy(await views(), who)), {
      ...forUsers(OpenGroups, 'Groups that a token can belong to'),
    })
    .get('/plaza', async ({ who }) => json(await plazaFor(who)), {
      detail: {
        tags: ['Console'],
        summary: 'Prices of groups for own use that the public model plaza does not show',
      },
    })
    .get('/status', async ({ who, query }) => json(await statusFor(who, query.group)), {
      query: Type.Object({ group: Type.Optional(Type.String({ maxLength: 200 })) }),
      detail: {
        tags: ['Console'],
        summary: 'Status of groups for own use that the public status does not show',
      },
    })
