import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Overview } from '../../admin/overview/schema.ts'
import { api, useCall, useMe } from '../lib/api.ts'
import { bilingual, useText } from '../lib/language.ts'
import { OperatorContact } from '../parts/operator.tsx'
import { Empty, Loaded, PageFrame } from '../parts/page.tsx'
import { ButtonLink, Figure, Hint, Sums, TextLink } from '../parts/text.tsx'
import { RequestsFigure, Usage, UsageWaiting, useDays } from '../parts/usage.tsx'
import { NoToken } from './tokens/no-token.tsx'

/** The first page of who is signed in: what is left, and what was used. */
export function Page() {
  const text = useText(texts)
  const days = useDays()
  const query = useCall(['overview', days], () => api.overview.get({ query: { days } }), {
    placeholderData: (last) => last,
    refetchInterval: 60_000,
  })
  return (
    <PageFrame title={text.overview}>
      <Loaded query={query} waiting={<UsageWaiting />}>
        {(overview) => <Content overview={overview} days={days} />}
      </Loaded>
    </PageFrame>
  )
}

function Content({ overview, days }: { readonly overview: Overview; readonly days: number }) {
  return (
    <Stack gap="md">
      {overview.tokens > 0 ? <BalanceWarning overview={overview} /> : <NoBalance {...overview} />}
      <Figures overview={overview} days={days} />
      {overview.usage.sum.requests === 0 ? (
        <Nothing hasToken={overview.tokens > 0} days={days} />
      ) : (
        <Usage isAll={false} />
      )}
    </Stack>
  )
}

function Nothing({ hasToken, days }: { readonly hasToken: boolean; readonly days: number }) {
  const text = useText(texts)
  const isAdmin = useMe().data?.role === 'admin'
  if (!hasToken && isAdmin) {
    return (
      <Empty
        text={{ empty: text.noTokenTitle, emptyHint: text.firstSteps }}
        action={<ButtonLink to="/admin/start">{text.toFirstSteps}</ButtonLink>}
      />
    )
  }
  if (!hasToken) return <NoToken hint={text.noToken} />
  return (
    <Empty
      text={{ empty: text.noRequestTitle(days), emptyHint: text.noRequest }}
      action={
        <Group justify="center">
          <ButtonLink to="/tokens">{text.toTokens}</ButtonLink>
          <ButtonLink variant="default" to="/playground">
            {text.toPlayground}
          </ButtonLink>
        </Group>
      }
    />
  )
}

interface FiguresProps {
  readonly overview: Overview
  readonly days: number
}

function Figures({ overview, days }: FiguresProps) {
  const text = useText(texts)
  const { usage, balance, reserved, spent_today, spent_this_month } = overview
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm">
      <Figure
        label={text.balance}
        hint={reserved === '0' ? undefined : <Sums in={text.reserved} usd={[reserved]} />}
        usd={balance}
      />
      <Figure label={text.today} hint={text.utc} usd={spent_today} />
      <Figure label={text.month} hint={text.utc} usd={spent_this_month} />
      <RequestsFigure label={text.requests(days)} usage={usage} to="/requests" />
    </SimpleGrid>
  )
}

/** Who has no token yet has done nothing wrong: a hint says what comes before the first request. */
function NoBalance({ balance, balance_state }: Overview) {
  const text = useText(texts)
  const role = useMe().data?.role
  // An administrator's first steps put something on the account.
  if (balance_state !== 'used_up' || role !== 'user') return null
  return (
    <Hint>
      <Sums in={text.noBalance} usd={[balance]} />
      <OperatorContact />
    </Hint>
  )
}

function BalanceWarning({ overview }: Pick<FiguresProps, 'overview'>) {
  const text = useText(texts)
  const { balance, balance_low_below, balance_state } = overview
  if (balance_state === 'good') return null
  const isLow = balance_state === 'low'
  return (
    <Alert
      color={isLow ? 'yellow' : 'red'}
      title={isLow ? text.lowTitle : text.usedUpTitle}
      role="alert"
    >
      <Text size="sm">
        <Sums in={isLow ? text.low : text.usedUp} usd={[balance, balance_low_below]} />
        <OperatorContact /> <TextLink to="/balance">{text.toBalance}</TextLink>
      </Text>
    </Alert>
  )
}

const texts = bilingual({
  reserved: ['{usd} of it is reserved for open requests.', '其中 {usd} 已为进行中的请求预留。'],
  lowTitle: ['Your balance is low', '余额不足提醒'],
  low: [
    '{balance} is left, less than {below}. Top it up, or ask the operator of this gateway: when it is used up, requests are refused.',
    '剩余 {balance}，低于 {below}。请充值或联系网关管理员；余额用尽后请求会被拒绝。',
  ],
  usedUpTitle: ['Your balance is used up', '余额已用尽'],
  usedUp: [
    'The balance is {balance}: requests are refused until it is topped up. Ask the operator of this gateway.',
    '当前余额 {balance}：充值之前，请求都会被拒绝。请联系网关管理员。',
  ],
  noBalance: [
    'Your balance is {balance}. Ask the operator of this gateway for a top-up before your first request.',
    '当前余额 {balance}。发送第一个请求之前，请联系网关管理员充值。',
  ],
  firstSteps: [
    'Three steps lead from a vendor’s key to the first answer, with a token for your programs.',
    '三个步骤，从厂商密钥到第一个回答，并为您的程序创建令牌。',
  ],
  toBalance: ['Balance and ledger', '余额与账单'],
  requests: ['Requests in {days} days', '近 {days} 天请求数'],
  noToken: [
    'A token is the API key that your programs send. Make one: ready-made snippets for each client come with it.',
    '令牌就是程序调用时使用的 API 密钥。创建后即可获得各客户端的接入示例。',
  ],
  noRequestTitle: ['No request in {days} days', '近 {days} 天没有请求'],
  noRequest: ['Use a snippet of a token, or the playground.', '请使用令牌的示例，或在操练场试用。'],
  toTokens: ['Tokens and snippets', '令牌与接入示例'],
  toPlayground: ['Open the playground', '打开操练场'],
})
