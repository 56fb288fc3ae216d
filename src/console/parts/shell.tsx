import { ActionIcon, Anchor, Center, Kbd, Loader } from '@mantine/core'
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks'
import IconLayoutSidebarLeftCollapse from '@tabler/icons-react/icons/IconLayoutSidebarLeftCollapse'
import IconLayoutSidebarLeftExpand from '@tabler/icons-react/icons/IconLayoutSidebarLeftExpand'
import IconMenu2 from '@tabler/icons-react/icons/IconMenu2'
import IconSearch from '@tabler/icons-react/icons/IconSearch'
import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import type { Me } from '../../admin/me/routes.ts'
import { CallFailed, useMe } from '../lib/api.ts'
import { useText } from '../lib/language.ts'
import { AccountMenu } from './account-menu.tsx'
import { attempt, opensDialog, useDialog } from './action.tsx'
import { keepFocus } from './keep-focus.ts'
import { Logo } from './logo.tsx'
import { LookMenu } from './look-menu.tsx'
import { LostPage } from './lost-page.tsx'
import { type MenuGroup, menuOf } from './menu.ts'
import { Navigation } from './navigation.tsx'
import { loadCode } from './on-demand.ts'
import { ErrorNotice } from './page.tsx'
import type { PaletteProps } from './palette.tsx'
import { shellText } from './shell-text.ts'
import { UnsavedGuard } from './unsaved.tsx'

/** The frame around the pages of who is signed in; anybody else is sent to sign in. */
export function Shell() {
  const me = useMe()
  if (me.error instanceof CallFailed && me.error.status === 401) {
    return <ToSignIn isEnded={me.data !== undefined} />
  }
  const notice = me.error && <ErrorNotice error={me.error} retry={() => void me.refetch()} />
  if (!me.data) return notice ?? <Waiting />
  return <Frame me={me.data} notice={notice} />
}

interface FrameProps {
  readonly me: Me
  readonly notice: ReactNode
}

function Frame({ me, notice }: FrameProps) {
  const text = useText(shellText)
  const groups = menuOf(me.role === 'admin', me.site.status_url)
  useEffect(keepFocus, [])
  return (
    <div className="frame">
      <Anchor href="#content" className="skip">
        {text.skip}
      </Anchor>
      <header>
        <PhoneMenu groups={groups} />
        <Link to="/" className="brand">
          <Logo sizePx={24} />
          <span>{me.site.name}</span>
        </Link>
        <PaletteButton groups={groups} isAdmin={me.role === 'admin'} />
        <LookMenu />
        <AccountMenu {...me} />
      </header>
      <SideMenu groups={groups} />
      <main id="content" tabIndex={-1}>
        {notice}
        <UnsavedGuard />
        <LostPage />
        <Outlet />
      </main>
    </div>
  )
}

/** Where the menu's width is kept on this browser. */
const widthKey = 'tollgate-menu'

function SideMenu({ groups }: { readonly groups: readonly MenuGroup[] }) {
  const text = useText(shellText)
  const [width, setWidth] = useLocalStorage<'wide' | 'small'>({
    ...{ key: widthKey, defaultValue: 'wide', getInitialValueInEffect: false },
  })
  const isSmall = width === 'small'
  const Icon = isSmall ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse
  const label = isSmall ? text.expand : text.collapse
  return (
    <nav className="side" data-small={isSmall || undefined} aria-label={text.menu}>
      <div className="side-places">
        <Navigation groups={groups} isSmall={isSmall} />
      </div>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        title={label}
        aria-expanded={!isSmall}
        onClick={() => setWidth(isSmall ? 'wide' : 'small')}
      >
        <Icon size={18} stroke={1.75} />
      </ActionIcon>
    </nav>
  )
}

/** The menu of a narrow window, in a drawer. */
function PhoneMenu({ groups }: { readonly groups: readonly MenuGroup[] }) {
  const text = useText(shellText)
  const { isOpen, loaded, open, close } = useDialog()
  return (
    <>
      <ActionIcon
        className="phone"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={text.menu}
        {...opensDialog}
        onClick={open}
      >
        <IconMenu2 size={20} stroke={1.75} />
      </ActionIcon>
      {loaded && (
        <loaded.Drawer opened={isOpen} onClose={close} size={280} title={text.menu} padding="sm">
          <nav aria-label={text.menu}>
            <Navigation groups={groups} onFollow={close} />
          </nav>
        </loaded.Drawer>
      )}
    </>
  )
}

/** How the key before K is called on this machine. */
const modifier = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'

interface PaletteButtonProps {
  readonly groups: readonly MenuGroup[]
  readonly isAdmin: boolean
}

/** Opens the search that goes anywhere, which is loaded when it is first wanted. */
function PaletteButton({ groups, isAdmin }: PaletteButtonProps) {
  const text = useText(shellText)
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>()
  const [isOpen, { open, close }] = useDisclosure()
  const show = async () => {
    open()
    if (Palette) return
    const isLoaded = await attempt(async () => {
      const loaded = await loadCode(() => import('./palette.tsx'))
      setPalette(() => loaded.Palette)
    })
    if (!isLoaded) close()
  }
  useHotkeys([['mod+K', () => void show()]], [])
  return (
    <>
      <button type="button" className="find" {...opensDialog} onClick={() => void show()}>
        <IconSearch size={16} stroke={1.75} />
        <span>{text.find}</span>
        <Kbd size="xs" lang="en">
          {modifier} K
        </Kbd>
      </button>
      {Palette && <Palette {...{ groups, isAdmin, isOpen, close }} />}
    </>
  )
}

interface ToSignInProps {
  /** Whether somebody was signed in until now. */
  readonly isEnded: boolean
}

/** To the page of signing in, which says why, and leads back here. */
function ToSignIn({ isEnded }: ToSignInProps) {
  const router = useRouter()
  useEffect(() => {
    const next = router.state.location.href
    const query = new URLSearchParams({ next, ...(isEnded && { ended: '1' }) })
    location.replace(`/console/sign-in?${query}`)
  }, [router, isEnded])
  return <Waiting />
}

const Waiting = () => (
  <Center mih="60vh">
    <Loader />
  </Center>
)
