import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { TokenDetails } from '../../../admin/tokens/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { EditForm, useEdit } from '../../parts/edit.tsx'
import { ById, PageFrame, Section, Warnings } from '../../parts/page.tsx'
import { ButtonLink, Day, FactList, Time } from '../../parts/text.tsx'
import { Spent, State, useTokenActions } from './columns.tsx'
import { changeOf, fieldOf, shown, type TokenValues, valuesOf } from './fields.ts'
import { callableOf, useGroups } from './groups.ts'
import { Reveal, SetUp } from './set-up.tsx'
import { tokenFormText, tokensText, tokenText } from './text.ts'
import { TokenFields } from './token-form.tsx'

/** One API key: its state, its key, how clients use it, and what it may do. */
export function Page() {
  const text = useText(tokenText)
  return (
    <ById
      name="token"
      up={{ to: '/tokens', label: text.tokens }}
      ask={(id) => api.tokens({ id: Number(id) }).get()}
    >
      {(token) => <Details token={token} />}
    </ById>
  )
}

function Details({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const [keyShown, setKeyShown] = useState<string>()
  const models = useCallable(token)
  return (
    <PageFrame
      title={text.title(token.name)}
      up={{ to: '/tokens', label: text.tokens }}
      actions={
        <>
          <ButtonLink variant="default" to="/requests" search={{ token: token.id }}>
            {text.toRequests}
          </ButtonLink>
          <ButtonLink variant="default" to="/playground" search={{ token: token.id }}>
            {text.toPlayground}
          </ButtonLink>
        </>
      }
    >
      <Facts token={token} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Stack miw={0}>
          <Section title={text.key}>
            <Reveal id={token.id} hint={token.key_hint} value={keyShown} show={setKeyShown} />
          </Section>
          <Section title={text.setUp}>
            {models && <SetUp {...models} keyShown={keyShown} />}
          </Section>
        </Stack>
        <Stack miw={0}>
          <Section title={text.edit}>
            <Edit token={token} />
          </Section>
          <Section title={text.more}>
            <More token={token} />
          </Section>
        </Stack>
      </SimpleGrid>
    </PageFrame>
  )
}

/** What a token can call now; undefined: not known yet. */
function useCallable({ group, models }: TokenDetails) {
  const groups = useGroups().data?.items
  if (groups === undefined) return undefined
  const own = groups.find(({ name }) => name === group)
  return callableOf(own, models)
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

function Facts({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const list = useText(tokensText)
  const { expires_at, created_at, last_used_day } = token
  const facts: readonly (readonly [string, ReactNode])[] = [
    [list.status, <State key="state" token={token} />],
    [list.today, <Spent key="day" token={token} part="day" />],
    [list.month, <Spent key="month" token={token} part="month" />],
    [list.inAll, <Spent key="total" token={token} part="total" />],
    [list.lastUsed, last_used_day === null ? list.never : <Day key="used" of={last_used_day} />],
    [text.expires, expires_at === null ? text.never : <Time key="expires" at={expires_at} />],
    [text.created, <Time key="created" at={created_at} />],
  ]
  return (
    <SimpleGrid component="dl" cols={{ base: 3, sm: 4, lg: 7 }} spacing="sm" my={0}>
      <FactList facts={facts} />
    </SimpleGrid>
  )
}

function Edit({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenFormText)
  const edit = useEdit<TokenDetails, TokenValues>({
    live: token,
    queryKey: ['token', String(token.id)],
    changes: ['tokens'],
    valuesOf,
    fieldOf,
    send: (seen, values) => {
      const change = { ...changeOf(seen, values), revision: seen.revision }
      return call(api.tokens({ id: token.id }).patch(change))
    },
  })
  return (
    <EditForm edit={edit} shown={(state) => shown(state, text)}>
      <Warnings of={token} />
      <TokenFields form={edit.form} />
    </EditForm>
  )
}
