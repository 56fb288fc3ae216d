import { Anchor, Button, Group, Select, Tabs, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import type { PriceView } from '../../../admin/prices/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { useFilters } from '../../lib/use-filters.ts'
import { Empty } from '../../parts/empty.tsx'
import { type Column, List } from '../../parts/list.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Details } from './details.tsx'
import { Feed } from './feed.tsx'
import { TermsLine } from './terms.tsx'
import { priceText } from './text.ts'

/** All models with the price in force; one of them, or the feed, on demand. */
export function Page() {
  const text = useText(priceText)
  const [filters, setFilters] = useFilters()
  const tab = filters.tab === 'feed' ? 'feed' : 'models'
  return (
    <PageFrame title={text.title} description={text.description}>
      <Tabs
        value={tab}
        onChange={(value) => setFilters({ tab: value === 'feed' ? 'feed' : null, search: null })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="models">{text.models}</Tabs.Tab>
          <Tabs.Tab value="feed">{text.feed}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="models">
          <Models />
        </Tabs.Panel>
        <Tabs.Panel value="feed">
          <Feed />
        </Tabs.Panel>
      </Tabs>
      <Details model={filters.model} close={() => setFilters({ model: null, part: null })} />
    </PageFrame>
  )
}

type State = 'missing' | 'override' | 'vendor' | 'unused'
const states: readonly State[] = ['missing', 'override', 'vendor', 'unused']
const readState = (word: string | undefined) => states.find((state) => state === word)

function Models() {
  const text = useText(priceText)
  const [{ search, state: word }, setFilters] = useFilters()
  const state = readState(word)
  const query = { ...(search && { search }), ...(state && { state }) }
  const typed = useDebouncedCallback((value: string) => setFilters({ search: value }), 250)
  return (
    <>
      <Group mb="md" align="flex-end">
        <TextInput
          label={text.search}
          type="search"
          defaultValue={search ?? ''}
          onChange={(event) => typed(event.currentTarget.value)}
          w={{ base: '100%', xs: 280 }}
        />
        <Select
          label={text.state}
          w={{ base: '100%', xs: 240 }}
          value={state ?? 'all'}
          allowDeselect={false}
          data={[
            { value: 'all', label: text.all },
            ...states.map((one) => ({ value: one, label: text[one] })),
          ]}
          onChange={(value) => setFilters({ state: value === 'all' ? null : value })}
        />
      </Group>
      <List
        queryKey={['prices', query]}
        load={(cursor) =>
          call(api.admin.prices.get({ query: { ...query, ...(cursor && { cursor }) } }))
        }
        keyOf={({ model }) => model}
        caption={text.caption}
        columns={useColumns((model) => setFilters({ model }))}
        empty={
          <Empty
            title={text.emptyTitle}
            hint={text.emptyHint}
            action={
              <Button component={Link} to="/admin/channels" variant="default">
                {text.toChannels}
              </Button>
            }
          />
        }
      />
    </>
  )
}

function useColumns(open: (model: string) => void): readonly Column<PriceView>[] {
  const text = useText(priceText)
  return [
    {
      label: text.model,
      render: ({ model }) => (
        <Anchor component="button" type="button" ta="start" onClick={() => open(model)}>
          <span className="cut">{model}</span>
        </Anchor>
      ),
    },
    {
      label: text.price,
      render: ({ price, is_missing }) => {
        if (price !== null && price.terms.unit !== 'none') return <TermsLine terms={price.terms} />
        const words = price === null ? text.noPrice : text.removed
        return (
          <Text size="sm" c={is_missing ? 'red' : 'dimmed'}>
            {words}
          </Text>
        )
      },
    },
    {
      label: text.source,
      render: ({ price }) => price && text.sources[price.source],
    },
    {
      label: text.groups,
      render: ({ groups }) => (
        <span className="cut">{groups.map(({ name }) => name).join(', ') || text.nowhere}</span>
      ),
    },
    { label: text.since, render: ({ price }) => price && <Time at={price.valid_from} /> },
  ]
}
