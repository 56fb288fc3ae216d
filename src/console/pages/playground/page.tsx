import { Paper, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { api, useCall } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { offerUndo } from '../../parts/action.tsx'
import { ErrorNotice, PageFrame } from '../../parts/page.tsx'
import { useGroups } from '../tokens/groups.ts'
import { NoToken } from '../tokens/no-token.tsx'
import { Answer } from './answer.tsx'
import { AskedText, Composer, type Draft } from './composer.tsx'
import { type Turn, useConversation } from './conversation.ts'
import { type Offers, offersOf, SettingsInputs, settingsOf, useSettings } from './settings.tsx'
import { texts } from './text.ts'

/** Talks with a model, or two side by side, as a client does, and shows what came and what it cost. */
export function Page() {
  const text = useText(texts)
  const tokens = useCall(['tokens', 'playground'], () =>
    api.tokens.get({ query: { page_size: 100 } }),
  )
  const groups = useGroups()
  const error = tokens.error ?? groups.error
  const retry = () => void Promise.all([tokens.refetch(), groups.refetch()])
  return (
    <PageFrame title={text.playground} description={text.description}>
      {error && <ErrorNotice error={error} retry={retry} />}
      {!tokens.data || !groups.data ? (
        !error && <Skeleton height={320} />
      ) : tokens.data.items.length === 0 ? (
        <NoToken hint={text.noToken} />
      ) : (
        <Conversation offers={{ tokens: tokens.data.items, groups: groups.data.items }} />
      )}
    </PageFrame>
  )
}

function Conversation({ offers }: { readonly offers: Offers }) {
  const text = useText(texts)
  const form = useSettings(offers)
  const { turns, isAsking, ask, stop, clear, takeBack } = useConversation()
  const start: Draft = { user: text.userStart, images: [] }
  const [draft, setDraft] = useState(start)
  const settings = settingsOf(form)
  const { models, imageModels } = offersOf(offers, form.values.token)
  // Of a model that the group does not name, nothing is known.
  const takesImages = settings.models.every(
    (model) => imageModels.includes(model) || !models.includes(model),
  )
  const send = () => {
    if (form.validate().hasErrors) return
    setDraft({ user: '', images: [] })
    void ask(settings, draft.user, draft.images)
  }
  return (
    <Stack maw={1100}>
      <SettingsInputs form={form} offers={offers} />
      {turns.map((turn) => (
        <TurnView
          key={turn.id}
          turn={turn}
          onEdit={() => {
            setDraft(turn)
            takeBack(turn.id)
          }}
        />
      ))}
      <Composer
        {...{ draft, setDraft, isAsking, takesImages, onAsk: send, onStop: stop }}
        onClear={
          turns.length === 0
            ? undefined
            : () => {
                const restore = clear()
                setDraft(start)
                offerUndo(text.cleared, async () => restore())
              }
        }
      />
    </Stack>
  )
}

interface TurnViewProps {
  readonly turn: Turn
  readonly onEdit: () => void
}

function TurnView({ turn: { id, user, images, answers }, onEdit }: TurnViewProps) {
  const text = useText(texts)
  const top = useRef<HTMLDivElement>(null)
  // The answer grows downwards: it is read from its question on.
  // Newer browsers return a promise, which is no clean-up of an effect.
  useEffect(() => void top.current?.scrollIntoView({ block: 'start' }), [])
  return (
    <Stack ref={top} className="turn" gap="xs" component="section" aria-label={text.turn(id)}>
      <Paper p="sm" bg="var(--mantine-color-default-hover)">
        <AskedText {...{ user, images, onEdit }} />
      </Paper>
      <SimpleGrid cols={{ base: 1, sm: Math.max(answers.length, 1) }} spacing="sm">
        {answers.map((exchange) => (
          <Answer key={exchange.question.model} exchange={exchange} />
        ))}
      </SimpleGrid>
    </Stack>
  )
}
