import { Alert, Anchor, Button, Group, Paper, SimpleGrid, Stack, Tabs, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { know } from '../../lib/know.ts'
import { useText } from '../../lib/language.tsx'
import { showProblems } from '../../lib/problems.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { regionField } from '../../parts/region-values.ts'
import { useEdit } from '../../parts/use-edit.ts'
import { accountText } from '../accounts/text.ts'
import { Adjust } from './adjust.tsx'
import { Figures } from './figures.tsx'
import { Ledger } from './ledger.tsx'
import { Overdrawn } from './overdrawn.tsx'
import { Remove } from './remove.tsx'
import { Settings } from './settings.tsx'
import { Suspend } from './suspend.tsx'
import { Tokens } from './tokens.tsx'
import { changeOf, valuesOf } from './values.ts'
import { Vouch } from './vouch.tsx'

/** One account: its balance, what it may do, its tokens and its ledger. */
export function Page() {
  const { id = '' }: { id?: string } = useParams({ strict: false })
  return <Loaded key={id} id={Number(id)} />
}

function Loaded({ id }: { readonly id: number }) {
  const text = useText(accountText)
  const query = useQuery({
    queryKey: ['account', id],
    queryFn: () => call(api.admin.accounts({ id }).get()),
  })
  const account = query.data
  return (
    <PageFrame
      title={account?.email ?? text.title}
      actions={
        <Anchor component={Link} to="/admin/accounts">
          {text.back}
        </Anchor>
      }
    >
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {account && <Content account={account} />}
    </PageFrame>
  )
}

function Content({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const queries = useQueryClient()
  const { id, email, is_self, is_vouched, in_file, status } = account
  const edit = useEdit({
    live: account,
    valuesOf,
    send: (seen, values) => call(api.admin.accounts({ id }).patch(changeOf(seen, values))),
    showAtFields: (form, error) => showProblems(form, error, regionField),
    tell: (now) => {
      void know(queries, ['account', id], now)
      void queries.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  return (
    <Stack>
      {is_self && <Alert color="gray">{text.self}</Alert>}
      {in_file && <Alert color="yellow">{text.namedByFile}</Alert>}
      {!is_vouched && <Vouch account={account} show={edit.show} />}
      <Overdrawn account={account} />
      {status === 'disabled' && <Alert color="red">{text.suspended}</Alert>}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p="md">
          <Stack>
            <Title order={2} size="h4">
              {text.money}
            </Title>
            <Figures account={account} />
            <Adjust account={account} />
          </Stack>
        </Paper>
        <Paper withBorder p="md">
          <Stack>
            <Title order={2} size="h4">
              {text.settings}
            </Title>
            <Settings account={account} edit={edit} />
          </Stack>
        </Paper>
      </SimpleGrid>
      <Group>
        <Button
          variant="default"
          component={Link}
          to="/admin/requests"
          search={{ account: email } as never}
        >
          {text.requests}
        </Button>
        <Button
          variant="default"
          component={Link}
          to="/admin/audit"
          search={{ subject: email } as never}
        >
          {text.audit}
        </Button>
        {!is_self && <Suspend account={account} show={edit.show} />}
        {!is_self && <Remove account={account} />}
      </Group>
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
  )
}
