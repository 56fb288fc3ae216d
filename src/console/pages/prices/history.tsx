import { Badge, Button, Group, Stack, Text, Timeline } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { listText } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { TermsDetails } from './terms.tsx'
import { priceText } from './text.ts'

interface HistoryProps {
  readonly model: string
  /** Id of the price in force. */
  readonly inForce: number | undefined
}

/** Every price that a model had, newest first. */
export function History({ model, inForce }: HistoryProps) {
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
                <Badge variant="default" tt="none" fw={500}>
                  {text.sources[source]}
                </Badge>
                {id === inForce && <Badge tt="none">{text.inForce}</Badge>}
              </Group>
            }
          >
            <TermsDetails terms={terms} />
            {note && (
              <Text size="sm" c="dimmed" className="cut">
                {note}
              </Text>
            )}
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
