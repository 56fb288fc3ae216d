import { useQuery } from '@tanstack/react-query'
import { api, call } from '../lib/api.ts'
import type { WayTo } from './palette-places.ts'

/** What was found of one kind. */
export interface Found {
  readonly kind: 'request' | 'tokens' | 'models' | 'prices' | 'channels' | 'groups' | 'accounts'
  readonly ways: readonly WayTo[]
}

interface Wanted {
  readonly query: string
  readonly isAdmin: boolean
  readonly isOpen: boolean
}

/** How many of a kind are shown. */
const most = 5

/** How many are read where the API can't search: names beyond are found on the list's own page. */
const pageSize = 100

/** What has `query` in its name, of all that the role may see; and whether the search for it is over. */
export function useFound({ query, isAdmin, isOpen }: Wanted) {
  const { data = [], isFetching } = useQuery({
    queryKey: ['palette', isAdmin, query],
    enabled: isOpen && query !== '',
    placeholderData: (last) => last,
    queryFn: () => find(query, isAdmin),
  })
  return { found: query === '' ? [] : data, isDone: !isFetching }
}

/** Each kind for itself: one that can't be read leaves the others. */
async function find(query: string, isAdmin: boolean): Promise<readonly Found[]> {
  const kinds: readonly (readonly [Found['kind'], Promise<readonly WayTo[]>])[] = [
    ['request', findRequest(query, isAdmin)],
    ['tokens', findTokens(query)],
    ['models', findModels(query)],
    ...(isAdmin
      ? ([
          ['prices', findPrices(query)],
          ['channels', findChannels(query)],
          ['groups', findGroups(query)],
          ['accounts', findAccounts(query)],
        ] as const)
      : []),
  ]
  const found = await Promise.all(
    kinds.map(async ([kind, ways]) => ({
      kind,
      ways: (await ways.catch(() => [])).slice(0, most),
    })),
  )
  return found.filter(({ ways }) => ways.length > 0)
}

const fits = (name: string, query: string) => name.toLowerCase().includes(query.toLowerCase())

async function findRequest(query: string, isAdmin: boolean): Promise<readonly WayTo[]> {
  if (!/^req_\w{8,}$/.test(query)) return []
  const id = { id: query }
  const found = isAdmin
    ? await call(api.admin.requests(id).get())
    : await call(api.requests(id).get())
  const to = `${isAdmin ? '/admin' : ''}/requests/${found.request_id}`
  return [{ to, label: found.request_id, hint: found.model ?? undefined }]
}

async function findTokens(search: string): Promise<readonly WayTo[]> {
  const { items } = await call(api.tokens.get({ query: { search, page_size: most } }))
  return items.map(({ id, name, group }) => ({ to: `/tokens/${id}`, label: name, hint: group }))
}

async function findModels(query: string): Promise<readonly WayTo[]> {
  const { items } = await call(api.groups.get())
  const models = new Set(items.flatMap((group) => group.models))
  return [...models]
    .filter((model) => fits(model, query))
    .map((model) => ({ to: '/plaza', label: model, search: { search: model } }))
}

async function findPrices(search: string): Promise<readonly WayTo[]> {
  const { items } = await call(api.admin.prices.get({ query: { search, page_size: most } }))
  return items.map(({ model }) => ({ to: '/admin/prices', label: model, search: { model } }))
}

async function findChannels(search: string): Promise<readonly WayTo[]> {
  const { items } = await call(api.admin.channels.get({ query: { search, page_size: pageSize } }))
  // The API finds models and addresses, too: without a word about them, they would surprise.
  return items
    .filter(({ name }) => fits(name, search))
    .map(({ id, name }) => ({ to: `/admin/channels/${id}`, label: name }))
}

async function findGroups(query: string): Promise<readonly WayTo[]> {
  const { items } = await call(api.admin.groups.get({ query: { page_size: pageSize } }))
  return items
    .filter(({ name }) => fits(name, query))
    .map(({ id, name }) => ({ to: `/admin/groups/${id}`, label: name }))
}

async function findAccounts(search: string): Promise<readonly WayTo[]> {
  const { items } = await call(api.admin.accounts.get({ query: { search, page_size: most } }))
  return items.map(({ id, email }) => ({ to: `/admin/accounts/${id}`, label: email }))
}
