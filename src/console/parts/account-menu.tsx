import { Button, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useText } from '../lib/language.tsx'
import { shellText } from './shell-text.ts'

/** Who is signed in, and the way out. */
export function AccountMenu({ email }: { readonly email: string }) {
  const text = useText(shellText)
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
      </Menu.Dropdown>
    </Menu>
  )
}
