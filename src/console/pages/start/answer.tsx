import { Button, Group, NativeSelect, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { lazy, Suspense, useState } from 'react'
import { formatUsd } from '../../../look/money.ts'
import { api, call, useCall, useMe } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { useRefresh } from '../../parts/action.tsx'
import { inputsOf, SendForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/page.tsx'
import { ButtonLink, Code, Hint, Labelled } from '../../parts/text.tsx'
import { useAsk } from '../playground/ask-once.ts'
import { callableOf, useGroups } from '../tokens/groups.ts'
import { tokenText } from '../tokens/text.ts'
import { texts } from './text.ts'

/** Loaded with the first question: before, there is no answer to show. */
const Answer = lazy(async () => ({ default: (await import('../playground/answer.tsx')).Answer }))
const SetUp = lazy(async () => ({ default: (await import('../tokens/set-up.tsx')).SetUp }))

interface Token {
  readonly id: number
  readonly group: string
  /** Known only of a token that was just made. */
  readonly key?: string
}

/** Makes a token, asks with it, and shows how programs do. `group`: of the step before. */
export function AnswerStep({ group }: { readonly group: string | undefined }) {
  const [made, setMade] = useState<Token>()
  const tokens = useCall(['tokens', 'start'], () => api.tokens.get({ query: { page_size: 100 } }))
  const groups = useGroups()
  const wanted = group ?? groups.data?.items.find(({ models }) => models.length > 0)?.name
  return (
    <Loaded query={tokens} waiting={<Skeleton height={120} aria-busy />}>
      {({ items }) => {
        const known = items.find((one) => one.group === wanted && one.status === 'active')
        const token = made ?? known
        const own = groups.data?.items.find(({ name }) => name === token?.group)
        return token ? (
          <FirstAnswer token={token} {...callableOf(own, [])} />
        ) : (
          <NewToken group={wanted ?? 'default'} made={setMade} />
        )
      }}
    </Loaded>
  )
}

interface NewTokenProps {
  readonly group: string
  readonly made: (token: Token) => void
}

const isAmount = (value: string) => /^\d+(\.\d{1,9})?$/.test(value.trim())

/** Money for the operator's own account, where it has none, and a token. */
function NewToken({ group, made }: NewTokenProps) {
  const text = useText(texts)
  const refresh = useRefresh()
  const me = useMe().data
  const [once] = useState(() => crypto.randomUUID())
  const needsMoney = me !== undefined && Number(me.balance) + Number(me.credit_limit) <= 0
  const form = useForm({
    initialValues: { topUp: '5', tokenName: 'first' },
    validate: {
      topUp: (value) => (needsMoney && !isAmount(value) ? text.badAmount : null),
      tokenName: (value) => (value.trim() === '' ? text.needed : null),
    },
  })
  const input = inputsOf(form, text)

  async function send({ topUp, tokenName }: typeof form.values): Promise<void> {
    if (needsMoney && Number(topUp) > 0) await credit(me.email, topUp.trim())
    const { token, key } = await call(api.tokens.post({ name: tokenName.trim(), group }))
    made({ id: token.id, group: token.group, key })
    await refresh('me', 'tokens', 'overview', 'admin')
  }

  /** The key makes a second try credit nothing again. */
  async function credit(email: string, amount: string): Promise<void> {
    const { items } = await call(api.admin.accounts.get({ query: { search: email } }))
    const own = items.find((one) => one.email === email)
    if (own === undefined) return
    const order = { amount, reason: text.reason, idempotency_key: once }
    await call(api.admin.accounts({ id: own.id }).credit.post(order))
  }

  return (
    <SendForm
      form={form}
      send={send}
      fieldOf={(field) => (field === 'amount' ? 'topUp' : 'tokenName')}
      submit={text.makeToken}
      look={{ w: 'fit-content' }}
      noValidate
    >
      {needsMoney && (
        <>
          <Hint maw={640}>{text.balanceHint}</Hint>
          {input.usd('topUp', { maw: 300 })}
        </>
      )}
      {me && !needsMoney && <Labelled label={text.balanceTitle}>{formatUsd(me.balance)}</Labelled>}
      {input.line('tokenName', { maw: 300, description: text.makeTokenHint, required: true })}
    </SendForm>
  )
}

interface FirstAnswerProps {
  readonly token: Token
  readonly models: readonly string[]
  /** The one to begin with: not all of them answer in words. */
  readonly usual: string | undefined
}

function FirstAnswer({ token, models, usual }: FirstAnswerProps) {
  const text = useText(texts)
  const { noModel } = useText(tokenText)
  const { exchange, ask } = useAsk()
  const [chosen, choose] = useState<string>()
  const model = chosen ?? usual
  if (model === undefined) return <Text>{noModel}</Text>
  const hello = () =>
    void ask({
      ...{ token: token.id, protocol: 'chat', model, system: '', user: text.helloQuestion },
      ...{ stream: true, maxTokens: null },
    })
  return (
    <Stack>
      {token.key !== undefined && (
        <div>
          <Text fw={600}>{text.keyShown}</Text>
          <Hint mb="xs">{text.keyShownHint}</Hint>
          <Code label={text.keyShown}>{token.key}</Code>
        </div>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          <NativeSelect
            label={text.model}
            data={[...models]}
            value={model}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
          <Hint>{text.helloHint}</Hint>
          <Button w="fit-content" loading={exchange?.phase === 'asking'} onClick={hello}>
            {exchange === undefined ? text.hello : text.again}
          </Button>
        </Stack>
        <Suspense>{exchange && <Answer exchange={exchange} />}</Suspense>
      </SimpleGrid>
      {exchange?.phase === 'done' && exchange.error === undefined && (
        <Stack gap="sm">
          <Text fw={600}>{text.snippets}</Text>
          <Hint>{text.snippetsHint}</Hint>
          <Suspense>
            <SetUp models={models} usual={model} keyShown={token.key} />
          </Suspense>
          <Group>
            <ButtonLink to="/admin">{text.finish}</ButtonLink>
            <ButtonLink variant="default" to="/playground">
              {text.toPlayground}
            </ButtonLink>
          </Group>
        </Stack>
      )}
    </Stack>
  )
}
