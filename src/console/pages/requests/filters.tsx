import { Button, Collapse, Group, SegmentedControl, SimpleGrid, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { api, useCall } from '../../lib/api.ts'
import { useFilters, useListFilter } from '../../lib/filters.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { useChannelNames } from '../../lib/names.ts'
import { Choice, half, TextFilter, TimeFilter } from '../../parts/filters.tsx'
import { protocols } from '../channels/channel-fields.ts'
import { useGroups } from '../tokens/groups.ts'
import { causeChoices } from './causes.ts'
import { requestsText } from './text.ts'
import { TimeChoice } from './time-choice.tsx'

export const outcomes = ['succeeded', 'failed'] as const

/** What a list can be filtered by; the names are those of the API and of the address. */
const known = {
  ...{ request_id: null, outcome: outcomes, account: null, token: null, group: null, model: null },
  ...{ channel: null, cause: null, status: null, protocol: null, since: null, until: null },
} as const
export type Filters = ReturnType<typeof useRequestFilters>['filters']

/** The filters of requests in the address, and whether the list is live. */
export function useRequestFilters() {
  const [{ live, sort }, set] = useFilters()
  const { filter: filters, showAll } = useListFilter(known)
  return {
    ...{ filters, showAll },
    // What has just ended comes on top: so it is live only with the newest first.
    isLive: live === '1' && sort === undefined,
    setLive: (isLive: boolean) => set({ live: isLive ? 1 : undefined, sort: undefined }),
  }
}

/** Those that stand above the others. */
const always: readonly string[] = ['request_id', 'outcome', 'since', 'until']

/** What the list is filtered by. */
export function FilterBar({ isAll }: { readonly isAll: boolean }) {
  const text = useText(requestsText)
  const [, set] = useFilters()
  const { filters, showAll } = useRequestFilters()
  const names = Object.keys(filters)
  const [isOpen, { toggle }] = useDisclosure(names.some((name) => !always.includes(name)))
  return (
    <Stack component="search" aria-label={text.filters} gap="sm">
      <Group align="flex-end" gap="sm">
        <SegmentedControl
          aria-label={text.outcome}
          data={choicesOf(['any', ...outcomes], text)}
          value={filters.outcome ?? 'any'}
          onChange={(value) => set({ outcome: value === 'any' ? undefined : value })}
        />
        <TimeChoice w={{ base: half.base, xs: 'auto' }} />
        <TextFilter
          name="request_id"
          label={text.requestId}
          placeholder={text.requestIdHint}
          w={{ base: half.base, xs: 280 }}
        />
        <Button variant="transparent" px={0} onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? text.fewer : text.more}
        </Button>
        {showAll && (
          <Button variant="default" onClick={showAll}>
            {text.clear}
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <MoreFilters isAll={isAll} isOpen={isOpen} />
      </Collapse>
    </Stack>
  )
}

interface MoreFiltersProps {
  readonly isAll: boolean
  readonly isOpen: boolean
}

function MoreFilters({ isAll, isOpen }: MoreFiltersProps) {
  const text = useText(requestsText)
  const groups = useGroups().data?.items ?? []
  const models = [...new Set(groups.flatMap((group) => group.models))].sort()
  const channels = useChannelNames(isAll && isOpen)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      {!isAll && <TokenChoice />}
      {isAll && <TextFilter name="account" label={text.account} />}
      {isAll && <TextFilter name="channel" label={text.channel} known={channels} />}
      <TextFilter name="group" label={text.group} known={groups.map(({ name }) => name)} />
      <TextFilter name="model" label={text.model} known={models} />
      <Choice name="cause" label={text.cause} data={causeChoices('request')} />
      <TextFilter name="status" label={text.status} pattern="[1-5][0-9][0-9]" />
      <Choice name="protocol" label={text.protocol} data={protocols} />
      {/* A day with its time needs a phone's whole width. */}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" style={{ gridColumn: 'span 2' }}>
        <TimeFilter name="since" label={text.since} />
        <TimeFilter name="until" label={text.until} />
      </SimpleGrid>
    </SimpleGrid>
  )
}

function TokenChoice() {
  const text = useText(requestsText)
  const [{ token }] = useFilters()
  const query = useCall(['tokens', 'to filter by'], () =>
    api.tokens.get({ query: { page_size: 100 } }),
  )
  const data = (query.data?.items ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))
  const isKnown = token === undefined || data.some(({ value }) => value === token)
  const all = isKnown ? data : [...data, { value: token, label: `#${token}` }]
  return <Choice name="token" label={text.token} data={all} />
}

/** Filters as a query of the API, for addresses that are opened by the browser itself. */
export const queryOf = (filters: Filters): string => new URLSearchParams(filters).toString()

/** The same for calls, whose whole numbers are numbers. */
export const callQueryOf = ({ token, status, ...texts }: Filters) => ({
  ...texts,
  ...(token !== undefined && { token: Number(token) }),
  ...(status !== undefined && { status: Number(status) }),
})
