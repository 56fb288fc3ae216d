import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { GroupView } from '../../../admin/groups/schema.ts'
import { Effect } from '../../groups/effect.tsx'
import { showGroupError } from '../../groups/errors.ts'
import { GroupFields } from '../../groups/fields.tsx'
import { changeOf, valuesOf } from '../../groups/form-values.ts'
import { groupText } from '../../groups/text.ts'
import { validateGroup } from '../../groups/validate.ts'
import { api, call } from '../../lib/api.ts'
import { know } from '../../lib/know.ts'
import { useText } from '../../lib/language.tsx'
import { EditForm } from '../../parts/edit-form.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { useRegionLabel } from '../../parts/region-fields.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { Warnings } from '../../parts/warnings.tsx'
import { Actions } from './actions.tsx'
import { Offers } from './offers.tsx'

/** A group: what it offers, and its form. */
export function Existing({ live }: { readonly live: GroupView }) {
  const text = useText(groupText)
  const regionLabel = useRegionLabel()
  const queries = useQueryClient()
  const route = api.admin.groups({ id: live.id })
  const edit = useEdit({
    live,
    valuesOf,
    validate: () => validateGroup(text),
    send: (seen, values) => call(route.patch(changeOf(seen, values))),
    showAtFields: showGroupError,
    tell: (now) => {
      void know(queries, ['group', String(live.id)], now)
      for (const name of ['groups', 'channels', 'channel', 'prices']) {
        void queries.invalidateQueries({ queryKey: [name] })
      }
      void queries.invalidateQueries({ queryKey: ['group', 'effect'] })
    },
  })
  const { form, seen, show } = edit
  const { rate_multiplier } = form.values
  return (
    <PageFrame title={live.name} actions={<Actions group={live} show={show} />}>
      <Stack maw={900}>
        <Warnings of={live} inFile={text.inFile} />
        <Offers group={live} />
        <EditForm
          edit={edit}
          shown={(state) => ({
            ...shown(state, text),
            [regionLabel]: state.regions ?? text.everywhere,
          })}
        >
          <GroupFields
            form={form}
            effect={
              rate_multiplier !== seen.rate_multiplier && (
                <Effect id={live.id} multiplier={rate_multiplier} />
              )
            }
          />
        </EditForm>
      </Stack>
    </PageFrame>
  )
}

/** What two people may have changed, by its label. */
function shown(group: GroupView, text: (typeof groupText)['en']): Record<string, unknown> {
  return {
    [text.name]: group.name,
    [text.status]: text[group.status],
    [text.channels]: group.channels.map(({ name }) => name),
    [text.multiplier]: group.rate_multiplier,
    [text.models]: group.models,
    [text.about]: group.description,
    [text.platform]: group.platform,
    [text.long_context]: group.long_context_pricing,
    [text.on_disconnect]: text[group.on_disconnect],
    [text.limits]: group.limits,
    [text.accounts]: group.accounts ?? text.everyone,
    [text.tools]: group.tools ?? text.allTools,
  }
}
