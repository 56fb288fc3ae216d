import { Link, useLocation } from '@tanstack/react-router'
import { useId } from 'react'
import { useText } from '../lib/language.ts'
import { isAt, type MenuGroup, type Place } from './menu.ts'
import { shellText } from './shell-text.ts'

interface NavigationProps {
  readonly groups: readonly MenuGroup[]
  /** Icons alone: each says on hover what it is. */
  readonly isSmall?: boolean
  readonly onFollow?: () => void
}

/** The places of the console, in groups. */
export function Navigation({ groups, isSmall = false, onFollow }: NavigationProps) {
  return groups.map((group) => <Group key={group.title} {...{ group, isSmall, onFollow }} />)
}

interface GroupProps extends Pick<NavigationProps, 'onFollow'> {
  readonly group: MenuGroup
  readonly isSmall: boolean
}

function Group({ group: { title, places }, isSmall, onFollow }: GroupProps) {
  const text = useText(shellText)
  const id = useId()
  return (
    <div className="places">
      <p id={id} className={isSmall ? 'visually-hidden' : undefined}>
        {text[title]}
      </p>
      <ul aria-labelledby={id}>
        {places.map((place) => (
          <li key={place.to}>
            <PlaceLink {...{ place, isSmall, onFollow }} />
          </li>
        ))}
      </ul>
    </div>
  )
}

interface PlaceLinkProps extends Pick<NavigationProps, 'onFollow'> {
  readonly place: Place
  readonly isSmall: boolean
}

function PlaceLink({ place, isSmall, onFollow }: PlaceLinkProps) {
  const text = useText(shellText)
  const { pathname } = useLocation()
  const { to, name, icon: Icon, isSite } = place
  const content = (
    <>
      <Icon size={18} stroke={1.75} />
      <span className={isSmall ? 'visually-hidden' : undefined}>{text[name]}</span>
    </>
  )
  const isHere = isAt(pathname, to)
  const title = isSmall ? text[name] : undefined
  return isSite ? (
    <a href={to} className="place" title={title}>
      {content}
    </a>
  ) : (
    <Link
      to={to}
      className="place"
      title={title}
      activeOptions={{ exact: true }}
      aria-current={isHere ? 'page' : undefined}
      onClick={onFollow}
    >
      {content}
    </Link>
  )
}
