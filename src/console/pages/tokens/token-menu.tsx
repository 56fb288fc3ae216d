import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { useText } from '../../lib/language.tsx'
import { tokensText } from './text.ts'
import { useTokenActions } from './use-token-actions.tsx'

/** What can be done with a token of the list. */
export function TokenMenu({ token }: { readonly token: ListedToken }) {
  const text = useText(tokensText)
  const { setStatus, remove } = useTokenActions()
  const isOn = token.status === 'active'
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" aria-label={text.actionsOf(token.name)}>
          <span aria-hidden>⋯</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={`/tokens/${token.id}`}>
          {text.open}
        </Menu.Item>
        <Menu.Item onClick={() => void setStatus(token, isOn ? 'disabled' : 'active')}>
          {isOn ? text.disable : text.enable}
        </Menu.Item>
        <Menu.Item c="var(--mantine-color-error)" onClick={() => void remove(token)}>
          {text.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
