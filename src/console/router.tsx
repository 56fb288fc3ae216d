import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router'
import { Fault, NotFound } from './parts/page.tsx'
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

/** A page below `parent`; its module has it as `Page`. */
const below =
  <Parent extends typeof root | typeof inside>(parent: Parent) =>
  <Path extends string>(path: Path, load: () => Promise<{ Page: () => React.ReactNode }>) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      validateSearch,
      component: lazyRouteComponent(load, 'Page'),
    })

const page = below(inside)
const outside = below(root)

const routes = root.addChildren([
  inside.addChildren([
    page('/', () => import('./pages/overview.tsx')),
    page('/tokens', () => import('./pages/tokens/list.tsx')),
    page('/tokens/$id', () => import('./pages/tokens/page.tsx')),
    page('/requests', () => import('./pages/requests/list.tsx')),
    page('/requests/$id', () => import('./pages/requests/page.tsx')),
    page('/balance', () => import('./pages/balance/page.tsx')),
    page('/plaza', () => import('./pages/plaza/page.tsx')),
    page('/playground', () => import('./pages/playground/page.tsx')),
    page('/profile', () => import('./pages/profile/page.tsx')),
    page('/admin', () => import('./pages/admin-overview/page.tsx')),
    page('/admin/channels', () => import('./pages/channels/list.tsx')),
    page('/admin/channels/$id', () => import('./pages/channels/page.tsx')),
    page('/admin/groups', () => import('./pages/groups/list.tsx')),
    page('/admin/groups/$id', () => import('./pages/groups/page.tsx')),
    page('/admin/prices', () => import('./pages/prices/page.tsx')),
    page('/admin/accounts', () => import('./pages/accounts/list.tsx')),
    page('/admin/accounts/$id', () => import('./pages/accounts/page.tsx')),
    page('/admin/requests', () => import('./pages/requests/list.tsx')),
    page('/admin/requests/$id', () => import('./pages/requests/page.tsx')),
    page('/admin/attempts', () => import('./pages/requests/attempts.tsx')),
    page('/admin/availability', () => import('./pages/availability/page.tsx')),
    page('/admin/audit', () => import('./pages/audit.tsx')),
    page('/admin/settings', () => import('./pages/settings/page.tsx')),
    page('/admin/nodes', () => import('./pages/nodes.tsx')),
    page('/admin/maintenance', () => import('./pages/maintenance/page.tsx')),
  ]),
  outside('/sign-in', () => import('./pages/sign-in.tsx')),
  outside('/sign-up', () =>
    import('./pages/new-account.tsx').then(({ SignUp: Page }) => ({ Page })),
  ),
  outside('/setup', () => import('./pages/new-account.tsx').then(({ SetUp: Page }) => ({ Page }))),
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
