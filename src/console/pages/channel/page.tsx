import { Group, Paper, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Channel } from '../../../admin/channels/schema.ts'
import { AdvancedFields, ChannelFields, Keys, showChannelError } from '../../channels/fields.tsx'
import { changeOf, validateChannel, valuesOf } from '../../channels/form-values.ts'
import { StateBadge, StateDetails } from '../../channels/state.tsx'
import { TestPanel } from '../../channels/test-panel.tsx'
import { channelText } from '../../channels/text.ts'
import { api, call, know } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { EditForm, useEdit } from '../../parts/edit.tsx'
import { AnchorLink } from '../../parts/link.tsx'
import { ErrorNotice, Warnings } from '../../parts/notices.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Hint, LongText } from '../../parts/text.tsx'
import { Colon } from '../../parts/values.tsx'
import { Actions } from './actions.tsx'
import { NewChannel } from './new.tsx'

/** One channel, or a new one. */
export function Page() {
  const { id = '' } = useParams({ strict: false })
  return id === 'new' ? <NewChannel /> : <Loaded key={id} id={id} />
}

function Loaded({ id }: { readonly id: string }) {
  const text = useText(channelText)
  const query = useQuery({
    queryKey: ['channel', id],
    queryFn: () => call(api.admin.channels({ id }).get()),
    // What cools changes by itself.
    refetchInterval: 10_000,
  })
  if (query.data) return <Existing live={query.data} />
  return (
    <PageFrame title={text.back}>
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
    </PageFrame>
  )
}

/** A channel: how it is, a test, and its form. `live` is how it is at present. */
function Existing({ live }: { readonly live: Channel }) {
  const text = useText(channelText)
  const queries = useQueryClient()
  const route = api.admin.channels({ id: live.id })
  const edit = useEdit({
    live,
    valuesOf,
    validate: (seen) => validateChannel(text, seen.keys.length),
    send: (seen, values) => call(route.patch(changeOf(seen, values))),
    showAtFields: showChannelError,
    tell: (now) => {
      void know(queries, ['channel', String(live.id)], now)
      for (const name of ['channels', 'groups', 'group', 'prices']) {
        void queries.invalidateQueries({ queryKey: [name] })
      }
    },
  })
  const { form, seen, show } = edit
  return (
    <PageFrame title={live.name} actions={<Actions channel={live} show={show} />}>
      <Stack maw={900}>
        <Warnings of={live} inFile={text.inFile} />
        <About channel={live} />
        <TestPanel
          hint={text.testHint}
          models={live.models.map(({ id }) => id)}
          protocols={Object.keys(live.speaks)}
          keys={live.keys}
          test={(asked) => call(route.test.post(asked))}
        />
        <EditForm edit={edit} shown={(state) => shown(state, text)}>
          <ChannelFields form={form} keys={<Keys form={form} keys={seen.keys} />} />
          <AdvancedFields form={form} proxy={seen.proxy} />
        </EditForm>
      </Stack>
    </PageFrame>
  )
}

/** What two people may have changed, by its label. */
function shown(channel: Channel, text: (typeof channelText)['en']): Record<string, unknown> {
  const { models, keys } = channel
  return {
    [text.name]: channel.name,
    [text.state]: channel.status,
    [text.address]: channel.speaks,
    [text.keys]: keys.map(({ hint }) => hint),
    [text.models]: models.map(({ id, upstream }) => (id === upstream ? id : `${id} = ${upstream}`)),
    [text.priority]: channel.priority,
    [text.weight]: channel.weight,
    [text.order]: channel.limits,
    [text.timeouts]: channel.timeouts,
    [text.probe]: channel.probe,
    [text.proxy]: channel.proxy,
    [text.allow_private]: channel.allow_private,
    [text.quirks]: channel.quirks,
  }
}

/** How a channel is, and who uses it. */
function About({ channel }: { readonly channel: Channel }) {
  const text = useText(channelText)
  const { state, recent, groups } = channel
  return (
    <Paper withBorder p="md" component="section" aria-label={text.state}>
      <Stack gap="xs">
        <Group gap="sm">
          <StateBadge state={state} recent={recent} />
          <Hint>
            {text.recent}
            <Colon />
            {text.recentText(recent.attempts, recent.failed)}
          </Hint>
        </Group>
        <StateDetails state={state} recent={recent} />
        <LongText>
          {text.groups}
          <Colon />
          {groups.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <AnchorLink
                size="sm"
                underline="always"
                to="/admin/groups/$id"
                params={{ id: String(id) }}
              >
                {name}
              </AnchorLink>
            </span>
          ))}
          {groups.length === 0 && (
            <>
              {text.noGroups}.{' '}
              <AnchorLink
                size="sm"
                underline="always"
                to="/admin/groups/$id"
                params={{ id: 'new' }}
                search={{ channel: channel.name }}
              >
                {text.makeGroup}
              </AnchorLink>
            </>
          )}
        </LongText>
      </Stack>
    </Paper>
  )
}
