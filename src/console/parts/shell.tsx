import {
  Anchor,
  AppShell,
  Burger,
  Button,
  Center,
  Container,
  Divider,
  Group,
  Loader,
  Menu,
  NavLink,
  ScrollArea,
  Text,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { api, CallFailed, call, useMe } from '../lib/api.ts'
import { useText } from '../lib/language.ts'
import { forgetTyped, leaving } from '../lib/unsaved.ts'
import { LookMenu } from './outside.tsx'
import { ErrorNotice } from './page.tsx'
import { shellText } from './shell-text.ts'
import { SmallHint } from './text.tsx'
import { mayLeave, UnsavedGuard } from './unsaved.tsx'

/** The frame around the pages of who is signed in; anybody else is sent to sign in. */
export function Shell() {
  const text = useText(shellText)
  const [isOpen, { toggle, close }] = useDisclosure()
  const me = useMe()
  if (me.error instanceof CallFailed && me.error.status === 401) {
    return <ToSignIn />
  }
  const notice = me.error && <ErrorNotice error={me.error} retry={() => void me.refetch()} />
  if (!me.data) return notice ?? <Waiting />
  const { role, site } = me.data
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <Anchor href="#content" className="skip">
        {text.skip}
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? text.closeMenu : text.menu}
            />
            <Text
              fw={700}
              truncate
              c="inherit"
              td="none"
              renderRoot={(props) => <Link to="/" {...props} />}
            >
              {site.name}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LookMenu />
            <AccountMenu email={me.data.email} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <Navigation isAdmin={role === 'admin'} statusUrl={site.status_url} onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Container size="xl" px={0}>
          <UnsavedGuard />
          {notice}
          <Outlet />
        </Container>
      </AppShell.Main>
    </AppShell>
  )
}

/** Leads back here afterwards. Once: as an element that navigates it would do so at each render. */
function ToSignIn() {
  const router = useRouter()
  useEffect(() => {
    const next = router.state.location.href
    void router.navigate({ to: '/sign-in', search: { next }, replace: true })
  }, [router])
  return <Waiting />
}

const Waiting = () => (
  <Center mih="60vh">
    <Loader />
  </Center>
)

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

function Navigation({ isAdmin, statusUrl, onFollow }: NavigationProps) {
  const text = useText(shellText)
  const { pathname } = useLocation()
  const isAlone = (path: string) => path === '/' || path === '/admin'
  const isHere = (path: string) =>
    pathname === path || (!isAlone(path) && pathname.startsWith(`${path}/`))
  const links = (pages: typeof mine | typeof administration) =>
    pages.map(([path, name]) => (
      <NavLink
        key={path}
        component={Link}
        to={path}
        activeOptions={{ exact: isAlone(path) }}
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
          <SmallHint fw={600} mt="md" mb={4} px="sm">
            {text.admin}
          </SmallHint>
          {links(administration)}
        </>
      )}
      <Divider my="sm" />
      <NavLink component="a" href={statusUrl} label={text.status} />
      <NavLink component="a" href="/docs" label={text.docs} />
    </AppShell.Section>
  )
}

function AccountMenu({ email }: { readonly email: string }) {
  const text = useText(shellText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const signOut = async () => {
    if (!(await mayLeave())) return
    await leaving(async () => {
      await call(api.auth['sign-out'].post())
      await navigate({ to: '/sign-in' })
    })
    forgetTyped()
    // Nothing of the one may be seen by the next.
    queries.clear()
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="compact-sm"
          maw={220}
          aria-label={`${email} · ${text.account}`}
        >
          {email.split('@')[0]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="cut">{email}</Menu.Label>
        <Menu.Item component={Link} to="/profile">
          {text.profile}
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>{text.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
