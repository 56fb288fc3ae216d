import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { useFilters } from '../../lib/use-filters.ts'
import { useMe } from '../../lib/use-me.ts'
import { Empty } from '../../parts/empty.tsx'
import { List } from '../../parts/list.tsx'
import { FinalPrices } from './final-prices.tsx'
import { priceText } from './text.ts'

/** The public price feed as it is, row by row. */
export function Feed() {
  const text = useText(priceText)
  const feedUrl = useMe().data?.site.price_feed_url
  const [{ search }, setFilters] = useFilters()
  const typed = useDebouncedCallback((value: string) => setFilters({ search: value }), 250)
  const query = search ? { search } : {}
  return (
    <Stack>
      <Text c="dimmed">{text.feedDescription}</Text>
      <Group align="flex-end">
        <TextInput
          label={text.search}
          type="search"
          defaultValue={search ?? ''}
          onChange={(event) => typed(event.currentTarget.value)}
          w={{ base: '100%', xs: 280 }}
        />
        {feedUrl && (
          <Button component="a" href={feedUrl} variant="default">
            {text.feedOpen}
          </Button>
        )}
      </Group>
      <List
        queryKey={['feed', query]}
        load={(cursor) =>
          call(api.admin.feed.get({ query: { ...query, ...(cursor && { cursor }) } }))
        }
        keyOf={({ model, group }) => JSON.stringify([group, model])}
        caption={text.feedCaption}
        columns={[
          { label: text.group, render: ({ group }) => <span className="cut">{group}</span> },
          { label: text.model, render: ({ model }) => <span className="cut">{model}</span> },
          { label: text.price, render: ({ prices }) => <FinalPrices prices={prices} /> },
          {
            label: text.state2,
            render: ({ enabled }) => (enabled ? text.enabled : text.disabled),
          },
          { label: text.note, render: ({ note }) => <span className="cut">{note}</span> },
        ]}
        empty={<Empty title={text.feedEmpty} />}
      />
    </Stack>
  )
}
