import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { lazyPage, type PageModule } from './lib/lazy-page.tsx'
import { Fault, NotFound } from './parts/page.tsx'
import { Shell } from './parts/shell.tsx'

/** All pages share the frame with the menu, the not-found page included. */
const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const inside = createRoute({ getParentRoute: () => root, id: 'inside' })

type Search = { readonly [name: string]: string | number | undefined }

/** A page keeps what it filters by in its address, so that a view can be linked to. */
const validateSearch = (search: Record<string, unknown>): Search => {
  const kept = Object.entries(search).filter(([, value]) =>
    ['string', 'number'].includes(typeof value),
  )
  return Object.fromEntries(kept) as Search
}

/** A page of the console; its module has it as `Page`. */
// Generic over its parent: so links may also be made with a template, `/tokens/${id}`.
const below =
  <Parent extends typeof root | typeof inside>(parent: Parent) =>
  <Path extends string>(path: Path, load: () => Promise<PageModule>) =>
    createRoute({ getParentRoute: () => parent, path, validateSearch, component: lazyPage(load) })

const page = below(inside)

/** All parts on one page, for whoever changes them. The program has none of it; no link leads there. */
const inDevelopment = (
  process.env.TOLLGATE_PARTS === 'true' ? [page('/_parts', () => import('./pages/parts.tsx'))] : []
) as []

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
    page('/admin/start', () => import('./pages/start/page.tsx')),
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
    ...inDevelopment,
  ]),
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
