import { AppShell, Divider, NavLink, ScrollArea, Text } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useText } from '../lib/language.tsx'
import { shellText } from './shell-text.ts'

type Name = keyof (typeof shellText)['en']

/** The pages in the menu, in their order. */
const mine = [
  ['/', 'overview'],
  ['/tokens', 'tokens'],
  ['/requests', 'requests'],
  ['/balance', 'balance'],
  ['/plaza', 'plaza'],
  ['/playground', 'playground'],
] as const satisfies readonly (readonly [string, Name])[]

const administration = [
  ['/admin', 'adminOverview'],
  ['/admin/channels', 'channels'],
  ['/admin/groups', 'groups'],
  ['/admin/prices', 'prices'],
  ['/admin/accounts', 'accounts'],
  ['/admin/requests', 'allRequests'],
  ['/admin/attempts', 'attempts'],
  ['/admin/availability', 'availability'],
  ['/admin/audit', 'audit'],
  ['/admin/settings', 'settings'],
  ['/admin/nodes', 'nodes'],
  ['/admin/maintenance', 'maintenance'],
] as const satisfies readonly (readonly [string, Name])[]

interface NavigationProps {
  readonly isAdmin: boolean
  readonly statusUrl: string
  readonly onFollow: () => void
}

/** The menu of pages. */
export function Navigation({ isAdmin, statusUrl, onFollow }: NavigationProps) {
  const text = useText(shellText)
  const { pathname } = useLocation()
  const isHere = (path: string) =>
    path === '/' || path === '/admin'
      ? pathname === path
      : pathname === path || pathname.startsWith(`${path}/`)
  const links = (pages: typeof mine | typeof administration) =>
    pages.map(([path, name]) => (
      <NavLink
        key={path}
        component={Link}
        to={path}
        activeOptions={{ exact: path === '/' || path === '/admin' }}
        label={text[name]}
        active={isHere(path)}
        aria-current={isHere(path) ? 'page' : undefined}
        onClick={onFollow}
      />
    ))
  return (
    <AppShell.Section grow component={ScrollArea} type="scroll">
      {links(mine)}
      {isAdmin && (
        <>
          <Text size="xs" c="dimmed" fw={600} mt="md" mb={4} px="sm">
            {text.admin}
          </Text>
          {links(administration)}
        </>
      )}
      <Divider my="sm" />
      <NavLink component="a" href={statusUrl} label={text.status} />
      <NavLink component="a" href="/docs" label={text.docs} />
    </AppShell.Section>
  )
}
