import IconActivity from '@tabler/icons-react/icons/IconActivity'
import IconArrowsSplit from '@tabler/icons-react/icons/IconArrowsSplit'
import IconBook2 from '@tabler/icons-react/icons/IconBook2'
import IconCube from '@tabler/icons-react/icons/IconCube'
import IconCurrencyDollar from '@tabler/icons-react/icons/IconCurrencyDollar'
import IconFileSearch from '@tabler/icons-react/icons/IconFileSearch'
import IconGauge from '@tabler/icons-react/icons/IconGauge'
import IconHeartbeat from '@tabler/icons-react/icons/IconHeartbeat'
import IconHistory from '@tabler/icons-react/icons/IconHistory'
import IconKey from '@tabler/icons-react/icons/IconKey'
import IconLayoutDashboard from '@tabler/icons-react/icons/IconLayoutDashboard'
import IconListDetails from '@tabler/icons-react/icons/IconListDetails'
import IconMessageCircle from '@tabler/icons-react/icons/IconMessageCircle'
import IconPlug from '@tabler/icons-react/icons/IconPlug'
import IconServer from '@tabler/icons-react/icons/IconServer'
import IconSettings from '@tabler/icons-react/icons/IconSettings'
import IconStack2 from '@tabler/icons-react/icons/IconStack2'
import IconTool from '@tabler/icons-react/icons/IconTool'
import IconUsers from '@tabler/icons-react/icons/IconUsers'
import IconWallet from '@tabler/icons-react/icons/IconWallet'
import type { ComponentType } from 'react'
import type { shellText } from './shell-text.ts'

type Words = (typeof shellText)['en']
/** A word that is a text. */
type Name = { [K in keyof Words]: Words[K] extends string ? K : never }[keyof Words] & string
type Icon = ComponentType<{ size?: number; stroke?: number }>

/** A place that the menu leads to. */
export interface Place {
  /** A path of the console; an address with `isSite`. */
  readonly to: string
  readonly name: Name
  readonly icon: Icon
  /** Outside the console: the browser leaves it. */
  readonly isSite?: boolean
}

export interface MenuGroup {
  readonly title: Name
  readonly places: readonly Place[]
}

const own: readonly MenuGroup[] = [
  {
    title: 'use',
    places: [
      { to: '/', name: 'overview', icon: IconLayoutDashboard },
      { to: '/tokens', name: 'tokens', icon: IconKey },
      { to: '/requests', name: 'requests', icon: IconListDetails },
      { to: '/balance', name: 'balance', icon: IconWallet },
    ],
  },
]

const explore = (statusUrl: string): MenuGroup => ({
  title: 'explore',
  places: [
    { to: '/plaza', name: 'plaza', icon: IconCube },
    { to: '/playground', name: 'playground', icon: IconMessageCircle },
    { to: statusUrl, name: 'status', icon: IconHeartbeat, isSite: true },
    { to: '/docs', name: 'docs', icon: IconBook2, isSite: true },
  ],
})

const administration: readonly MenuGroup[] = [
  {
    title: 'administer',
    places: [
      { to: '/admin', name: 'adminOverview', icon: IconGauge },
      { to: '/admin/channels', name: 'channels', icon: IconPlug },
      { to: '/admin/groups', name: 'groups', icon: IconStack2 },
      { to: '/admin/prices', name: 'prices', icon: IconCurrencyDollar },
      { to: '/admin/accounts', name: 'accounts', icon: IconUsers },
    ],
  },
  {
    title: 'watch',
    places: [
      { to: '/admin/requests', name: 'allRequests', icon: IconFileSearch },
      { to: '/admin/attempts', name: 'attempts', icon: IconArrowsSplit },
      { to: '/admin/availability', name: 'availability', icon: IconActivity },
      { to: '/admin/audit', name: 'audit', icon: IconHistory },
    ],
  },
  {
    title: 'system',
    places: [
      { to: '/admin/settings', name: 'settings', icon: IconSettings },
      { to: '/admin/nodes', name: 'nodes', icon: IconServer },
      { to: '/admin/maintenance', name: 'maintenance', icon: IconTool },
    ],
  },
]

/** The menu of a role, in the order in which it is shown. */
export const menuOf = (isAdmin: boolean, statusUrl: string): readonly MenuGroup[] => [
  ...own,
  explore(statusUrl),
  ...(isAdmin ? administration : []),
]

/** Overviews: pages below their path are others. */
const isAlone = (path: string) => path === '/' || path === '/admin'

/** Whether a page of the console belongs to a place of the menu. */
export const isAt = (pathname: string, to: string): boolean =>
  pathname === to || (!isAlone(to) && pathname.startsWith(`${to}/`))
