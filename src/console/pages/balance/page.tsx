import { Alert, Group, SimpleGrid, TextInput } from '@mantine/core'
import type { LedgerEntry } from '../../../admin/ledger/routes.ts'
import type { Me } from '../../../admin/me/routes.ts'
import { api, call, useMe } from '../../lib/api.ts'
import { isLess } from '../../lib/decimal.ts'
import { useFilters, useListFilter } from '../../lib/filters.ts'
import { bilingual, choicesOf, useText } from '../../lib/language.ts'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { Choice, half } from '../../parts/filters.tsx'
import { List } from '../../parts/list.tsx'
import { OperatorContact } from '../../parts/operator.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { column, figure, inCard, sorted } from '../../parts/table.tsx'
import { AnchorLink, Figure, Hint, Money, Sums, Time } from '../../parts/text.tsx'
import { exportAddress, kinds, readFilter } from './filter.ts'

/** What is left of one's money, and where the rest has gone. */
export function Page() {
  const text = useText(balanceText)
  const me = useMe().data
  const { filter: chosen, key, showAll } = useListFilter({ kind: kinds, since: null, until: null })
  const filter = readFilter(chosen)
  return (
    <PageFrame
      title={text.balance}
      description={text.description}
      actions={<ExportMenu address={exportAddress(filter)} hint={text.exportHint} />}
    >
      {me && <Figures me={me} />}
      <Fields key={key} />
      <List<LedgerEntry, 'created_at'>
        queryKey={['ledger', filter]}
        load={(page) => call(api.ledger.get({ query: { ...filter, ...page } }))}
        columns={[
          sorted(
            'created_at',
            column(text.when, ({ created_at }) => <Time at={created_at} />),
          ),
          inCard(
            'beside',
            column(text.kind, ({ kind }) => text[kind]),
          ),
          column(text.about, (entry) => <About entry={entry} />),
          figure(text.amount, ({ amount }) => <Money usd={amount} isChange />),
          figure(text.after, ({ balance_after }) => <Money usd={balance_after} />),
        ]}
        keyOf={({ id }) => id}
        caption={text.ledger}
        usual="-created_at"
        empty={<Empty text={text} showAll={showAll} />}
      />
    </PageFrame>
  )
}

function Fields() {
  const text = useText(balanceText)
  const [filters, choose] = useFilters()
  return (
    <Group align="flex-end" gap="sm">
      <Choice
        {...{ name: 'kind', label: text.kind, w: { base: '100%', xs: 200 } }}
        data={choicesOf(kinds, text)}
      />
      {(['since', 'until'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={text[name]}
          w={half}
          defaultValue={filters[name] ?? ''}
          onChange={({ currentTarget }) => choose({ [name]: currentTarget.value })}
        />
      ))}
    </Group>
  )
}

/** The model of a charge, which leads to its receipt; the reason of a change by hand. */
function About({ entry: { request_id: id, model, reason } }: { readonly entry: LedgerEntry }) {
  const text = useText(balanceText)
  if (id === null) return <span className="cut">{reason ?? '—'}</span>
  return (
    <AnchorLink size="sm" className="cut" title={id} to="/requests/$id" params={{ id }}>
      {model ?? text.request}
    </AnchorLink>
  )
}

/** What to do where little or nothing is left. Who never had anything has done nothing wrong: a hint says it. */
function Standing({ me: { balance, credit_limit, balance_low_below } }: { readonly me: Me }) {
  const text = useText(balanceText)
  if (!isLess(balance, balance_low_below)) return null
  const isUsedUp = Number(balance) + Number(credit_limit) <= 0
  const words = (
    <>
      {isUsedUp ? text.usedUp : <Sums in={text.low} usd={[balance_low_below]} />}
      <OperatorContact />
    </>
  )
  if (isUsedUp && balance === '0') return <Hint>{words}</Hint>
  return (
    <Alert
      color={isUsedUp ? 'red' : 'yellow'}
      title={isUsedUp ? text.usedUpTitle : text.lowTitle}
      role="alert"
    >
      {words}
    </Alert>
  )
}

function Figures({ me }: { readonly me: Me }) {
  const text = useText(balanceText)
  const { balance, reserved, credit_limit } = me
  return (
    <>
      <Standing me={me} />
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
        <Figure label={text.balance} usd={balance} />
        <Figure label={text.reserved} hint={text.reservedHint} usd={reserved} />
        <Figure
          label={text.creditLimit}
          hint={credit_limit === '0' ? text.prepaid : text.creditHint}
          usd={credit_limit}
        />
      </SimpleGrid>
    </>
  )
}

const balanceText = bilingual({
  description: ['What is left, and every change of it.', '当前余额及其每一笔变动。'],
  reservedHint: ['For open requests; the rest comes back.', '为进行中的请求预留，余下会退回。'],
  creditLimit: ['Credit limit', '信用额度'],
  creditHint: ['So far below zero the balance may go.', '余额最多可透支的金额。'],
  prepaid: ['None: at 0, requests are refused.', '无：余额用尽后请求将被拒绝。'],
  usedUpTitle: ['Your balance is used up', '余额已用尽'],
  usedUp: [
    'Requests are refused until it is topped up. Ask the operator of this gateway.',
    '充值之前，请求都会被拒绝。请联系网关管理员。',
  ],
  lowTitle: ['Your balance is low', '余额不足提醒'],
  low: [
    'It is below {below}. Top it up through the operator of this gateway, before requests are refused.',
    '余额已低于 {below}。请尽快联系网关管理员充值，以免请求被拒绝。',
  ],
  ledger: ['Ledger', '账单明细'],
  when: ['Time', '时间'],
  amount: ['Amount', '金额'],
  about: ['For', '说明'],
  request: ['Receipt', '收据'],
  opening: ['Opening balance', '初始余额'],
  charge: ['Charge', '扣费'],
  credit: ['Credit', '充值'],
  debit: ['Debit', '扣减'],
  since: ['From', '开始日期'],
  until: ['To', '结束日期'],
  exportHint: [
    'Amounts are in nano-USD, billionths of a dollar.',
    '金额单位为纳美元（十亿分之一）。',
  ],
  empty: ['No entries yet', '还没有记录'],
  emptyHint: ['Every charge and every top-up is listed here.', '每次扣费和充值都会记录在此。'],
  noneFound: ['No entry matches', '没有符合条件的记录'],
})
