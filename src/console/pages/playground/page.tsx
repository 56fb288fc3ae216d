import { Button, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { useGroups } from '../tokens/use-groups.ts'
import { Answer } from './answer.tsx'
import { QuestionForm } from './form.tsx'
import { RawExchange } from './raw.tsx'
import { texts } from './text.ts'
import { useAsk } from './use-ask.ts'

/** Asks a model as a client does, and shows what came and what it cost. */
export function Page() {
  const text = useText(texts)
  const tokens = useQuery({
    queryKey: ['tokens', 'playground'],
    queryFn: () => call(api.tokens.get({ query: { page_size: 100 } })),
  })
  const groups = useGroups()
  const { exchange, ask, stop } = useAsk()
  const error = tokens.error ?? groups.error
  const retry = () => void Promise.all([tokens.refetch(), groups.refetch()])
  return (
    <PageFrame title={text.title} description={text.description}>
      {error && <ErrorNotice error={error} retry={retry} />}
      {!tokens.data || !groups.data ? (
        !error && <Skeleton height={320} />
      ) : tokens.data.items.length === 0 ? (
        <Empty
          title={text.noTokenTitle}
          hint={text.noToken}
          action={
            <Button renderRoot={(props) => <Link to="/tokens" {...props} />}>
              {text.makeToken}
            </Button>
          }
        />
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <QuestionForm
            tokens={tokens.data.items}
            groups={groups.data.items}
            isAsking={exchange?.phase === 'asking'}
            onAsk={(question) => void ask(question)}
            onStop={stop}
          />
          <Stack miw={0}>
            <Answer exchange={exchange} />
            {exchange && <RawExchange exchange={exchange} />}
          </Stack>
        </SimpleGrid>
      )}
    </PageFrame>
  )
}
