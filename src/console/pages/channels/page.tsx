import { Box, Button, Group, Paper, Select, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { Channel, TestAsked } from '../../../admin/channels/schema.ts'
import { api, call, know } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { attempt, confirm, sayDone, useRefresh } from '../../parts/action.tsx'
import { EditForm, useEdit } from '../../parts/edit.tsx'
import { SendForm } from '../../parts/form.tsx'
import { ErrorNotice, PageFrame, Warnings } from '../../parts/page.tsx'
import { AnchorLink, Labelled } from '../../parts/text.tsx'
import { AdvancedFields, ChannelFields, Keys, NewKeys, showChannelError } from './fields.tsx'
import {
  type ChannelValues,
  changeOf,
  newChannelOf,
  validateChannel,
  valuesOf,
  vendors,
} from './form-values.ts'
import { StateBadge, StateDetails } from './state.tsx'
import { TestPanel } from './test-panel.tsx'
import { channelText } from './text.ts'

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
          <Labelled label={text.recent} c="dimmed">
            {text.recentText(recent.attempts, recent.failed)}
          </Labelled>
        </Group>
        <StateDetails state={state} recent={recent} />
        <Labelled label={text.groups} className="cut">
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
        </Labelled>
      </Stack>
    </Paper>
  )
}

/** A channel to be made: it can be tested first. */
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
      showChannelError(form, failure)
      throw failure
    }
  }

  return (
    <PageFrame title={text.newTitle} description={text.newDescription}>
      <Box maw={900}>
        <SendForm
          form={form}
          send={async () => {
            const made = await call(api.admin.channels.post(channel))
            await refresh('channels')
            sayDone(text.created(made.name))
            await navigate({ to: '/admin/channels/$id', params: { id: String(made.id) } })
          }}
          showAtFields={showChannelError}
          submit={text.create}
          look={{ w: 'fit-content' }}
          noValidate
        >
          <Vendor
            choose={(name, speaks) => {
              form.setFieldValue('speaks', { ...valuesOf(undefined).speaks, ...speaks })
              if (form.values.name === '') form.setFieldValue('name', name)
            }}
          />
          <ChannelFields form={form} keys={<NewKeys form={form} />} />
          <AdvancedFields form={form} proxy={null} />
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

interface VendorProps {
  readonly choose: (name: string, speaks: Partial<ChannelValues['speaks']>) => void
}

function Vendor({ choose }: VendorProps) {
  const text = useText(channelText)
  return (
    <Select
      label={text.vendor}
      description={text.vendorHint}
      placeholder={text.other}
      data={vendors.map(({ name }) => name)}
      maw={400}
      onChange={(value) => {
        const vendor = vendors.find(({ name }) => name === value)
        if (vendor) choose(vendor.name.toLowerCase().replaceAll(' ', '-'), vendor.speaks)
      }}
    />
  )
}

interface ActionsProps {
  readonly channel: Channel
  /** Shows what became of it. */
  readonly show: (now: Channel) => void
}

/** What can be done with a channel as a whole. */
export function Actions({ channel, show }: ActionsProps) {
  const text = useText(channelText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const { id, name, status, groups, state } = channel
  const route = api.admin.channels({ id })

  const change = (to: Channel['status'], question?: Parameters<typeof confirm>[0]) =>
    void attempt(async () => {
      if (question && !(await confirm(question))) return undefined
      show(await call(route.patch({ status: to })))
      return text.statusDone[to]
    })

  const remove = () =>
    void attempt(async () => {
      const names = groups.map((group) => group.name).join(', ')
      const words =
        names === '' ? text.deleteText : `${text.deleteGroups(names)} ${text.deleteText}`
      const question = { title: text.deleteAsk(name), text: words, confirm: text.delete }
      if (!(await confirm({ ...question, isDangerous: true }))) return undefined
      await call(route.delete({}, { query: { take_out_of_groups: groups.length > 0 } }))
      await refresh('channels', 'groups', 'group')
      await navigate({ to: '/admin/channels' })
      return text.deleted(name)
    })

  const recover = () =>
    void attempt(async () => {
      show(await call(route.recover.post()))
      return text.recovered
    })

  const drainWords = { title: text.drainAsk(name), text: text.drainText, confirm: text.drain }
  const disableWords = {
    ...{ title: text.disableAsk(name), text: text.disableText, confirm: text.disable },
    isDangerous: true,
  }
  return (
    <>
      {state.parts.length > 0 && (
        <Button variant="light" onClick={recover}>
          {text.recover}
        </Button>
      )}
      {status !== 'active' && <Button onClick={() => change('active')}>{text.activate}</Button>}
      {status === 'active' && (
        <Button variant="default" onClick={() => change('draining', drainWords)}>
          {text.drain}
        </Button>
      )}
      {status !== 'disabled' && (
        <Button variant="default" onClick={() => change('disabled', disableWords)}>
          {text.disable}
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={remove}>
        {text.delete}
      </Button>
    </>
  )
}
