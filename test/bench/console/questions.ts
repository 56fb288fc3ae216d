import type { Person } from './person.ts'

/** One answer of the console that is waited for. */
export interface Question {
  readonly name: string
  readonly path: string
  /** Only its beginning: it comes piece by piece. */
  readonly firstOnly?: boolean
}

const dayMs = 86_400_000
const at = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs).toISOString()

const filters: Readonly<Record<string, string>> = {
  '': '',
  'that failed': 'outcome=failed',
  'that succeeded': 'outcome=succeeded',
  'with a cause': 'cause=interrupted',
  'with a cause that none has': 'cause=none',
  'of a model': 'model=model-20',
  'of a rare model': 'model=nobody-has-17',
  'of no model': 'model=none',
  'with a status': 'status=502',
  'with a status that none has': 'status=418',
  'of a protocol': 'protocol=gemini',
  'of no protocol': 'protocol=none',
  'of a group': 'group=flat',
  'of a group without any': 'group=empty',
  'in an old day': `since=${at(80)}&until=${at(79)}`,
  'in a year without any': 'since=2020-01-01&until=2021-01-01',
  'in an old month, of no model': `since=${at(80)}&until=${at(50)}&model=none`,
  'of a rare model that succeeded': 'outcome=succeeded&model=nobody-has-17',
  'with a request id that none has': 'request_id=req_none',
}

const adminFilters: Readonly<Record<string, string>> = {
  ...filters,
  'of an account': 'account=account-1@example.com',
  'of an account with few': 'account=account-500@example.com',
  'of an account with few, of no model': 'account=account-500@example.com&model=none',
  'failed of an account with few': 'account=account-500@example.com&outcome=failed',
  'of a channel': 'channel=first',
  'of a channel without any': 'channel=main',
  'of a token': 'token=3',
  'of a token with few': 'token=4999',
  'of no token': 'token=999999',
}

const page = (path: string, query: string) => (query === '' ? path : `${path}?${query}`)

function requestsAt(path: string, all: Readonly<Record<string, string>>): Question[] {
  return Object.entries(all).map(([name, query]) => ({
    name: `requests ${name}`.trim(),
    path: page(path, query),
  }))
}

const overviews = (path: string): Question[] =>
  [7, 30, 90].map((days) => ({ name: `overview, ${days} days`, path: `${path}?days=${days}` }))

const files = (path: string): Question[] => [
  { name: 'export', path: `${path}/export`, firstOnly: true },
  { name: 'export of no model', path: `${path}/export?model=none`, firstOnly: true },
]

/** What a person asks of their own. */
export async function ownQuestions(person: Person): Promise<Question[]> {
  const { items } = await person.data('/api/v1/requests?outcome=failed')
  return [
    ...overviews('/api/v1/overview'),
    ...requestsAt('/api/v1/requests', filters),
    ...files('/api/v1/requests'),
    { name: 'receipt', path: `/api/v1/requests/${items[0].request_id}` },
    { name: 'diagnosis', path: `/api/v1/requests/${items[0].request_id}/diagnosis` },
    { name: 'ledger', path: '/api/v1/ledger' },
    { name: 'ledger: credits', path: '/api/v1/ledger?kind=credit' },
    { name: 'ledger export', path: '/api/v1/ledger/export', firstOnly: true },
    { name: 'tokens', path: '/api/v1/tokens' },
    { name: 'groups', path: '/api/v1/groups' },
    { name: 'me', path: '/api/v1/me' },
  ]
}

/** What an administrator asks. */
export async function adminQuestions(admin: Person): Promise<Question[]> {
  const { items } = await admin.data('/api/v1/admin/requests?outcome=failed')
  const [{ id }] = (await admin.data('/api/v1/admin/accounts?search=account-1@')).items
  const attempts = '/api/v1/admin/attempts'
  return [
    ...overviews('/api/v1/admin/overview'),
    ...requestsAt('/api/v1/admin/requests', adminFilters),
    ...files('/api/v1/admin/requests'),
    { name: 'receipt', path: `/api/v1/admin/requests/${items[0].request_id}` },
    { name: 'diagnosis', path: `/api/v1/admin/requests/${items[0].request_id}/diagnosis` },
    { name: 'attempts', path: attempts },
    { name: 'attempts that failed', path: `${attempts}?outcome=failed` },
    { name: 'attempts, cause that none has', path: `${attempts}?cause=none` },
    { name: 'attempts of a channel without any', path: `${attempts}?channel=main` },
    { name: 'accounts', path: '/api/v1/admin/accounts?page_size=100' },
    { name: 'accounts, search', path: '/api/v1/admin/accounts?search=COUNT-19' },
    { name: 'account', path: `/api/v1/admin/accounts/${id}` },
    { name: "account's ledger", path: `/api/v1/admin/accounts/${id}/ledger` },
    { name: "account's tokens", path: `/api/v1/admin/accounts/${id}/tokens` },
    { name: 'audit', path: '/api/v1/admin/audit?page_size=100' },
    { name: 'audit of a rare actor', path: '/api/v1/admin/audit?actor=rare@example.com' },
    { name: 'audit of no action', path: '/api/v1/admin/audit?action=none' },
    { name: 'channels', path: '/api/v1/admin/channels' },
    { name: 'groups', path: '/api/v1/admin/groups' },
    { name: 'prices', path: '/api/v1/admin/prices' },
    { name: 'price history', path: '/api/v1/admin/prices/gpt-large/history' },
    { name: 'settings', path: '/api/v1/admin/settings' },
    { name: 'config.yaml', path: '/api/v1/admin/config.yaml', firstOnly: true },
  ]
}

/** What everybody may see. */
export const publicQuestions: readonly Question[] = [
  { name: 'status page', path: '/status' },
  { name: 'feed', path: '/pricing/provider-pricing.json' },
  { name: 'plaza', path: '/api/v1/model-plaza' },
  { name: 'status, as JSON', path: '/api/v1/status' },
]
