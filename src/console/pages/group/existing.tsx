import { Alert, Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { GroupView } from '../../../admin/groups/schema.ts'
import { Effect } from '../../groups/effect.tsx'
import { showGroupError } from '../../groups/errors.ts'
import { GroupFields } from '../../groups/fields.tsx'
import { changeOf, type GroupValues, valuesOf } from '../../groups/form-values.ts'
import { groupText } from '../../groups/text.ts'
import { validateGroup } from '../../groups/validate.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Conflict, presentOf } from '../../parts/conflict.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Actions } from './actions.tsx'
import { Offers } from './offers.tsx'

/** A group: what it offers, and its form. */
export function Existing({ live }: { readonly live: GroupView }) {
  const text = useText(groupText)
  const queries = useQueryClient()
  const [seen, setSeen] = useState(live)
  const [present, setPresent] = useState<GroupView>()
  const [error, setError] = useState<unknown>(null)
  const form = useForm<GroupValues>({
    initialValues: valuesOf(live),
    validate: validateGroup(text),
  })
  const route = api.admin.groups({ id: live.id })

  function show(now: GroupView): void {
    setSeen(now)
    setPresent(undefined)
    queries.setQueryData(['group', String(live.id)], now)
    for (const name of ['groups', 'channels', 'channel', 'prices']) {
      void queries.invalidateQueries({ queryKey: [name] })
    }
    void queries.invalidateQueries({ queryKey: ['group', 'effect'] })
  }

  function showInForm(now: GroupView): void {
    show(now)
    form.setInitialValues(valuesOf(now))
    form.setValues(valuesOf(now))
  }

  async function save(revision: string): Promise<void> {
    setError(null)
    setPresent(undefined)
    try {
      showInForm(await call(route.patch({ ...changeOf(seen, form.values), revision })))
      notifications.show({ message: text.saved, color: 'green' })
    } catch (failure) {
      const other = presentOf<GroupView>(failure)
      if (other) setPresent(other)
      else if (!showGroupError(form, failure)) setError(failure)
    }
  }

  const { rate_multiplier } = form.values
  return (
    <PageFrame title={live.name} actions={<Actions group={live} show={show} />}>
      <Stack maw={900}>
        {live.in_file && <Alert color="yellow">{text.inFile}</Alert>}
        {live.warnings.map(({ field, message }) => (
          <Alert key={field} color="yellow">
            {message}
          </Alert>
        ))}
        <Offers group={live} />
        <form onSubmit={form.onSubmit(() => save(seen.revision))} noValidate>
          <Stack>
            <GroupFields
              form={form}
              effect={
                rate_multiplier !== seen.rate_multiplier && (
                  <Effect id={live.id} multiplier={rate_multiplier} />
                )
              }
            />
            {present && (
              <Conflict
                seen={seen}
                present={present}
                show={(state) => shown(state, text)}
                takeTheirs={() => showInForm(present)}
                keepMine={() => void save(present.revision)}
              />
            )}
            {error !== null && <ErrorNotice error={error} />}
            <Group>
              <Button type="submit" loading={form.submitting} disabled={!form.isDirty()}>
                {text.save}
              </Button>
              {form.isDirty() && (
                <Button variant="subtle" onClick={() => form.reset()}>
                  {text.discard}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
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
  }
}
