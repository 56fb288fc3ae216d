import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Channel } from '../../../admin/channels/schema.ts'
import { AdvancedFields } from '../../channels/advanced.tsx'
import { showChannelError } from '../../channels/errors.ts'
import { ChannelFields } from '../../channels/fields.tsx'
import { changeOf, valuesOf } from '../../channels/form-values.ts'
import { Keys } from '../../channels/keys.tsx'
import { TestPanel } from '../../channels/test-panel.tsx'
import { channelText } from '../../channels/text.ts'
import { validateChannel } from '../../channels/validate.ts'
import { api, call } from '../../lib/api.ts'
import { know } from '../../lib/know.ts'
import { useText } from '../../lib/language.tsx'
import { EditForm } from '../../parts/edit-form.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { Warnings } from '../../parts/warnings.tsx'
import { About } from './about.tsx'
import { Actions } from './actions.tsx'

/** A channel: how it is, a test, and its form. `live` is how it is at present. */
export function Existing({ live }: { readonly live: Channel }) {
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
