import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, forUsers, success } from '../envelope.ts'
import * as shapes from './schema.ts'
import type { OverviewService } from './service.ts'

const usualDays = 30

/** The user's own usage. */
export const overviewRoutes = (guard: Guard, overview: OverviewService) =>
  new Elysia({ name: 'admin.overview', prefix: '/api/v1/overview' })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await overview.own(who, query.days ?? usualDays)), {
      query: shapes.DaysQuery,
      ...forUsers(shapes.Overview, 'Your balance, and what you used by day and model'),
    })
    .get('/usage', async ({ who, query }) => success(await overview.chart(query, who.accountId)), {
      query: shapes.OwnChartQuery,
      ...forUsers(shapes.UsageChart, 'What you used, for charts'),
    })

/** Usage of all accounts, and the state of the gateway. */
export const gatewayOverviewRoutes = (guard: Guard, overview: OverviewService) =>
  new Elysia({ name: 'admin.gateway-overview', prefix: '/api/v1/admin/overview' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await overview.gateway(query.days ?? usualDays)), {
      query: shapes.DaysQuery,
      ...forAdmins(shapes.GatewayOverview, 'How the gateway is, and what was used'),
    })
    .get('/usage', async ({ query }) => success(await overview.chart(query)), {
      query: shapes.ChartQuery,
      ...forAdmins(shapes.UsageChart, 'What all have used, for charts'),
    })
