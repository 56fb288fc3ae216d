import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Empty } from '../../parts/empty.tsx'
import { List } from '../../parts/list.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { useTokenColumns } from './columns.tsx'
import { CreateToken } from './create-token.tsx'
import { Filters, type TokenSearch } from './filters.tsx'
import { tokensText } from './text.ts'

/** The API keys of who is signed in. */
export function Page() {
  const text = useText(tokensText)
  const columns = useTokenColumns()
  const [isOpen, { open, close }] = useDisclosure()
  const { filter, choose, clear, round } = useFilter()
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <PageFrame
      title={text.title}
      description={text.description}
      actions={<Button onClick={open}>{text.create}</Button>}
    >
      <Filters key={round} value={filter} choose={choose} />
      <List
        queryKey={['tokens', filter]}
        load={(cursor) => call(api.tokens.get({ query: { ...given(filter), cursor } }))}
        columns={columns}
        keyOf={({ id }) => id}
        caption={text.title}
        empty={
          isFiltered ? (
            <Empty
              title={text.noneFound}
              hint={text.noneFoundHint}
              action={
                <Button variant="default" onClick={clear}>
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
      <Modal opened={isOpen} onClose={close} title={text.createTitle} size="lg">
        <CreateToken close={close} />
      </Modal>
    </PageFrame>
  )
}

/** What is not chosen is not asked. */
const given = (filter: TokenSearch) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** The filter in the address. */
function useFilter() {
  const search = useSearch({ strict: false }) as { readonly [name: string]: unknown }
  const navigate = useNavigate()
  const [round, setRound] = useState(0)
  const word = (value: unknown) => (value === undefined ? undefined : String(value))
  const status = word(search.status)
  const filter: TokenSearch = {
    search: word(search.search),
    group: word(search.group),
    status: status === 'active' || status === 'disabled' ? status : undefined,
  }
  return {
    filter,
    round,
    choose: (changed: TokenSearch) =>
      void navigate({ to: '/tokens', search: { ...filter, ...changed }, replace: true }),
    clear: () => {
      setRound((before) => before + 1)
      void navigate({ to: '/tokens', search: {}, replace: true })
    },
  }
}
