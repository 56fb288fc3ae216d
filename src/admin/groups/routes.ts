import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, Id, ListOf, success } from '../envelope.ts'
import {
  GroupChange,
  GroupItem,
  GroupQuery,
  GroupView,
  MultiplierEffect,
  NewGroup,
} from './schema.ts'
import type { GroupService } from './service.ts'

const params = Type.Object({ id: Id() })

/** Groups, for administrators. */
export const groupRoutes = (guard: Guard, groups: GroupService) =>
  new Elysia({ name: 'admin.groups', prefix: '/api/v1/admin/groups' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await groups.list(query)), {
      query: GroupQuery,
      ...forAdmins(ListOf(GroupItem), 'Groups, and what they offer'),
    })
    .post('', async ({ who, body }) => success(await groups.create(who, body)), {
      body: NewGroup,
      ...forAdmins(GroupView, 'Make a group'),
    })
    .get('/:id', async ({ params }) => success(await groups.get(params.id)), {
      params,
      ...forAdmins(GroupView, 'A group'),
    })
    .patch(
      '/:id',
      async ({ who, params, body }) => success(await groups.change(who, params.id, body)),
      forAdmins(GroupView, 'Change what is named of a group', { params, body: GroupChange }),
    )
    .delete(
      '/:id',
      async ({ who, params, query }) => success(await groups.remove(who, params.id, query)),
      {
        params,
        query: Type.Object({
          move_tokens_to: Type.Optional(Id()),
          revision: Type.Optional(Type.String()),
        }),
        ...forAdmins(
          Type.Object({ moved_tokens: Type.Integer() }),
          'Remove a group; its tokens go to another one',
        ),
      },
    )
    .get(
      '/:id/multiplier-effect',
      async ({ params, query }) => success(await groups.effect(params.id, query.rate_multiplier)),
      {
        params,
        query: Type.Object({ rate_multiplier: Type.String({ maxLength: 40 }) }),
        ...forAdmins(MultiplierEffect, 'What another multiplier would do to the prices of a group'),
      },
    )
