import { Alert, Anchor, Button, Group, Paper, SimpleGrid, Stack, Tabs, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { accountText } from '../accounts/text.ts'
import { Adjust } from './adjust.tsx'
import { Figures } from './figures.tsx'
import { Ledger } from './ledger.tsx'
import { Remove } from './remove.tsx'
import { Settings } from './settings.tsx'
import { Suspend } from './suspend.tsx'
import { Tokens } from './tokens.tsx'

/** One account: its balance, what it may do, its tokens and its ledger. */
export function Page() {
  const text = useText(accountText)
  const { id: word }: { id?: string } = useParams({ strict: false })
  const id = Number(word)
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: ['account', id],
    queryFn: () => call(api.admin.accounts({ id }).get()),
  })
  /** Puts what an answer says in place of what was there. */
  const show = async (account: AccountDetail) => {
    queries.setQueryData(['account', id], account)
    await queries.invalidateQueries({ queryKey: ['accounts'] })
  }
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
      {account && <Content account={account} show={show} />}
    </PageFrame>
  )
}

interface ContentProps {
  readonly account: AccountDetail
  readonly show: (account: AccountDetail) => Promise<void>
}

function Content({ account, show }: ContentProps) {
  const text = useText(accountText)
  const { id, email, is_self, in_file, status, revision } = account
  return (
    <Stack>
      {is_self && <Alert color="gray">{text.self}</Alert>}
      {in_file && <Alert color="yellow">{text.namedByFile}</Alert>}
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
            <Settings key={revision} account={account} show={show} />
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
        {!is_self && <Suspend account={account} show={show} />}
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
