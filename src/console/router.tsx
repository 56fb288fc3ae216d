import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router'
import { Fault } from './parts/fault.tsx'
import { NotFound } from './parts/not-found.tsx'
import { Shell } from './parts/shell.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

/** Pages for who is signed in, in the frame with the menu. */
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Shell })

type Search = { readonly [name: string]: string | number | undefined }

/** A page keeps what it filters by in its address, so that a view can be linked to. */
const validateSearch = (search: Record<string, unknown>): Search => {
  const kept = Object.entries(search).filter(([, value]) =>
    ['string', 'number'].includes(typeof value),
  )
  return Object.fromEntries(kept) as Search
}

const page = <Path extends string>(
  path: Path,
  load: () => Promise<{ Page: () => React.ReactNode }>,
) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch,
    component: lazyRouteComponent(load, 'Page'),
  })

const outside = <Path extends string>(
  path: Path,
  load: () => Promise<{ Page: () => React.ReactNode }>,
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch,
    component: lazyRouteComponent(load, 'Page'),
  })

const routes = root.addChildren([
  inside.addChildren([
    page('/', () => import('./pages/overview/page.tsx')),
    page('/tokens', () => import('./pages/tokens/page.tsx')),
    page('/tokens/$id', () => import('./pages/token/page.tsx')),
    page('/requests', () => import('./pages/requests/page.tsx')),
    page('/requests/$id', () => import('./pages/request/page.tsx')),
    page('/balance', () => import('./pages/balance/page.tsx')),
    page('/plaza', () => import('./pages/plaza/page.tsx')),
    page('/playground', () => import('./pages/playground/page.tsx')),
    page('/profile', () => import('./pages/profile/page.tsx')),
    page('/admin', () => import('./pages/admin-overview/page.tsx')),
    page('/admin/channels', () => import('./pages/channels/page.tsx')),
    page('/admin/channels/$id', () => import('./pages/channel/page.tsx')),
    page('/admin/groups', () => import('./pages/groups/page.tsx')),
    page('/admin/groups/$id', () => import('./pages/group/page.tsx')),
    page('/admin/prices', () => import('./pages/prices/page.tsx')),
    page('/admin/accounts', () => import('./pages/accounts/page.tsx')),
    page('/admin/accounts/$id', () => import('./pages/account/page.tsx')),
    page('/admin/requests', () => import('./pages/all-requests/page.tsx')),
    page('/admin/requests/$id', () => import('./pages/request/page.tsx')),
    page('/admin/attempts', () => import('./pages/attempts/page.tsx')),
    page('/admin/availability', () => import('./pages/availability/page.tsx')),
    page('/admin/audit', () => import('./pages/audit/page.tsx')),
    page('/admin/settings', () => import('./pages/settings/page.tsx')),
    page('/admin/nodes', () => import('./pages/nodes/page.tsx')),
    page('/admin/maintenance', () => import('./pages/maintenance/page.tsx')),
  ]),
  outside('/sign-in', () => import('./pages/sign-in/page.tsx')),
  outside('/sign-up', () => import('./pages/sign-up/page.tsx')),
  outside('/setup', () => import('./pages/setup/page.tsx')),
])

/** The console's addresses, all below `/console`. */
export const createConsoleRouter = () =>
  createRouter({
    routeTree: routes,
    basepath: '/console',
    defaultPreload: 'intent',
    defaultErrorComponent: Fault,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
