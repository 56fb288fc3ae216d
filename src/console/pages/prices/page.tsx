import { Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core'
import type { FeedRowView, PriceView } from '../../../admin/prices/schema.ts'
import { api, call, useMe } from '../../lib/api.ts'
import { formatUsd } from '../../lib/format.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { opensDialog } from '../../parts/action.tsx'
import { FixedChoice, Search, useFilters } from '../../parts/filters.tsx'
import { type Column, column, List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { ButtonLink, SmallHint, Time } from '../../parts/text.tsx'
import { Details } from './details.tsx'
import { feedLabels, TermsLine } from './terms.tsx'
import { priceText } from './text.ts'

/** All models with the price in force; one of them, or the feed, on demand. */
export function Page() {
  const text = useText(priceText)
  const [filters, setFilters] = useFilters()
  const tab = filters.tab === 'feed' ? 'feed' : 'models'
  return (
    <PageFrame title={text.prices} description={text.description}>
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
  return (
    <>
      <Group mb="md" align="flex-end">
        <Search label={text.search} w={{ base: '100%', xs: 280 }} />
        <FixedChoice
          name="state"
          label={text.state}
          all={text.all}
          w={{ base: '100%', xs: 240 }}
          data={choicesOf(states, text)}
        />
      </Group>
      <List
        queryKey={['prices', query]}
        load={(page) => call(api.admin.prices.get({ query: { ...query, ...page } }))}
        keyOf={({ model }) => model}
        caption={text.caption}
        columns={useColumns((model) => setFilters({ model }))}
        empty={
          <Empty
            text={text}
            action={
              <ButtonLink to="/admin/channels" variant="default">
                {text.toChannels}
              </ButtonLink>
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
    column(text.model, ({ model }) => (
      <Anchor
        component="button"
        type="button"
        ta="start"
        {...opensDialog}
        onClick={() => open(model)}
      >
        <span className="cut">{model}</span>
      </Anchor>
    )),
    column(text.price, ({ price, is_missing }) => {
      if (price !== null && price.terms.unit !== 'none') return <TermsLine terms={price.terms} />
      const words = price === null ? text.noPrice : text.removed
      return (
        <Text size="sm" c={is_missing ? 'red' : 'dimmed'}>
          {words}
        </Text>
      )
    }),
    column(text.source, ({ price }) => price && text.sources[price.source]),
    column(text.groups, ({ groups }) => (
      <span className="cut">{groups.map(({ name }) => name).join(', ') || text.nowhere}</span>
    )),
    column(text.since, ({ price }) => price && <Time at={price.valid_from} />),
  ]
}

function Feed() {
  const text = useText(priceText)
  const feedUrl = useMe().data?.site.price_feed_url
  const [{ search }] = useFilters()
  const query = search ? { search } : {}
  return (
    <Stack>
      <Text c="dimmed">{text.feedDescription}</Text>
      <Group align="flex-end">
        <Search label={text.search} w={{ base: '100%', xs: 280 }} />
        {feedUrl && (
          <Button component="a" href={feedUrl} variant="default">
            {text.feedOpen}
          </Button>
        )}
      </Group>
      <List<FeedRowView>
        queryKey={['feed', query]}
        load={(page) => call(api.admin.feed.get({ query: { ...query, ...page } }))}
        keyOf={({ model, group }) => JSON.stringify([group, model])}
        caption={text.feedCaption}
        columns={[
          column(text.group, ({ group }) => <span className="cut">{group}</span>),
          column(text.model, ({ model }) => <span className="cut">{model}</span>),
          column(text.price, ({ prices }) => <FinalPrices prices={prices} />),
          column(text.state2, ({ enabled }) => (enabled ? text.enabled : text.disabled)),
          column(text.note, ({ note }) => <span className="cut">{note}</span>),
        ]}
        empty={<Empty text={{ empty: text.feedEmpty }} />}
      />
    </Stack>
  )
}

type Prices = FeedRowView['prices']

/** The figures of the feed with their names; those that are equal share a line. */
function FinalPrices({ prices }: { readonly prices: Prices }) {
  const text = useText(priceText)
  if (prices.unit_price !== undefined) return text.perCall(formatUsd(prices.unit_price))
  const labels = feedLabels(text)
  const main = ['input_price', 'output_price'] as const
  const rest = ['cache_input_price', 'cache_create_price', 'cache_create_price_1h'] as const
  const line = (some: typeof main | typeof rest) =>
    some.map((name) => `${labels[name]} ${formatUsd(prices[name] ?? '0')}`).join(' · ')
  return (
    <Stack gap={0}>
      <Text size="sm">{line(main)}</Text>
      <SmallHint>{line(rest)}</SmallHint>
    </Stack>
  )
}
