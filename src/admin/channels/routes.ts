import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, Id, ListOf, PageQuery, success } from '../envelope.ts'
import {
  Channel,
  ChannelChange,
  ChannelItem,
  NewChannel,
  NewChannelTest,
  TestAsked,
  Tested,
} from './schema.ts'
import type { ChannelService } from './service.ts'

const params = Type.Object({ id: Id() })
const Nothing = Type.Object({})
const detail = (summary: string) => ({ tags: ['Administration'], summary })

/** Channels, for administrators. HTTP only: every decision is the service's. */
export const channelRoutes = (guard: Guard, channels: ChannelService) =>
  new Elysia({ name: 'admin.channels', prefix: '/api/v1/admin' })
    .use(guard('admin'))
    .get('/channels', async ({ query }) => success(await channels.list(query)), {
      query: PageQuery,
      response: { 200: Answer(ListOf(ChannelItem)) },
      detail: detail('Channels, and how they are'),
    })
    .post('/channels', async ({ who, body }) => success(await channels.create(who, body)), {
      body: NewChannel,
      response: { 200: Answer(Channel) },
      detail: detail('Make a channel'),
    })
    .get('/channels/:id', async ({ params }) => success(await channels.get(params.id)), {
      params,
      response: { 200: Answer(Channel) },
      detail: detail('A channel'),
    })
    .patch(
      '/channels/:id',
      async ({ who, params, body }) => success(await channels.change(who, params.id, body)),
      {
        params,
        body: ChannelChange,
        response: { 200: Answer(Channel) },
        detail: detail('Change what is named of a channel'),
      },
    )
    .delete(
      '/channels/:id',
      async ({ who, params, query }) => {
        await channels.remove(who, params.id, query)
        return success({})
      },
      {
        params,
        query: Type.Object({
          take_out_of_groups: Type.Optional(t.Boolean()),
          revision: Type.Optional(Type.String()),
        }),
        response: { 200: Answer(Nothing) },
        detail: detail('Remove a channel; its records are kept'),
      },
    )
    .post(
      '/channels/:id/recover',
      async ({ who, params }) => success(await channels.recover(who, params.id)),
      {
        params,
        response: { 200: Answer(Channel) },
        detail: detail('End all cooling of a channel'),
      },
    )
    .post(
      '/channels/:id/test',
      async ({ params, body }) => success(await channels.test(params.id, body)),
      {
        params,
        body: TestAsked,
        response: { 200: Answer(Tested) },
        detail: detail('Ask the upstream of a channel once'),
      },
    )
    .post('/channel-test', async ({ body }) => success(await channels.testNew(body)), {
      body: NewChannelTest,
      response: { 200: Answer(Tested) },
      detail: detail('Ask the upstream of a channel that is not made yet'),
    })
