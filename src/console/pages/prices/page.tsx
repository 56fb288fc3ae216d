import { Anchor, Box, Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { FeedRowView, PriceTermsView, PriceView } from '../../../admin/prices/schema.ts'
import { api, call, useMe } from '../../lib/api.ts'
import { useFilters, useListFilter } from '../../lib/filters.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { opensDialog } from '../../parts/action.tsx'
import { FewNames } from '../../parts/few-names.tsx'
import { Choice, half, Search } from '../../parts/filters.tsx'
import { List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { Price } from '../../parts/price.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { type Column, column, figure, inCard, short, sorted } from '../../parts/table.tsx'
import { ButtonLink, Day, SmallHint } from '../../parts/text.tsx'
import { priceText } from './text.ts'

/** Loaded with the first model that is looked at. */
const Details = lazy(async () => ({ default: (await import('./details.tsx')).Details }))

/** All models with the price in force; one of them, or the feed, on demand. */
export function Page() {
  const text = useText(priceText)
  const [filters, setFilters] = useFilters()
  const tab = filters.tab === 'feed' ? 'feed' : 'models'
  const [wasOpened, setWasOpened] = useState(false)
  if (filters.model !== undefined && !wasOpened) setWasOpened(true)
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
      {wasOpened && (
        <Suspense>
          <Details model={filters.model} close={() => setFilters({ model: null, part: null })} />
        </Suspense>
      )}
    </PageFrame>
  )
}

const states = ['missing', 'override', 'vendor', 'unused'] as const

function Models() {
  const text = useText(priceText)
  const [, setFilters] = useFilters()
  const { filter, key, showAll } = useListFilter({ search: null, state: states })
  return (
    <>
      <Group mb="md" align="flex-end" gap="sm" key={key}>
        <Search label={text.search} w={half} />
        <Choice
          name="state"
          label={text.state}
          all={text.all}
          w={half}
          data={choicesOf(states, text)}
        />
      </Group>
      <List
        queryKey={['prices', filter]}
        load={(page) => call(api.admin.prices.get({ query: { ...filter, ...page } }))}
        keyOf={({ model }) => model}
        caption={text.caption}
        columns={useColumns((model) => setFilters({ model }))}
        empty={
          <Empty
            text={text}
            showAll={showAll}
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

type Sort = 'model' | 'input' | 'output' | 'cache_read' | 'source' | 'valid_from'

function useColumns(open: (model: string) => void): readonly Column<PriceView, Sort>[] {
  const text = useText(priceText)
  return [
    sorted(
      'model',
      column(text.model, ({ model, price }) => (
        <Box>
          <Anchor
            component="button"
            type="button"
            ta="start"
            {...opensDialog}
            onClick={() => open(model)}
          >
            <span className="cut">{model}</span>
          </Anchor>
          {price?.terms.unit === 'tokens' && price.terms.tiers.length > 0 && (
            <SmallHint>{text.tierCount(price.terms.tiers.length)}</SmallHint>
          )}
        </Box>
      )),
    ),
    sorted(
      'input',
      figure(text.input, ({ price }) => <FirstPrice terms={price?.terms} />),
    ),
    sorted(
      'output',
      figure(text.output, ({ price }) => <Price usd={ratesOf(price)?.output} />),
    ),
    sorted(
      'cache_read',
      figure(text.cache_read, ({ price }) => <Price usd={ratesOf(price)?.cache_read} />),
    ),
    sorted(
      'source',
      short(text.source, ({ price, is_missing }) => {
        if (price !== null && price.terms.unit !== 'none') return text.sources[price.source]
        return (
          <Text size="sm" c={is_missing ? 'red' : 'dimmed'}>
            {price === null ? text.noPrice : text.removed}
          </Text>
        )
      }),
    ),
    column(text.groups, ({ groups }) => (
      <FewNames names={groups.map(({ name }) => name)} none={text.nowhere} />
    )),
    sorted(
      'valid_from',
      short(text.since, ({ price }) => price && <Day of={price.valid_from.slice(0, 10)} />),
    ),
  ]
}

const ratesOf = (price: PriceView['price']) =>
  price?.terms.unit === 'tokens' ? price.terms : undefined

/** The price of input; of a model that has none, what a call costs, or that it is free. */
function FirstPrice({ terms }: { readonly terms: PriceTermsView | undefined }) {
  const text = useText(priceText)
  if (terms?.unit === 'free') return text.free
  if (terms?.unit !== 'call') return <Price usd={terms?.unit === 'tokens' ? terms.input : null} />
  return (
    <>
      <Price usd={terms.per_call} />
      <SmallHint>{text.aCall}</SmallHint>
    </>
  )
}

function Feed() {
  const text = useText(priceText)
  const feedUrl = useMe().data?.site.price_feed_url
  const { filter, key, showAll } = useListFilter({ search: null })
  return (
    <Stack key={key}>
      <Text c="dimmed">{text.feedDescription}</Text>
      <Group align="flex-end">
        <Search label={text.search} w={{ base: '100%', xs: 280 }} />
        {feedUrl && (
          <Button component="a" href={feedUrl} variant="default">
            {text.feedOpen}
          </Button>
        )}
      </Group>
      <List<FeedRowView, 'group' | 'model'>
        queryKey={['feed', filter]}
        load={(page) => call(api.admin.feed.get({ query: { ...filter, ...page } }))}
        keyOf={({ model, group }) => JSON.stringify([group, model])}
        caption={text.feedCaption}
        sortWord="feed-sort"
        columns={[
          sorted(
            'group',
            inCard(
              'beside',
              column(text.group, ({ group }) => <span className="cut">{group}</span>),
            ),
          ),
          sorted(
            'model',
            inCard(
              'name',
              column(text.model, ({ model }) => <span className="cut">{model}</span>),
            ),
          ),
          figure(text.input, ({ prices: { unit_price, input_price } }) => (
            <>
              <Price usd={unit_price ?? input_price} />
              {unit_price !== undefined && <SmallHint>{text.aCall}</SmallHint>}
            </>
          )),
          figure(text.output, ({ prices }) => <Price usd={prices.output_price} />),
          figure(text.cache_read, ({ prices }) => <Price usd={prices.cache_input_price} />),
          figure(text.cache_write, ({ prices }) => <Price usd={prices.cache_create_price} />),
          {
            ...figure<FeedRowView>(text.cache_write_1h, ({ prices }) => (
              <Price usd={prices.cache_create_price_1h} />
            )),
            cardLabel: text.write1h,
          },
          short(text.state2, ({ enabled }) => (
            <StatusBadge color={enabled ? 'ok' : 'soft'}>
              {enabled ? text.enabled : text.disabled}
            </StatusBadge>
          )),
          column(text.note, ({ note }) => note !== '' && <span className="cut">{note}</span>),
        ]}
        empty={
          <Empty text={{ empty: text.feedEmpty, noneFound: text.noneFound }} showAll={showAll} />
        }
      />
    </Stack>
  )
}
