import { ActionIcon, Box, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { attempt, offerUndo, sayDone, useRefresh } from '../../parts/action.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { acting, type Column, column, figure, short, sorted } from '../../parts/table.tsx'
import { AnchorLink, Day, Money, SmallHint, Sums } from '../../parts/text.tsx'
import { stateOf } from './state.ts'
import { tokensText } from './text.ts'

export function useTokenColumns(): readonly Column<ListedToken, 'name'>[] {
  const text = useText(tokensText)
  return [
    sorted(
      'name',
      column(text.name, (token) => <Name token={token} />),
    ),
    short(text.group, ({ group }) => <span className="cut">{group}</span>),
    short(text.status, (token) => <State token={token} />),
    figure(text.today, (token) => <Spent token={token} part="day" />),
    figure(text.month, (token) => <Spent token={token} part="month" />),
    figure(text.inAll, (token) => <Spent token={token} part="total" />),
    short(text.lastUsed, ({ last_used_day: day }) =>
      day === null ? text.never : <Day of={day} />,
    ),
    acting(text.actions, (token) => <TokenMenu token={token} />),
  ]
}

interface OfToken {
  readonly token: ListedToken
}

const Name = ({ token: { id, name, key_hint: hint } }: OfToken) => (
  <Box>
    <AnchorLink className="cut" to={`/tokens/${id}`}>
      {name}
    </AnchorLink>
    <SmallHint ff="monospace">{hint}</SmallHint>
  </Box>
)

/** Whether it works, in a word. */
export function State({ token }: OfToken) {
  const text = useText(tokensText)
  const state = stateOf(token)
  return <StatusBadge color={stateColors[state]}>{text[state]}</StatusBadge>
}

interface SpentProps extends OfToken {
  readonly part: 'day' | 'month' | 'total'
}

/** What was spent, and of how much. */
export function Spent({ token: { spent, budget }, part }: SpentProps) {
  const text = useText(tokensText)
  const limit = budget[part]
  return (
    <Box component="span" display="inline-block">
      <Money usd={spent[part]} />
      {limit !== null && (
        <Text component="span" display="block" size="xs" c="dimmed">
          <Sums in={(usd) => `${text.of} ${usd}`} usd={[limit]} />
        </Text>
      )}
    </Box>
  )
}

function TokenMenu({ token }: { readonly token: ListedToken }) {
  const text = useText(tokensText)
  const { setStatus, remove } = useTokenActions()
  const isOn = token.status === 'active'
  return (
    <MenuButton
      button={
        <ActionIcon variant="default" aria-label={text.actionsOf(token.name)}>
          <span aria-hidden>⋯</span>
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Item component={Link} to={`/tokens/${token.id}`}>
            {text.open}
          </Menu.Item>
          <Menu.Item onClick={() => void setStatus(token, isOn ? 'disabled' : 'active')}>
            {isOn ? text.disable : text.enable}
          </Menu.Item>
          <Menu.Item c="var(--mantine-color-error)" onClick={() => void remove(token)}>
            {text.remove}
          </Menu.Item>
        </>
      )}
    </MenuButton>
  )
}

const stateColors = {
  active: 'ok',
  disabled: 'soft',
  expired: 'mid',
  spentUp: 'mid',
} as const

interface Named {
  readonly id: number
  readonly name: string
}

/** What is done to a token at once, with a notification that says so. */
export function useTokenActions() {
  const text = useText(tokensText)
  const refresh = useRefresh()
  return {
    setStatus: ({ id, name }: Named, status: 'active' | 'disabled') =>
      attempt(async () => {
        await call(api.tokens({ id }).patch({ status }))
        await refresh('tokens', 'token', 'overview', 'admin')
        return status === 'active' ? text.enabled(name) : text.disabledNow(name)
      }),
    /** Resolves to whether it is gone. The API takes it back for 10 minutes. */
    remove: ({ id, name }: Named) =>
      attempt(async () => {
        await call(api.tokens({ id }).delete())
        offerUndo(text.removed(name), async () => {
          await call(api.tokens({ id }).restore.post())
          await refresh('tokens', 'token', 'overview', 'admin')
          sayDone(text.restored(name))
        })
        // Its own page is about to be left, and would not find it any more.
        await refresh('tokens', 'overview', 'admin')
      }),
  }
}
