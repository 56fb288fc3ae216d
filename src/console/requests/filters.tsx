import {
  Button,
  Collapse,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, call } from '../lib/api.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { causeChoices } from './causes.ts'
import { requestsText } from './text.ts'

interface FilterBarProps {
  readonly filters: Filters
  readonly set: (name: FilterName, value: string | undefined) => void
  readonly clear: () => void
  readonly isAll: boolean
}

const protocols = ['chat', 'responses', 'messages', 'gemini']
const always: readonly FilterName[] = ['request_id', 'outcome']

/** What the list is filtered by. Texts hold when their field is left, or by Enter. */
export function FilterBar({ filters, set, clear, isAll }: FilterBarProps) {
  const text = useText(requestsText)
  const isSet = filterNames.some((name) => filters[name] !== undefined)
  const [isOpen, { toggle }] = useDisclosure(
    filterNames.some((name) => !always.includes(name) && filters[name] !== undefined),
  )
  const outcomes = [
    { value: 'any', label: text.any },
    { value: 'succeeded', label: text.succeeded },
    { value: 'failed', label: text.failed },
  ]
  return (
    <Stack component="search" aria-label={text.filters} gap="sm">
      <Group align="flex-end" gap="sm">
        <SegmentedControl
          aria-label={text.outcome}
          data={outcomes}
          value={filters.outcome ?? 'any'}
          onChange={(value) => set('outcome', value === 'any' ? undefined : value)}
        />
        <FilterText
          {...{ filters, set }}
          name="request_id"
          label={text.requestId}
          placeholder={text.requestIdHint}
          miw={280}
        />
        <Button variant="subtle" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? text.fewer : text.more}
        </Button>
        {isSet && (
          <Button variant="default" onClick={clear}>
            {text.clear}
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <MoreFilters {...{ filters, set, isAll }} />
      </Collapse>
    </Stack>
  )
}

function MoreFilters({ filters, set, isAll }: Omit<FilterBarProps, 'clear'>) {
  const text = useText(requestsText)
  const { language } = useLanguage()
  const common = { filters, set }
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      {!isAll && <TokenChoice {...common} />}
      {isAll && <FilterText {...common} name="account" label={text.account} />}
      {isAll && <FilterText {...common} name="channel" label={text.channel} />}
      <FilterText {...common} name="group" label={text.group} />
      <FilterText {...common} name="model" label={text.model} />
      <FilterChoice
        {...common}
        name="cause"
        label={text.cause}
        data={causeChoices(language, 'request')}
      />
      <FilterText {...common} name="status" label={text.status} pattern="[1-5][0-9][0-9]" />
      <FilterChoice {...common} name="protocol" label={text.protocol} data={protocols} />
      <FilterTime {...common} name="since" label={text.since} />
      <FilterTime {...common} name="until" label={text.until} />
    </SimpleGrid>
  )
}

/** One of the own tokens; one that is gone keeps its number. */
function TokenChoice({ filters, set }: Pick<FilterBarProps, 'filters' | 'set'>) {
  const text = useText(requestsText)
  const query = useQuery({
    queryKey: ['tokens', 'to filter by'],
    queryFn: () => call(api.tokens.get({ query: { page_size: 100 } })),
  })
  const data = (query.data?.items ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))
  const { token } = filters
  const isKnown = token === undefined || data.some(({ value }) => value === token)
  const all = isKnown ? data : [...data, { value: token, label: `#${token}` }]
  return <FilterChoice {...{ filters, set }} name="token" label={text.token} data={all} />
}

interface FieldProps extends Pick<FilterBarProps, 'filters' | 'set'> {
  readonly name: FilterName
  readonly label: string
}

interface FilterTextProps extends FieldProps {
  readonly placeholder?: string
  readonly miw?: number
  readonly pattern?: string
}

/** A field that can be written in. */
export function FilterText({ filters, set, name, label, ...more }: FilterTextProps) {
  const take = (input: HTMLInputElement) => {
    const value = input.value.trim()
    if (value !== (filters[name] ?? '') && input.checkValidity()) set(name, value)
  }
  return (
    <TextInput
      key={filters[name] ?? ''}
      {...more}
      label={label}
      defaultValue={filters[name] ?? ''}
      onBlur={({ currentTarget }) => take(currentTarget)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') take(currentTarget)
      }}
    />
  )
}

interface FilterChoiceProps extends FieldProps {
  readonly data: readonly (string | { readonly value: string; readonly label: string })[]
}

/** A field with known values. */
export function FilterChoice({ filters, set, name, label, data }: FilterChoiceProps) {
  const text = useText(requestsText)
  return (
    <Select
      label={label}
      placeholder={text.any}
      data={[...data]}
      value={filters[name] ?? null}
      onChange={(value) => set(name, value ?? undefined)}
      searchable
      clearable
    />
  )
}

/** A time: written in local time, in the address in UTC. */
export function FilterTime({ filters, set, name, label }: FieldProps) {
  const value = filters[name]
  return (
    <TextInput
      key={value ?? ''}
      type="datetime-local"
      label={label}
      defaultValue={value === undefined ? '' : localTime(value)}
      onBlur={({ currentTarget }) => {
        const time = currentTarget.value === '' ? undefined : new Date(currentTarget.value)
        const changed = time === undefined ? undefined : time.toISOString()
        if (changed !== value) set(name, changed)
      }}
    />
  )
}

/** As the browser's field wants it: `2026-11-21T08:30`. */
function localTime(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return ''
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** What a list can be filtered by; the names are those of the API and of the address. */
const filterNames = [
  ...(['request_id', 'outcome', 'account', 'token', 'group', 'model', 'channel'] as const),
  ...(['cause', 'status', 'protocol', 'since', 'until'] as const),
] as const
type FilterName = (typeof filterNames)[number]
export type Filters = Partial<Readonly<Record<FilterName, string>>>

type Search = Readonly<Record<string, string | number | undefined>>

/** The filters in the address, and how to change one; undefined takes it away. */
export function useFilters() {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters: Filters = Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = search[name]
      return value === undefined || value === '' ? [] : [[name, String(value)]]
    }),
  )
  const go = (changed: Search) => void navigate({ to: '.', search: changed, replace: true })
  return {
    filters,
    isLive: search.live === 1,
    set: (name: FilterName, value: string | undefined) =>
      go({ ...search, [name]: value === '' ? undefined : value }),
    setLive: (isLive: boolean) => go({ ...search, live: isLive ? 1 : undefined }),
    clear: () => go({ live: search.live }),
  }
}

/** Filters as a query of the API, for addresses that are opened by the browser itself. */
export const queryOf = (filters: Filters): string => new URLSearchParams(filters).toString()

/** The same for calls, whose whole numbers are numbers. */
export function callQueryOf({ token, status, outcome, ...texts }: Filters) {
  const known = outcome === 'failed' || outcome === 'succeeded' ? { outcome } : {}
  return {
    ...texts,
    ...(token !== undefined && { token: Number(token) }),
    ...(status !== undefined && { status: Number(status) }),
    ...(known as { outcome?: 'failed' | 'succeeded' }),
  }
}
