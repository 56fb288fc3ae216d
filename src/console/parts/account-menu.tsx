import { Button, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, call } from '../lib/api.ts'
import { useText } from '../lib/language.tsx'
import { shellText } from './shell-text.ts'

/** Who is signed in, and the way out. */
export function AccountMenu({ email }: { readonly email: string }) {
  const text = useText(shellText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const signOut = async () => {
    await call(api.auth['sign-out'].post())
    await navigate({ to: '/sign-in' })
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
