import { Alert, Box, Group, Paper, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { GroupView } from '../../../admin/groups/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { useChannelNames } from '../../lib/names.ts'
import { confirm, sayDone, useRefresh } from '../../parts/action.tsx'
import { EditForm, useEdit } from '../../parts/edit.tsx'
import { notSent, SendForm } from '../../parts/form.tsx'
import { ById, PageFrame, Warnings } from '../../parts/page.tsx'
import { ActiveBadge } from '../../parts/status-badge.tsx'
import { AnchorLink, Colon, Labelled, LongText, TextLink } from '../../parts/text.tsx'
import { Actions, tokenCount } from './actions.tsx'
import { Effect, GroupInputs } from './fields.tsx'
import {
  changeOf,
  fieldOf,
  type GroupValues,
  makesFree,
  settingsOf,
  shown,
  validateGroup,
  valuesOf,
} from './group-fields.ts'
import { groupText } from './text.ts'

/** One group, or a new one. */
export function Page() {
  const text = useText(groupText)
  const { id } = useParams({ strict: false })
  if (id === 'new') return <NewGroup />
  return (
    <ById
      name="group"
      up={{ to: '/admin/groups', label: text.groups }}
      ask={(id) => api.admin.groups({ id }).get()}
    >
      {(group) => <Existing live={group} />}
    </ById>
  )
}

function Existing({ live }: { readonly live: GroupView }) {
  const text = useText(groupText)
  const route = api.admin.groups({ id: live.id })
  const edit = useEdit<GroupView, GroupValues>({
    live,
    queryKey: ['group', String(live.id)],
    changes: ['groups', 'channels', 'channel', 'prices', 'group-effect'],
    valuesOf,
    validate: () => validateGroup(text),
    send: (seen, values) =>
      call(route.patch({ ...changeOf(seen, values), revision: seen.revision })),
    fieldOf,
    ask: (seen, values) =>
      mayBecomeFree(values, { before: seen.rate_multiplier, tokens: tokenCount(seen), text }),
  })
  const { form, seen, show } = edit
  const { rate_multiplier } = form.values
  const effect = rate_multiplier !== seen.rate_multiplier && (
    <Effect id={live.id} multiplier={rate_multiplier} />
  )
  return (
    <PageFrame
      title={live.name}
      up={{ to: '/admin/groups', label: text.groups }}
      actions={<Actions group={live} show={show} />}
    >
      <Stack maw={900}>
        <Warnings of={live} />
        <Offers group={live} />
        <EditForm edit={edit} shown={(state) => shown(state, text)}>
          <GroupInputs form={form} effect={effect} />
        </EditForm>
      </Stack>
    </PageFrame>
  )
}

interface FreeAsked {
  /** The multiplier that is saved; absent: the group is new. */
  readonly before?: string
  readonly tokens: string
  readonly text: (typeof groupText)['en']
}

/** Asks before all of a group costs nothing. */
async function mayBecomeFree(values: GroupValues, { before, tokens, text }: FreeAsked) {
  if (!makesFree(values.rate_multiplier, before)) return true
  return confirm({
    ...{ title: text.freeAsk(values.name.trim()), text: text.freeText(tokens) },
    ...{ confirm: text.freeConfirm, isDangerous: true },
  })
}

/** So many names are read at a glance. */
const shownNames = 12

/** What can really be called in a group, and what lacks a price. */
function Offers({ group }: { readonly group: GroupView }) {
  const text = useText(groupText)
  const { status, without_price, offers } = group
  return (
    <Paper withBorder p="md" component="section" aria-label={text.offers}>
      <Stack gap="xs">
        <Group gap="sm">
          <ActiveBadge {...{ status, text }} />
          <Labelled label={text.tokens} c="dimmed">
            {tokenCount(group)}
          </Labelled>
        </Group>
        <Names label={text.offered} names={group.offered_models} total={offers} />
        {without_price > 0 && (
          <>
            <Names label={text.unpriced} names={group.models_without_price} total={without_price} />
            <AnchorLink size="sm" to="/admin/prices" search={{ state: 'missing' }}>
              {text.setPrices}
            </AnchorLink>
          </>
        )}
      </Stack>
    </Paper>
  )
}

interface NamesProps {
  readonly label: string
  readonly names: readonly string[]
  readonly total: number
}

function Names({ label, names, total }: NamesProps) {
  const text = useText(groupText)
  const first = names.slice(0, shownNames)
  const more = total - first.length
  return (
    <LongText>
      <b>
        {label}
        <Colon />
      </b>
      {first.join(', ') || text.nothing}
      {more > 0 && ` ${text.andMore(more)}`}
    </LongText>
  )
}

function NewGroup() {
  const text = useText(groupText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const { channel } = useSearch({ strict: false })
  const channels = channel === undefined ? [] : [String(channel)]
  const form = useForm<GroupValues>({
    initialValues: { ...valuesOf(undefined), channels },
    validate: validateGroup(text),
  })
  const names = useChannelNames()

  return (
    <PageFrame
      title={text.newTitle}
      up={{ to: '/admin/groups', label: text.groups }}
      description={text.newDescription}
    >
      <Box maw={900}>
        <SendForm
          form={form}
          send={async (values) => {
            if (!(await mayBecomeFree(values, { tokens: '0', text }))) return notSent
            const made = await call(api.admin.groups.post(settingsOf(values)))
            await refresh('groups', 'channels', 'channel')
            sayDone(text.created(made.name))
            return navigate({ to: '/admin/groups/$id', params: { id: String(made.id) } })
          }}
          fieldOf={fieldOf}
          submit={text.create}
          look={{ w: 'fit-content' }}
          noValidate
        >
          {names?.length === 0 && (
            <Alert color="yellow">
              {text.noChannels} <TextLink to="/admin/channels/new">{text.addChannel}</TextLink>
            </Alert>
          )}
          <GroupInputs form={form} />
        </SendForm>
      </Box>
    </PageFrame>
  )
}
