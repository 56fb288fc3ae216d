import { Button, Modal, SimpleGrid } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { type Filters as AnyFilters, Choice, Search, useFilters } from '../../parts/filters.tsx'
import { List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { useTokenColumns } from './columns.tsx'
import { tokensText } from './text.ts'
import { CreateToken, useGroups } from './token-form.tsx'

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
      <Filters key={round} />
      <List
        queryKey={['tokens', filter]}
        load={(page) => call(api.tokens.get({ query: { ...filter, ...page } }))}
        columns={columns}
        keyOf={({ id }) => id}
        caption={text.title}
        empty={
          isFiltered ? (
            <Empty title={text.noneFound} hint={text.noneFoundHint} showAll={showAll} />
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

/** The fields above the list. */
function Filters() {
  const text = useText(tokensText)
  const groups = useGroups().data?.items ?? []
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <Search label={text.search} placeholder={text.searchHint} />
      <Choice
        {...{ name: 'group', label: text.group, all: text.all }}
        data={groups.map(({ name }) => name)}
      />
      <Choice
        {...{ name: 'status', label: text.status, all: text.all }}
        data={(['active', 'disabled'] as const).map((value) => ({ value, label: text[value] }))}
      />
    </SimpleGrid>
  )
}
