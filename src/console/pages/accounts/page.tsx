import { Alert, Group, SegmentedControl, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import type { LedgerEntry } from '../../../admin/ledger/routes.ts'
import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { formatUsd } from '../../../look/money.ts'
import { api, call } from '../../lib/api.ts'
import { useFilters } from '../../lib/filters.ts'
import { useText } from '../../lib/language.ts'
import { EditForm, useEdit } from '../../parts/edit.tsx'
import { Fields } from '../../parts/fields.tsx'
import { List } from '../../parts/list.tsx'
import { ById, Empty, PageFrame, Section, Warnings } from '../../parts/page.tsx'
import { column, figure, inCard, short, sorted } from '../../parts/table.tsx'
import {
  AnchorLink,
  ButtonLink,
  Day,
  Hint,
  Money,
  SmallHint,
  Sums,
  TextLink,
  Time,
  useColon,
} from '../../parts/text.tsx'
import { State } from '../tokens/columns.tsx'
import { Adjust, Remove, Suspend, Vouch } from './actions.tsx'
import { type AccountValues, accountFields, changeOf, fieldOf, shown, valuesOf } from './fields.ts'
import { Recovery } from './recovery.tsx'
import { accountText } from './text.ts'

/** One account: its balance, what it may do, its tokens and its ledger. */
export function Page() {
  const text = useText(accountText)
  return (
    <ById
      name="account"
      up={{ to: '/admin/accounts', label: text.accounts }}
      ask={(id) => api.admin.accounts({ id }).get()}
    >
      {(account) => <Content account={account} />}
    </ById>
  )
}

function Content({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const { id, email, is_self, is_vouched, status } = account
  const edit = useEdit<AccountDetail, AccountValues>({
    live: account,
    queryKey: ['account', String(id)],
    changes: ['accounts'],
    valuesOf,
    send: (seen, values) => {
      const change = { ...changeOf(seen, values), revision: seen.revision }
      return call(api.admin.accounts({ id }).patch(change))
    },
    fieldOf,
  })
  return (
    <PageFrame
      title={email}
      up={{ to: '/admin/accounts', label: text.accounts }}
      actions={
        <>
          <ButtonLink variant="default" to="/admin/requests" search={{ account: email } as never}>
            {text.requests}
          </ButtonLink>
          <ButtonLink variant="default" to="/admin/audit" search={{ subject: email } as never}>
            {text.audit}
          </ButtonLink>
          {!is_self && <Suspend account={account} show={edit.show} />}
          {!is_self && <Remove account={account} />}
        </>
      }
    >
      <Stack>
        {status === 'disabled' && <Alert color="red">{text.suspended}</Alert>}
        <Overdrawn account={account} />
        {!is_vouched && <Vouch account={account} show={edit.show} />}
        {is_self && <Alert color="gray">{text.self}</Alert>}
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Stack>
            <Section title={text.balance}>
              <Figures account={account} />
              <Adjust account={account} />
            </Section>
            <Recovery account={account} />
          </Stack>
          <Section title={text.settings}>
            <Warnings of={account} />
            <EditForm edit={edit} shown={(state) => shown(state, text)}>
              <Fields
                form={edit.form}
                fields={accountFields}
                text={text}
                looks={{
                  role: { disabled: is_self },
                  balance_low_below: {
                    description: text.lowHint(formatUsd(account.low_threshold)),
                  },
                }}
              />
            </EditForm>
          </Section>
        </SimpleGrid>
        <Tabs defaultValue="ledger" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="ledger">{text.ledger}</Tabs.Tab>
            <Tabs.Tab value="tokens">{text.tokens}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="ledger">
            <Ledger id={id} />
          </Tabs.Panel>
          <Tabs.Panel value="tokens">
            <Tokens id={id} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </PageFrame>
  )
}

function Figures({ account: { balance, reserved, credit_limit } }: { account: AccountDetail }) {
  const text = useText(accountText)
  const colon = useColon()
  const limit = <Sums in={(usd) => text.limit + colon + usd} usd={[credit_limit]} />
  const figures = [
    [text.balance, balance, limit],
    [text.reserved, reserved, text.reservedHint],
  ] as const
  return (
    <Group gap="xl">
      {figures.map(([label, usd, hint]) => (
        <Stack gap={0} key={label}>
          <Hint>{label}</Hint>
          <Text size="xl" fw={600}>
            <Money usd={usd} />
          </Text>
          <SmallHint>{hint}</SmallHint>
        </Stack>
      ))}
    </Group>
  )
}

function Overdrawn({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const { overdrawn, overdrawn_by } = account
  if (overdrawn === null) return null
  return (
    <Alert color="red" title={<Sums in={text.overdrawnBy} usd={[overdrawn]} />}>
      {text.overdrawnHint}{' '}
      {overdrawn_by !== null && (
        <TextLink to={`/admin/requests/${overdrawn_by}`}>{text.overdrawnCause}</TextLink>
      )}
    </Alert>
  )
}

/** The ledger of an account: at first without the charges of its requests, which are many. */
function Ledger({ id }: { readonly id: number }) {
  const text = useText(accountText)
  const [filters, setFilters] = useFilters()
  const kind = filters.kind === 'all' ? 'all' : 'by_hand'
  return (
    <Stack>
      <SegmentedControl
        aria-label={text.kind}
        w="fit-content"
        value={kind}
        data={[
          { value: 'by_hand', label: text.byHand },
          { value: 'all', label: text.all },
        ]}
        onChange={(value) => setFilters({ kind: value === 'all' ? 'all' : null })}
      />
      <List<LedgerEntry, 'created_at'>
        queryKey={['account-ledger', id, kind]}
        load={(page) => call(api.admin.accounts({ id }).ledger.get({ query: { kind, ...page } }))}
        keyOf={(entry) => entry.id}
        caption={text.ledgerCaption}
        usual="-created_at"
        columns={[
          sorted(
            'created_at',
            inCard(
              'name',
              column(text.time, ({ created_at }) => <Time at={created_at} />),
            ),
          ),
          inCard(
            'beside',
            column(text.kind, (entry) => text.kinds[entry.kind]),
          ),
          figure(text.amount, ({ amount }) => <Money usd={amount} isChange />),
          figure(text.after, ({ balance_after }) => <Money usd={balance_after} />),
          column(text.what, ({ request_id, reason }) =>
            request_id === null ? (
              <span className="cut">{reason}</span>
            ) : (
              <AnchorLink to={`/admin/requests/${request_id}`} className="cut">
                {request_id}
              </AnchorLink>
            ),
          ),
        ]}
        empty={<Empty text={{ empty: text.noEntries }} />}
      />
    </Stack>
  )
}

function Tokens({ id }: { readonly id: number }) {
  const text = useText(accountText)
  return (
    <List<ListedToken, 'name'>
      queryKey={['account-tokens', id]}
      load={(page) => call(api.admin.accounts({ id }).tokens.get({ query: page }))}
      keyOf={(token) => token.id}
      caption={text.tokenCaption}
      sortWord="tokens-sort"
      columns={[
        sorted(
          'name',
          inCard(
            'name',
            column(text.name, ({ name }) => <span className="cut">{name}</span>),
          ),
        ),
        short(text.key, ({ key_hint }) => <code>{key_hint}</code>),
        short(text.group, ({ group }) => <span className="cut">{group}</span>),
        short(text.status, (token) => <State token={token} />),
        figure(text.spent, ({ spent }) => <Money usd={spent.total} />),
        short(text.lastUsed, ({ last_used_day: day }) =>
          day === null ? text.never : <Day of={day} />,
        ),
      ]}
      empty={<Empty text={{ empty: text.noTokens }} />}
    />
  )
}
