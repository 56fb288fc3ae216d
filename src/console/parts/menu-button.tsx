import type { Menu as MenuParts } from '@mantine/core'
import { cloneElement, type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { attempt } from './action.tsx'
import { loadCode } from './on-demand.ts'

interface MenuButtonProps {
  /** What opens the menu. */
  readonly button: ReactElement<{
    readonly 'aria-haspopup'?: 'menu'
    readonly 'aria-expanded'?: boolean
    readonly autoFocus?: boolean
    readonly onClick?: () => void
  }>
  /** The menu's labels and items, made of the parts that are given. */
  readonly children: (menu: typeof MenuParts) => ReactNode
}

/** A button with a menu, whose code is loaded when it is first opened. */
export function MenuButton({ button, children }: MenuButtonProps) {
  const [loaded, setLoaded] = useState<{ readonly Menu: typeof MenuParts }>()
  if (loaded) return <Opened menu={loaded.Menu} {...{ button, children }} />
  const open = () =>
    attempt(async () => {
      setLoaded(await loadCode(() => import('./menu-code.ts')))
    })
  return cloneElement(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => void open(),
  })
}

interface OpenedProps extends MenuButtonProps {
  readonly menu: typeof MenuParts
}

/** Opens once its own button has the focus, which returns there afterwards. */
function Opened({ menu: Menu, button, children }: OpenedProps) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(true), [])
  return (
    <Menu
      position="bottom-end"
      opened={isOpen}
      onChange={setOpen}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{cloneElement(button, { autoFocus: true })}</Menu.Target>
      <Menu.Dropdown>{children(Menu)}</Menu.Dropdown>
    </Menu>
  )
}
