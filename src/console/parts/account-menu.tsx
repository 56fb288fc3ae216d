import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Me } from '../../admin/me/routes.ts'
import { api, call } from '../lib/api.ts'
import { useText } from '../lib/language.ts'
import { forgetTyped, leaving } from '../lib/unsaved.ts'
import { MenuButton } from './menu-button.tsx'
import { shellText } from './shell-text.ts'
import { Money } from './text.tsx'
import { mayLeave } from './unsaved.tsx'

/** Who is signed in, and the way out. */
export function AccountMenu({ email, balance }: Pick<Me, 'email' | 'balance'>) {
  const text = useText(shellText)
  const signOut = async () => {
    if (!(await mayLeave())) return
    await leaving(async () => {
      await call(api.auth['sign-out'].post())
      forgetTyped()
      // A page of its own: nothing of the one is left for the next. Until it is there, this is not over.
      location.assign('/console/sign-in')
      await new Promise(() => {})
    })
  }
  return (
    <MenuButton
      button={
        <Button
          variant="default"
          size="compact-sm"
          className="who"
          aria-label={`${email} · ${text.account}`}
        >
          <Text span inherit truncate>
            {email.split('@')[0]}
          </Text>
        </Button>
      }
    >
      {(Menu) => (
        <>
          <Menu.Label className="cut">{email}</Menu.Label>
          <Menu.Item component={Link} to="/balance" rightSection={<Money usd={balance} />}>
            {text.balance}
          </Menu.Item>
          <Menu.Item component={Link} to="/profile">
            {text.profile}
          </Menu.Item>
          <Menu.Item onClick={() => void signOut()}>{text.signOut}</Menu.Item>
        </>
      )}
    </MenuButton>
  )
}
