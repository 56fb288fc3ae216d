import { Box, Group, Paper, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { Channel, TestAsked } from '../../../admin/channels/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { Action, sayDone, useRefresh } from '../../parts/action.tsx'
import { ChoiceInput } from '../../parts/choice-input.tsx'
import { EditForm, useEdit } from '../../parts/edit.tsx'
import { SendForm, showAtFields } from '../../parts/form.tsx'
import { ById, PageFrame, Warnings } from '../../parts/page.tsx'
import { Labelled, TextLink } from '../../parts/text.tsx'
import {
  type ChannelValues,
  changeOf,
  fieldOf,
  newChannelOf,
  protocolTitles,
  shown,
  validateChannel,
  valuesOf,
  vendors,
} from './channel-fields.ts'
import { AdvancedInputs, ChannelInputs, Keys, NewKeys } from './fields.tsx'
import { StateBadge, StateDetails } from './state.tsx'
import { TestPanel } from './test-panel.tsx'
import { channelText } from './text.ts'

export function Page() {
  const text = useText(channelText)
  const { id } = useParams({ strict: false })
  if (id === 'new') return <NewChannel />
  return (
    <ById
      name="channel"
      up={{ to: '/admin/channels', label: text.channels }}
      ask={(id) => api.admin.channels({ id }).get()}
      // A cooldown ends by itself.
      refetchInterval={10_000}
    >
      {(channel) => <Existing live={channel} />}
    </ById>
  )
}

function Existing({ live }: { readonly live: Channel }) {
  const text = useText(channelText)
  const route = api.admin.channels({ id: live.id })
  const edit = useEdit<Channel, ChannelValues>({
    live,
    queryKey: ['channel', String(live.id)],
    changes: ['channels', 'groups', 'group', 'prices'],
    valuesOf,
    validate: (seen) => validateChannel(text, seen.keys.length),
    send: (seen, values) => call(route.patch(changeOf(seen, values))),
    fieldOf,
  })
  const { form, seen, show } = edit
  return (
    <PageFrame
      title={live.name}
      up={{ to: '/admin/channels', label: text.channels }}
      actions={<Actions channel={live} show={show} />}
    >
      <Stack maw={900}>
        <Warnings of={live} />
        <About channel={live} />
        <TestPanel
          hint={text.testHint}
          models={live.models.map(({ id }) => id)}
          protocols={Object.keys(live.speaks)}
          keys={live.keys}
          test={(asked) => call(route.test.post(asked))}
        />
        <EditForm edit={edit} shown={(state) => shown(state, { ...text, ...protocolTitles })}>
          <ChannelInputs form={form} keys={<Keys form={form} keys={seen.keys} />} />
          <AdvancedInputs form={form} proxy={seen.proxy} />
        </EditForm>
      </Stack>
    </PageFrame>
  )
}

function About({ channel }: { readonly channel: Channel }) {
  const text = useText(channelText)
  const { state, recent, groups } = channel
  return (
    <Paper withBorder p="md" component="section" aria-label={text.state}>
      <Stack gap="xs">
        <Group gap="sm">
          <StateBadge state={state} recent={recent} />
          <Labelled label={text.recent} c="dimmed">
            {text.recentText(recent.attempts, recent.failed)}
          </Labelled>
        </Group>
        <StateDetails state={state} recent={recent} />
        <Labelled label={text.groups} className="cut">
          {groups.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <TextLink to={`/admin/groups/${id}`}>{name}</TextLink>
            </span>
          ))}
          {groups.length === 0 && (
            <>
              {text.noGroups}.{' '}
              <TextLink to="/admin/groups/new" search={{ channel: channel.name }}>
                {text.makeGroup}
              </TextLink>
            </>
          )}
        </Labelled>
      </Stack>
    </Paper>
  )
}

/** A new channel: it can be tested first. */
function NewChannel() {
  const text = useText(channelText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const form = useForm<ChannelValues>({
    initialValues: valuesOf(undefined),
    validate: validateChannel(text, 0),
  })
  const channel = newChannelOf(form.values)

  async function test(asked: TestAsked) {
    form.clearErrors()
    try {
      return await call(api.admin['channel-test'].post({ channel, ...asked }))
    } catch (failure) {
      showAtFields(form, failure, fieldOf)
      throw failure
    }
  }

  function fill(name: string | null): void {
    if (name === null) return
    form.setFieldValue('speaks', {
      ...valuesOf(undefined).speaks,
      ...vendors[name as keyof typeof vendors],
    })
    if (form.values.name !== '') return
    form.setFieldValue('name', name.toLowerCase().replaceAll(' ', '-'))
  }

  return (
    <PageFrame
      title={text.newTitle}
      up={{ to: '/admin/channels', label: text.channels }}
      description={
        <>
          {text.newDescription}{' '}
          <TextLink to="/admin/start" search={{ step: 'vendor' }}>
            {text.bySteps}
          </TextLink>
        </>
      }
    >
      <Box maw={900}>
        <SendForm
          form={form}
          send={async () => {
            const made = await call(api.admin.channels.post(channel))
            await refresh('channels')
            sayDone(text.created(made.name))
            await navigate({ to: '/admin/channels/$id', params: { id: String(made.id) } })
          }}
          fieldOf={fieldOf}
          submit={text.create}
          look={{ w: 'fit-content' }}
          noValidate
        >
          <ChoiceInput
            label={text.vendor}
            description={text.vendorHint}
            placeholder={text.other}
            data={Object.keys(vendors)}
            maw={400}
            onChange={fill}
          />
          <ChannelInputs form={form} keys={<NewKeys form={form} />} />
          <AdvancedInputs form={form} proxy={null} />
          <TestPanel
            hint={text.testNewHint}
            models={channel.models.map(({ id }) => id)}
            protocols={Object.keys(channel.speaks)}
            keys={[]}
            test={test}
          />
        </SendForm>
      </Box>
    </PageFrame>
  )
}

function Actions({ channel, show }: { channel: Channel; show: (now: Channel) => void }) {
  const text = useText(channelText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const { id, name, status, groups, state } = channel
  const route = api.admin.channels({ id })
  const change = async (to: Channel['status']) => {
    show(await call(route.patch({ status: to })))
    return text.statusDone[to]
  }
  const recover = async () => {
    show(await call(route.recover.post()))
    return text.recovered
  }
  const remove = async () => {
    await call(route.delete({}, { query: { take_out_of_groups: groups.length > 0 } }))
    await refresh('channels', 'groups', 'group')
    await navigate({ to: '/admin/channels' })
    return text.deleted(name)
  }
  const names = groups.map((group) => group.name).join(', ')
  const taken = names === '' ? '' : `${text.deleteGroups(names)} `
  return (
    <>
      {state.parts.length > 0 && <Action variant="light" label={text.recover} run={recover} />}
      {status === 'active' ? (
        <Action
          label={text.drain}
          ask={{ title: text.drainAsk(name), text: text.drainText }}
          run={() => change('draining')}
        />
      ) : (
        <Action variant="filled" label={text.activate} run={() => change('active')} />
      )}
      {status !== 'disabled' && (
        <Action
          label={text.disable}
          ask={{ title: text.disableAsk(name), text: text.disableText, isDangerous: true }}
          run={() => change('disabled')}
        />
      )}
      <Action
        {...{ variant: 'subtle', color: 'red', label: text.delete }}
        ask={{ title: text.deleteAsk(name), text: taken + text.deleteText, isDangerous: true }}
        run={remove}
      />
    </>
  )
}
