import { Button, Modal, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { type Filters as AnyFilters, useFilters } from '../../lib/use-filters.ts'
import { List } from '../../parts/list.tsx'
import { Empty } from '../../parts/notices.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { useTokenColumns } from './columns.tsx'
import { CreateToken } from './create-token.tsx'
import { tokensText } from './text.ts'
import { useGroups } from './token-fields.tsx'

/** The API keys of who is signed in. */
export function Page() {
  const text = useText(tokensText)
  const columns = useTokenColumns()
  const [isOpen, { open, close }] = useDisclosure()
  const [filters, choose] = useFilters()
  // The fields begin anew when all is shown.
  const [round, setRound] = useState(0)
  const filter = readFilter(filters)
  const isFiltered = Object.keys(filter).length > 0
  const showAll = () => {
    choose({ search: '', group: '', status: '' })
    setRound(round + 1)
  }
  return (
    <PageFrame
      title={text.title}
      description={text.description}
      actions={<Button onClick={open}>{text.create}</Button>}
    >
      <Filters key={round} value={filter} choose={choose} />
      <List
        queryKey={['tokens', filter]}
        load={(page) => call(api.tokens.get({ query: { ...filter, ...page } }))}
        columns={columns}
        keyOf={({ id }) => id}
        caption={text.title}
        empty={
          isFiltered ? (
            <Empty
              title={text.noneFound}
              hint={text.noneFoundHint}
              action={
                <Button variant="default" onClick={showAll}>
                  {text.showAll}
                </Button>
              }
            />
          ) : (
            <Empty
              title={text.none}
              hint={text.noneHint}
              action={<Button onClick={open}>{text.create}</Button>}
            />
          )
        }
      />
      <Modal
        opened={isOpen}
        onClose={close}
        title={text.createTitle}
        size="lg"
        closeOnClickOutside={false}
      >
        <CreateToken close={close} />
      </Modal>
    </PageFrame>
  )
}

/** What of the address the API knows; another status than these is none. */
function readFilter({ search, group, status }: AnyFilters): TokenFilter {
  const known = status === 'active' || status === 'disabled' ? status : undefined
  return {
    ...(search && { search }),
    ...(group && { group }),
    ...(known && { status: known }),
  }
}

/** Which tokens to list. */
interface TokenFilter {
  readonly search?: string
  readonly group?: string
  readonly status?: 'active' | 'disabled'
}

interface FiltersProps {
  readonly value: TokenFilter
  readonly choose: (changed: { readonly [name: string]: string | null }) => void
}

/** The fields above the list. */
function Filters({ value, choose }: FiltersProps) {
  const text = useText(tokensText)
  const groups = useGroups().data?.items ?? []
  const [typed, setTyped] = useState(value.search ?? '')
  const search = useDebouncedCallback((found: string) => choose({ search: found }), 300)
  const statuses = [
    { value: 'active', label: text.active },
    { value: 'disabled', label: text.disabled },
  ] as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <TextInput
        type="search"
        label={text.search}
        placeholder={text.searchHint}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          search(currentTarget.value)
        }}
      />
      <Select
        label={text.group}
        placeholder={text.all}
        data={groups.map(({ name }) => name)}
        value={value.group ?? null}
        onChange={(group) => choose({ group })}
        clearable
      />
      <Select
        label={text.status}
        placeholder={text.all}
        data={statuses}
        value={value.status ?? null}
        onChange={(status) => choose({ status })}
        clearable
      />
    </SimpleGrid>
  )
}
