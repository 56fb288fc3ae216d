import { Alert, Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Channel } from '../../../admin/channels/schema.ts'
import { AdvancedFields } from '../../channels/advanced.tsx'
import { showChannelError } from '../../channels/errors.ts'
import { ChannelFields } from '../../channels/fields.tsx'
import { type ChannelValues, changeOf, valuesOf } from '../../channels/form-values.ts'
import { Keys } from '../../channels/keys.tsx'
import { TestPanel } from '../../channels/test-panel.tsx'
import { channelText } from '../../channels/text.ts'
import { validateChannel } from '../../channels/validate.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Conflict, presentOf } from '../../parts/conflict.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { About } from './about.tsx'
import { Actions } from './actions.tsx'

/** A channel: how it is, a test, and its form. `live` is how it is at present. */
export function Existing({ live }: { readonly live: Channel }) {
  const text = useText(channelText)
  const queries = useQueryClient()
  const [seen, setSeen] = useState(live)
  const [present, setPresent] = useState<Channel>()
  const [error, setError] = useState<unknown>(null)
  const form = useForm<ChannelValues>({
    initialValues: valuesOf(live),
    validate: validateChannel(text, seen.keys.length),
  })
  const route = api.admin.channels({ id: live.id })

  function show(now: Channel): void {
    setSeen(now)
    setPresent(undefined)
    queries.setQueryData(['channel', String(live.id)], now)
    for (const name of ['channels', 'groups', 'group', 'prices']) {
      void queries.invalidateQueries({ queryKey: [name] })
    }
  }

  function showInForm(now: Channel): void {
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
      const other = presentOf<Channel>(failure)
      if (other) setPresent(other)
      else if (!showChannelError(form, failure)) setError(failure)
    }
  }

  return (
    <PageFrame title={live.name} actions={<Actions channel={live} show={show} />}>
      <Stack maw={900}>
        {live.in_file && <Alert color="yellow">{text.inFile}</Alert>}
        {live.warnings.map(({ field, message }) => (
          <Alert key={field} color="yellow">
            {message}
          </Alert>
        ))}
        <About channel={live} />
        <TestPanel
          hint={text.testHint}
          models={live.models.map(({ id }) => id)}
          protocols={Object.keys(live.speaks)}
          keys={live.keys}
          test={(asked) => call(route.test.post(asked))}
        />
        <form onSubmit={form.onSubmit(() => save(seen.revision))} noValidate>
          <Stack>
            <ChannelFields form={form} keys={<Keys form={form} keys={seen.keys} />} />
            <AdvancedFields form={form} proxy={seen.proxy} />
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
