import { Button, Group, Text } from '@mantine/core'
import type { AuditChange } from '../../admin/audit/changes.ts'
import type { AuditItem } from '../../admin/audit/routes.ts'
import { api, call } from '../lib/api.ts'
import { useListFilter } from '../lib/filters.ts'
import { bilingual, type Language, useLanguage, useText } from '../lib/language.ts'
import { Choice, half, TextFilter } from '../parts/filters.tsx'
import { List } from '../parts/list.tsx'
import { Empty, PageFrame } from '../parts/page.tsx'
import { type Column, column, inCard, sorted } from '../parts/table.tsx'
import { AnchorLink, LongText, Time } from '../parts/text.tsx'

/** Who changed what. */
export function Page() {
  const text = useText(texts)
  const { language } = useLanguage()
  const { filter, showAll } = useListFilter({
    ...{ actor: null, action: null, subject: null, since: null },
  })
  const columns: readonly Column<AuditItem, 'created_at'>[] = [
    sorted(
      'created_at',
      inCard(
        'beside',
        column(text.time, ({ created_at }) => <Time at={created_at} />),
      ),
    ),
    column(text.actor, ({ actor }) => <Name>{actor}</Name>),
    inCard(
      'name',
      column(text.action, ({ action }) => (
        <span title={action}>{describeAction(action, language)}</span>
      )),
    ),
    column(text.subject, (item) => <Subject item={item} />),
    column(text.changes, ({ changes }) => <Changes changes={changes} />),
  ]
  return (
    <PageFrame title={text.audit} description={text.description}>
      <AuditFilters showAll={showAll} />
      <List
        queryKey={['admin', 'audit', filter]}
        load={(page) => call(api.admin.audit.get({ query: { ...filter, ...page } }))}
        columns={columns}
        keyOf={({ id }) => id}
        caption={text.audit}
        usual="-created_at"
        empty={<Empty text={text} showAll={showAll} />}
      />
    </PageFrame>
  )
}

/** What was changed, which leads to it where there is a list of such. */
function Subject({ item: { action, subject } }: { readonly item: AuditItem }) {
  const [resource = ''] = action.split('.')
  const name = subject.replace(`${resource} `, '')
  const place = { account: 'accounts', channel: 'channels', price: 'prices' }[resource]
  if (place === undefined) return <Name>{subject}</Name>
  const search = { [place === 'prices' ? 'model' : 'search']: name }
  return (
    <AnchorLink inherit to={`/admin/${place}`} search={search as never}>
      <Name>{subject}</Name>
    </AnchorLink>
  )
}

/** Whole where there is room; only very long ones are broken. */
const Name = ({ children }: { readonly children: string }) => (
  <span style={{ display: 'inline-block', maxWidth: 240, overflowWrap: 'break-word' }}>
    {children}
  </span>
)

function AuditFilters({ showAll }: { readonly showAll: false | (() => void) }) {
  const text = useText(texts)
  const { language } = useLanguage()
  return (
    <Group component="search" align="flex-end" gap="sm">
      <TextFilter name="actor" label={text.actor} placeholder={text.actorExample} w={half} />
      <Choice
        name="action"
        label={text.action}
        all={text.anyAction}
        w={half}
        data={resources.map((resource) => ({
          value: `${resource}.`,
          label: resourceName(resource, language),
        }))}
      />
      <TextFilter name="subject" label={text.subject} placeholder={text.subjectExample} w={half} />
      <TextFilter name="since" label={text.since} type="date" w={half} />
      {showAll && (
        <Button variant="default" onClick={showAll}>
          {text.clear}
        </Button>
      )}
    </Group>
  )
}

const Changes = ({ changes }: { readonly changes: readonly AuditChange[] }) =>
  changes.length > 0 && (
    <div>
      {changes.map((change) => (
        <LongText key={change.name} maw={420}>
          <Text span inherit c="dimmed">
            {change.name.replaceAll('_', ' ')}:
          </Text>{' '}
          <Step change={change} />
        </LongText>
      ))}
    </div>
  )

function Step({ change: { from, to } }: { readonly change: AuditChange }) {
  const text = useText(texts)
  const shown = (value: string | null) => (value === null || value === '' ? text.none : value)
  if (from === undefined && to === undefined) return text.hidden
  if (to === undefined) return shown(from ?? null)
  if (from === undefined) return shown(to)
  return (
    <>
      {shown(from)} → <strong>{shown(to)}</strong>
    </>
  )
}

const texts = bilingual({
  description: ['Changes by hand. They are kept for good.', '手动更改的记录，不可删改。'],
  actor: ['Who', '操作者'],
  action: ['What', '操作'],
  subject: ['Subject', '对象'],
  changes: ['Changed', '变更内容'],
  anyAction: ['Anything', '全部操作'],
  actorExample: ['E-mail, command line', '邮箱、command line'],
  subjectExample: ['E-mail, token 3 …', '邮箱、token 3 等'],
  since: ['Since (UTC)', '起始日期（UTC）'],
  clear: ['Clear', '清除'],
  hidden: ['changed (hidden)', '已更改（内容不公开）'],
  empty: ['Nothing was changed by hand yet', '还没有手动更改'],
  emptyHint: ['Changes by console or command line appear here.', '控制台或命令行的更改记录于此。'],
  noneFound: ['Nothing matches these filters', '没有符合筛选条件的记录'],
})

/** What actions begin with, and what they do, as one says it. */
const words: Readonly<Record<string, readonly [en: string, zh: string]>> = {
  account: ['Account', '账户'],
  token: ['Token', '令牌'],
  channel: ['Channel', '渠道'],
  group: ['Group', '分组'],
  price: ['Price', '价格'],
  settings: ['Settings', '设置'],
  credit: ['credited', '充值'],
  debit: ['debited', '扣减'],
  set: ['changed', '修改'],
  status: ['switched', '切换状态'],
  add: ['added', '新建'],
  create: ['created', '新建'],
  remove: ['removed', '删除'],
  restore: ['restored', '恢复'],
  recover: ['cooldown cleared', '标记为正常'],
  password: ['password set', '设置密码'],
  first_admin: ['became the first administrator', '成为首位管理员'],
  passkey_add: ['passkey added', '添加通行密钥'],
  passkey_remove: ['passkey removed', '移除通行密钥'],
  unlink: ['sign-in unlinked', '解除第三方登录'],
}

/** The parts of the gateway whose changes can be filtered by. */
const resources = ['account', 'token', 'channel', 'group', 'price', 'settings'] as const

/** `account.credit` in words; what has none stays as it is. */
function describeAction(action: string, language: Language): string {
  const [resource = '', verb = ''] = action.split('.')
  const index = language === 'zh' ? 1 : 0
  const what = words[resource]?.[index]
  const done = words[verb]?.[index] ?? verb.replaceAll('_', ' ')
  return what === undefined ? action : `${what}${language === 'zh' ? '：' : ' '}${done}`
}

const resourceName = (resource: string, language: Language): string =>
  words[resource]?.[language === 'zh' ? 1 : 0] ?? resource
