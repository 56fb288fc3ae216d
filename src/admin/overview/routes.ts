import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, forUsers, success } from '../envelope.ts'
import { DaysQuery, GatewayOverview, Overview } from './schema.ts'
import type { OverviewService } from './service.ts'

const usualDays = 30

/** The user's own usage. */
export const overviewRoutes = (guard: Guard, overview: OverviewService) =>
  new Elysia({ name: 'admin.overview', prefix: '/api/v1/overview' })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await overview.own(who, query.days ?? usualDays)), {
      query: DaysQuery,
      ...forUsers(Overview, 'Your balance, and what you used by day and model'),
    })

/** Usage of all accounts, and the state of the gateway. */
export const gatewayOverviewRoutes = (guard: Guard, overview: OverviewService) =>
  new Elysia({ name: 'admin.gateway-overview', prefix: '/api/v1/admin/overview' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await overview.gateway(query.days ?? usualDays)), {
      query: DaysQuery,
      ...forAdmins(GatewayOverview, 'How the gateway is, and what was used'),
    })
