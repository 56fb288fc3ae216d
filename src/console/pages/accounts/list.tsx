import { Group, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import type { AccountItem } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useListFilter } from '../../lib/filters.ts'
import { choicesOf, formatCount, useText } from '../../lib/language.ts'
import { Dialog, sayDone, useRefresh } from '../../parts/action.tsx'
import { Choice, half, Search } from '../../parts/filters.tsx'
import { inputsOf, SendForm } from '../../parts/form.tsx'
import { List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { ActiveBadge } from '../../parts/status-badge.tsx'
import { type Column, column, figure, inCard, short, sorted } from '../../parts/table.tsx'
import { AnchorLink, Day, Money } from '../../parts/text.tsx'
import { useAccountBulk } from './bulk.ts'
import { accountText } from './text.ts'

const words = {
  role: ['admin', 'user'],
  status: ['active', 'disabled'],
  balance: ['overdrawn'],
} as const

/** All accounts. */
export function Page() {
  const text = useText(accountText)
  const { filter, key, showAll } = useListFilter({ search: null, ...words })
  const create = <Dialog label={text.create}>{(close) => <Create close={close} />}</Dialog>
  return (
    <PageFrame title={text.accounts} description={text.description} actions={create}>
      <AccountFilters key={key} />
      <List
        queryKey={['accounts', filter]}
        load={(page) => call(api.admin.accounts.get({ query: { ...filter, ...page } }))}
        keyOf={({ id }) => id}
        caption={text.caption}
        bulk={useAccountBulk()}
        columns={useColumns()}
        usual="-created_at"
        empty={<Empty text={text} showAll={showAll} />}
      />
    </PageFrame>
  )
}

function AccountFilters() {
  const text = useText(accountText)
  return (
    <Group align="flex-end" gap="sm">
      <Search label={text.search} w={half} />
      <Choice
        name="role"
        label={text.role}
        all={text.allRoles}
        w={half}
        data={choicesOf(words.role, text.roleOptions)}
      />
      <Choice
        name="status"
        label={text.status}
        w={half}
        data={choicesOf(words.status, text.statuses)}
      />
      <Choice
        name="balance"
        label={text.balance}
        w={half}
        data={[{ value: 'overdrawn', label: text.overdrawn }]}
      />
    </Group>
  )
}

function useColumns(): readonly Column<AccountItem, 'email' | 'created_at'>[] {
  const text = useText(accountText)
  return [
    sorted(
      'email',
      inCard(
        'name',
        column(text.email, ({ id, email }) => (
          <AnchorLink to={`/admin/accounts/${id}`} className="cut">
            {email}
          </AnchorLink>
        )),
      ),
    ),
    inCard(
      'none',
      column(text.role, ({ role }) => text.roleOptions[role]),
    ),
    short(text.status, ({ status }) => <ActiveBadge status={status} text={text.statuses} />),
    figure(text.balance, ({ balance, overdrawn }) => (
      <div>
        <Money usd={balance} />
        {overdrawn !== null && (
          <Text size="xs" c="red">
            {text.overdrawn}
          </Text>
        )}
      </div>
    )),
    inCard(
      'none',
      figure(text.reserved, ({ reserved }) => <Money usd={reserved} />),
    ),
    figure(text.tokens, ({ tokens }) => formatCount(tokens)),
    sorted(
      'created_at',
      short(text.since, ({ created_at }) => <Day of={created_at.slice(0, 10)} />),
    ),
  ]
}

function Create({ close }: { readonly close: () => void }) {
  const text = useText(accountText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { email: '', role: 'user', balance: '', credit_limit: '', password: '' },
  })
  const input = inputsOf(form, text)
  const zero = { placeholder: '0' }
  return (
    <SendForm
      form={form}
      send={async ({ email, role, balance, credit_limit, password }) => {
        const made = await call(
          api.admin.accounts.post({
            email: email.trim(),
            role: role === 'admin' ? 'admin' : 'user',
            ...(balance.trim() && { balance: balance.trim() }),
            ...(credit_limit.trim() && { credit_limit: credit_limit.trim() }),
            ...(password && { password }),
          }),
        )
        sayDone(text.created(made.email))
        await refresh('accounts')
        close()
        await navigate({ to: `/admin/accounts/${made.id}` })
      }}
      submit={text.make}
      cancel={close}
    >
      {input.line('email', {
        ...{ type: 'email', required: true, autoComplete: 'off', 'data-autofocus': true },
      })}
      {input.choice('role', choicesOf(['user', 'admin'], text.roleOptions))}
      {input.usd('balance', { ...zero, label: text.opening, description: text.openingHint })}
      {input.usd('credit_limit', zero)}
      {input.secret('password', { autoComplete: 'new-password', required: false })}
    </SendForm>
  )
}
