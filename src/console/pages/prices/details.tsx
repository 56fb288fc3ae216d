import { Badge, Button, Drawer, Group, Stack, Tabs, Text, Timeline, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { PriceView } from '../../../admin/prices/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { listText } from '../../parts/list.tsx'
import { ErrorNotice, Warnings } from '../../parts/page.tsx'
import { Hint, Labelled, Time } from '../../parts/text.tsx'
import { Edit } from './edit.tsx'
import { TermsDetails } from './terms.tsx'
import { priceText } from './text.ts'

/** One model, beside the list. */
export function Details({ model, close }: { model: string | undefined; close: () => void }) {
  // What is open when it is made does not know where the focus was, and can't give it back.
  const [isMade, setMade] = useState(false)
  useEffect(() => setMade(true), [])
  return (
    <Drawer
      opened={isMade && model !== undefined}
      onClose={close}
      position="right"
      size="xl"
      title={
        <Title order={2} size="h4" className="cut" component="span">
          {model}
        </Title>
      }
    >
      {model !== undefined && <Content key={model} model={model} />}
    </Drawer>
  )
}

function Content({ model }: { readonly model: string }) {
  const text = useText(priceText)
  const query = useQuery({
    queryKey: ['price', model],
    queryFn: () => call(api.admin.prices({ model: encodeURIComponent(model) }).get()),
    // It is read anew when the drawer is opened.
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (query.error) return <ErrorNotice error={query.error} retry={() => void query.refetch()} />
  const view = query.data
  if (!view) return null
  return (
    <Stack>
      <About view={view} />
      <Tabs defaultValue="edit" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="edit">{text.edit}</Tabs.Tab>
          <Tabs.Tab value="history">{text.history}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="edit" keepMounted>
          <Edit view={view} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History model={model} inForce={view.price?.id} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

function About({ view }: { readonly view: PriceView }) {
  const text = useText(priceText)
  const { channels, context_window } = view
  return (
    <Stack gap="xs">
      <Group gap="md">
        <Labelled label={text.offeredBy} className="cut">
          {channels.map(({ name }) => name).join(', ') || text.nobody}
        </Labelled>
        {context_window !== null && <Text size="sm">{text.contextWindow(context_window)}</Text>}
      </Group>
      <Warnings of={view} />
    </Stack>
  )
}

function History({ model, inForce }: { model: string; inForce: number | undefined }) {
  const text = useText(priceText)
  const { more } = useText(listText)
  const query = useInfiniteQuery({
    queryKey: ['price-history', model, inForce],
    queryFn: ({ pageParam }) =>
      call(
        api.admin.prices({ model: encodeURIComponent(model) }).history.get({
          query: pageParam === undefined ? {} : { cursor: pageParam },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  if (query.error) return <ErrorNotice error={query.error} retry={() => void query.refetch()} />
  const versions = query.data?.pages.flatMap(({ items }) => items) ?? []
  if (query.data && versions.length === 0) return <Text>{text.noPrice}</Text>
  return (
    <Stack>
      <Timeline
        active={versions.findIndex(({ id }) => id === inForce)}
        bulletSize={16}
        lineWidth={2}
      >
        {versions.map(({ id, terms, source, note, valid_from }) => (
          <Timeline.Item
            key={id}
            title={
              <Group gap="xs">
                <Time at={valid_from} />
                <Badge variant="default" fw={500}>
                  {text.sources[source]}
                </Badge>
                {id === inForce && <Badge>{text.inForce}</Badge>}
              </Group>
            }
          >
            <TermsDetails terms={terms} />
            {note && <Hint className="cut">{note}</Hint>}
          </Timeline.Item>
        ))}
      </Timeline>
      {query.hasNextPage && (
        <Button variant="default" onClick={() => void query.fetchNextPage()} w="fit-content">
          {more}
        </Button>
      )}
    </Stack>
  )
}
