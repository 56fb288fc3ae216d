import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { TokenDetails } from '../../../admin/tokens/schema.ts'
import { api, CallFailed, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { sayDone, useRefresh } from '../../parts/action.tsx'
import { SendForm, showAtField } from '../../parts/form.tsx'
import { Loaded, PageFrame, Section } from '../../parts/page.tsx'
import { AnchorLink, Time } from '../../parts/text.tsx'
import { Spent, State, useTokenActions } from './columns.tsx'
import { formFields, type TokenValues, toPatch, toValues } from './form-values.ts'
import { Reveal, SetUp } from './set-up.tsx'
import { tokensText, tokenText } from './text.ts'
import { TokenFields, useGroups } from './token-form.tsx'

/** One API key: how it is, its key, how clients use it, and what it may do. */
export function Page() {
  const text = useText(tokenText)
  const { id = '' } = useParams({ strict: false })
  const query = useQuery({
    queryKey: ['token', id],
    queryFn: () => call(api.tokens({ id: Number(id) }).get()),
  })
  const back = <AnchorLink to="/tokens">{text.back}</AnchorLink>
  return (
    <PageFrame title={text.title(query.data?.name ?? '')} actions={back}>
      <Loaded query={query} waiting={<Skeleton height={320} />}>
        {(token) => <Details key={token.id} token={token} />}
      </Loaded>
    </PageFrame>
  )
}

function Details({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const [keyShown, setKeyShown] = useState<string>()
  const models = useCallable(token)
  return (
    <>
      <Facts token={token} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Stack miw={0}>
          <Section title={text.key}>
            <Reveal id={token.id} hint={token.key_hint} value={keyShown} show={setKeyShown} />
          </Section>
          <Section title={text.setUp}>
            {models && <SetUp models={models} keyShown={keyShown} />}
          </Section>
        </Stack>
        <Stack miw={0}>
          <Section title={text.edit}>
            <Edit key={JSON.stringify(toValues(token))} token={token} />
          </Section>
          <Section title={text.more}>
            <More token={token} />
          </Section>
        </Stack>
      </SimpleGrid>
    </>
  )
}

/** What a token can call now; undefined: not known yet. */
function useCallable({ group, models }: TokenDetails): readonly string[] | undefined {
  const groups = useGroups().data?.items
  if (groups === undefined) return undefined
  const offered = groups.find(({ name }) => name === group)?.models ?? []
  return models.length === 0 ? offered : offered.filter((model) => models.includes(model))
}

function More({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const words = useText(tokensText)
  const navigate = useNavigate()
  const { setStatus, remove } = useTokenActions()
  const isOn = token.status === 'active'
  const leave = async () => {
    if (await remove(token)) await navigate({ to: '/tokens' })
  }
  return (
    <>
      <Text size="sm">{text.moreHint}</Text>
      <Group>
        <Button
          variant="default"
          onClick={() => void setStatus(token, isOn ? 'disabled' : 'active')}
        >
          {isOn ? words.disable : words.enable}
        </Button>
        <Button color="red" variant="outline" onClick={() => void leave()}>
          {words.remove}
        </Button>
      </Group>
    </>
  )
}

/** How a token is, and what it has spent. */
function Facts({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const list = useText(tokensText)
  const { expires_at, created_at, last_used_day } = token
  return (
    <Group component="dl" gap="xl" align="flex-start" my={0}>
      <Fact name={list.status}>
        <State token={token} />
      </Fact>
      <Fact name={list.today}>
        <Spent token={token} part="day" />
      </Fact>
      <Fact name={list.month}>
        <Spent token={token} part="month" />
      </Fact>
      <Fact name={list.inAll}>
        <Spent token={token} part="total" />
      </Fact>
      <Fact name={list.lastUsed}>{last_used_day ?? list.never}</Fact>
      <Fact name={text.expires}>{expires_at === null ? text.never : <Time at={expires_at} />}</Fact>
      <Fact name={text.created}>
        <Time at={created_at} />
      </Fact>
    </Group>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <Stack gap={2}>
    <Text component="dt" size="sm" c="dimmed">
      {name}
    </Text>
    <Text component="dd" m={0}>
      {children}
    </Text>
  </Stack>
)

/** Changes a token. What somebody else has changed meanwhile is not overwritten. */
function Edit({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const refresh = useRefresh()
  const seen = () => refresh('tokens', 'token')
  const [isConflict, setConflict] = useState(false)
  const form = useForm<TokenValues>({ initialValues: toValues(token) })
  async function send(values: TokenValues): Promise<void> {
    setConflict(false)
    const patch = toPatch(toValues(token), values)
    if (Object.keys(patch).length === 0) {
      notifications.show({ message: text.nothing })
      return
    }
    await call(api.tokens({ id: token.id }).patch({ ...patch, revision: token.revision }))
    sayDone(text.saved)
    await seen()
  }
  function showAtFields(_: unknown, error: unknown): boolean {
    const isMet = error instanceof CallFailed && error.reason === 'conflict'
    setConflict(isMet)
    return isMet || showAtField(form, error, formFields)
  }
  return (
    <SendForm
      form={form}
      send={send}
      showAtFields={showAtFields}
      submit={text.save}
      look={{ w: 'fit-content' }}
    >
      {token.in_file && <Alert color="yellow">{text.inFile}</Alert>}
      <TokenFields form={form} />
      {isConflict && (
        <Alert color="orange" role="alert">
          <Group justify="space-between">
            <Text size="sm">{text.conflict}</Text>
            <Button size="xs" variant="default" onClick={() => void seen()}>
              {text.reload}
            </Button>
          </Group>
        </Alert>
      )}
    </SendForm>
  )
}
