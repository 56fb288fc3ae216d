import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { type Filters as AnyFilters, useFilters } from '../../lib/use-filters.ts'
import { Empty } from '../../parts/empty.tsx'
import { List } from '../../parts/list.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { useTokenColumns } from './columns.tsx'
import { CreateToken } from './create-token.tsx'
import { Filters, type TokenFilter } from './filters.tsx'
import { tokensText } from './text.ts'

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
        load={(cursor) => call(api.tokens.get({ query: { ...filter, cursor } }))}
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
        closeButtonProps={{ 'aria-label': text.close }}
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
