import { Anchor, Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { TokenDetails } from '../../../admin/tokens/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { toValues } from '../tokens/form-values.ts'
import { tokensText } from '../tokens/text.ts'
import { useGroups } from '../tokens/use-groups.ts'
import { useTokenActions } from '../tokens/use-token-actions.tsx'
import { Edit } from './edit.tsx'
import { Facts } from './facts.tsx'
import { Reveal } from './reveal.tsx'
import { SetUp } from './set-up.tsx'
import { tokenText } from './text.ts'

/** One API key: how it is, its key, how clients use it, and what it may do. */
export function Page() {
  const text = useText(tokenText)
  const { id = '' } = useParams({ strict: false })
  const query = useQuery({
    queryKey: ['token', id],
    queryFn: () => call(api.tokens({ id: Number(id) }).get()),
  })
  const back = <Anchor renderRoot={(props) => <Link to="/tokens" {...props} />}>{text.back}</Anchor>
  const { data: token } = query
  return (
    <PageFrame title={text.title(token?.name ?? '')} actions={back}>
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {token && <Details key={token.id} token={token} />}
      {query.isPending && <Skeleton height={320} />}
    </PageFrame>
  )
}

function Details({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const [keyShown, setKeyShown] = useState<string>()
  const models = useCallable(token)
  return (
    <>
      <Facts token={token} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Stack miw={0}>
          <Section title={text.key}>
            <Reveal id={token.id} hint={token.key_hint} value={keyShown} show={setKeyShown} />
          </Section>
          <Section title={text.setUp}>
            {models && <SetUp models={models} keyShown={keyShown} />}
          </Section>
        </Stack>
        <Stack miw={0}>
          <Section title={text.edit}>
            <Edit key={JSON.stringify(toValues(token))} token={token} />
          </Section>
          <Section title={text.more}>
            <More token={token} />
          </Section>
        </Stack>
      </SimpleGrid>
    </>
  )
}

/** What a token can call now; undefined: not known yet. */
function useCallable({ group, models }: TokenDetails): readonly string[] | undefined {
  const groups = useGroups().data?.items
  if (groups === undefined) return undefined
  const offered = groups.find(({ name }) => name === group)?.models ?? []
  return models.length === 0 ? offered : offered.filter((model) => models.includes(model))
}

function More({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const words = useText(tokensText)
  const navigate = useNavigate()
  const { setStatus, remove } = useTokenActions()
  const isOn = token.status === 'active'
  const leave = async () => {
    if (await remove(token)) await navigate({ to: '/tokens' })
  }
  return (
    <>
      <Text size="sm">{text.moreHint}</Text>
      <Group>
        <Button
          variant="default"
          onClick={() => void setStatus(token, isOn ? 'disabled' : 'active')}
        >
          {isOn ? words.disable : words.enable}
        </Button>
        <Button color="red" variant="outline" onClick={() => void leave()}>
          {words.remove}
        </Button>
      </Group>
    </>
  )
}
