import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, Id, success } from '../envelope.ts'
import * as shapes from './schema.ts'
import type { ChannelService } from './service.ts'

const params = Type.Object({ id: Id() })
const Nothing = Type.Object({})

/** Channels, for administrators. */
export const channelRoutes = (guard: Guard, channels: ChannelService) =>
  new Elysia({ name: 'admin.channels', prefix: '/api/v1/admin' })
    .use(guard('admin'))
    .get('/channels', async ({ query }) => success(await channels.list(query)), {
      query: shapes.ChannelQuery,
      ...forAdmins(shapes.ChannelList, 'Channels, and how they are'),
    })
    .post('/channels', async ({ who, body }) => success(await channels.create(who, body)), {
      body: shapes.NewChannel,
      ...forAdmins(shapes.Channel, 'Make a channel'),
    })
    .get('/channels/:id', async ({ params }) => success(await channels.get(params.id)), {
      params,
      ...forAdmins(shapes.Channel, 'A channel'),
    })
    .patch(
      '/channels/:id',
      async ({ who, params, body }) => success(await channels.change(who, params.id, body)),
      forAdmins(shapes.Channel, 'Change what is named of a channel', {
        params,
        body: shapes.ChannelChange,
      }),
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
        ...forAdmins(Nothing, 'Remove a channel; its records are kept'),
      },
    )
    .post(
      '/channels/:id/recover',
      async ({ who, params }) => success(await channels.recover(who, params.id)),
      forAdmins(shapes.Channel, 'End all cooling of a channel', { params }),
    )
    .post(
      '/channels/:id/test',
      async ({ params, body }) => success(await channels.test(params.id, body)),
      forAdmins(shapes.Tested, 'Ask the upstream of a channel once', {
        params,
        body: shapes.TestAsked,
      }),
    )
    .post('/channel-test', async ({ body }) => success(await channels.testNew(body)), {
      body: shapes.NewChannelTest,
      ...forAdmins(shapes.Tested, 'Ask the upstream of a channel that is not made yet'),
    })
    .post('/channel-models', async ({ body }) => success(await channels.listModels(body)), {
      body: shapes.ModelsAsked,
      ...forAdmins(shapes.ModelsListed, 'Ask the upstream of a new channel for its list of models'),
    })
