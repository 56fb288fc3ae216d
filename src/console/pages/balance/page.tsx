import { Anchor, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { LedgerEntry } from '../../../admin/ledger/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { useFilters } from '../../lib/use-filters.ts'
import { useMe } from '../../lib/use-me.ts'
import { Empty } from '../../parts/empty.tsx'
import { type Column, List } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Figures } from './figures.tsx'
import { exportAddress, kinds, readFilter } from './filter.ts'
import { balanceText } from './text.ts'

/** What is left of one's money, and where the rest has gone. */
export function Page() {
  const text = useText(balanceText)
  const me = useMe().data
  const columns = useColumns()
  const [filters, choose] = useFilters()
  const [round, setRound] = useState(0)
  const filter = readFilter(filters)
  const showAll = () => {
    choose({ kind: '', since: '', until: '' })
    setRound(round + 1)
  }
  return (
    <PageFrame title={text.title} description={text.description}>
      {me && <Figures me={me} />}
      <Fields key={round} filters={filters} choose={choose} />
      <Stack gap={4}>
        <Group gap="sm">
          <Button
            component="a"
            variant="default"
            size="xs"
            href={exportAddress(filter, 'csv')}
            download
          >
            {text.exportCsv}
          </Button>
          <Button
            component="a"
            variant="default"
            size="xs"
            href={exportAddress(filter, 'jsonl')}
            download
          >
            {text.exportJsonl}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {text.exportHint}
        </Text>
      </Stack>
      <List
        queryKey={['ledger', filter]}
        load={(cursor) => call(api.ledger.get({ query: { ...filter, cursor } }))}
        columns={columns}
        keyOf={({ id }) => id}
        caption={text.ledger}
        empty={
          Object.keys(filter).length > 0 ? (
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
            <Empty title={text.none} hint={text.noneHint} />
          )
        }
      />
    </PageFrame>
  )
}

interface FieldsProps {
  readonly filters: ReturnType<typeof useFilters>[0]
  readonly choose: ReturnType<typeof useFilters>[1]
}

function Fields({ filters, choose }: FieldsProps) {
  const text = useText(balanceText)
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <Select
        label={text.kind}
        placeholder={text.all}
        data={kinds.map((kind) => ({ value: kind, label: text[kind] }))}
        value={filters.kind ?? null}
        onChange={(kind) => choose({ kind })}
        clearable
      />
      {(['since', 'until'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={text[name]}
          defaultValue={filters[name] ?? ''}
          onChange={({ currentTarget }) => choose({ [name]: currentTarget.value })}
        />
      ))}
    </SimpleGrid>
  )
}

function useColumns(): readonly Column<LedgerEntry>[] {
  const text = useText(balanceText)
  return [
    { label: text.when, render: ({ created_at }) => <Time at={created_at} /> },
    { label: text.kind, render: ({ kind }) => text[kind] },
    { label: text.about, render: (entry) => <About entry={entry} /> },
    { label: text.amount, isFigure: true, render: ({ amount }) => <Money usd={amount} /> },
    {
      label: text.after,
      isFigure: true,
      render: ({ balance_after }) => <Money usd={balance_after} />,
    },
  ]
}

/** The request of a charge, the reason of a change by hand. */
function About({ entry: { request_id: id, reason } }: { readonly entry: LedgerEntry }) {
  const text = useText(balanceText)
  if (id === null) return <span className="cut">{reason ?? '–'}</span>
  return (
    <Anchor
      size="sm"
      aria-label={`${text.request} ${id}`}
      renderRoot={(props) => <Link to="/requests/$id" params={{ id }} {...props} />}
    >
      {text.request}
    </Anchor>
  )
}
