import { Anchor, AppShell, Burger, Center, Container, Group, Loader, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { CallFailed } from '../lib/api.ts'
import { useText } from '../lib/language.tsx'
import { useMe } from '../lib/use-me.ts'
import { AccountMenu } from './account-menu.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { LookMenu } from './look-menu.tsx'
import { Navigation } from './navigation.tsx'
import { shellText } from './shell-text.ts'

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
