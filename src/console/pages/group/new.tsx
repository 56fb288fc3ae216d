import { Alert, Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { GroupFields, showGroupError, useChannelNames } from '../../groups/fields.tsx'
import { type GroupValues, groupOf, validateGroup, valuesOf } from '../../groups/form-values.ts'
import { groupText } from '../../groups/text.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { AnchorLink } from '../../parts/link.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { PageFrame } from '../../parts/page.tsx'

/** A group to be made, with the channel that its address names. */
export function NewGroup() {
  const text = useText(groupText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { channel } = useSearch({ strict: false })
  const channels = channel === undefined ? [] : [String(channel)]
  const [error, setError] = useState<unknown>(null)
  const form = useForm<GroupValues>({
    initialValues: { ...valuesOf(undefined), channels },
    validate: validateGroup(text),
  })
  const names = useChannelNames()

  async function create(): Promise<void> {
    setError(null)
    try {
      const made = await call(api.admin.groups.post(groupOf(form.values)))
      for (const name of ['groups', 'channels', 'channel']) {
        await queries.invalidateQueries({ queryKey: [name] })
      }
      notifications.show({ message: text.created(made.name), color: 'green' })
      await navigate({ to: '/admin/groups/$id', params: { id: String(made.id) } })
    } catch (failure) {
      if (!showGroupError(form, failure)) setError(failure)
    }
  }

  return (
    <PageFrame title={text.newTitle} description={text.newDescription}>
      <form onSubmit={form.onSubmit(create)} noValidate>
        <Stack maw={900}>
          {names?.length === 0 && (
            <Alert color="yellow">
              {text.noChannels}{' '}
              <AnchorLink
                size="sm"
                underline="always"
                to="/admin/channels/$id"
                params={{ id: 'new' }}
              >
                {text.addChannel}
              </AnchorLink>
            </Alert>
          )}
          <GroupFields form={form} />
          {error !== null && <ErrorNotice error={error} />}
          <Group>
            <Button type="submit" loading={form.submitting}>
              {text.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </PageFrame>
  )
}
