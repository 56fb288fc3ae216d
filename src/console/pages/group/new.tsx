import { Alert, Box } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { GroupFields, showGroupError, useChannelNames } from '../../groups/fields.tsx'
import { type GroupValues, groupOf, validateGroup, valuesOf } from '../../groups/form-values.ts'
import { groupText } from '../../groups/text.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { sayDone, useRefresh } from '../../parts/action.tsx'
import { SendForm } from '../../parts/form.tsx'
import { AnchorLink } from '../../parts/link.tsx'
import { PageFrame } from '../../parts/page.tsx'

/** A group to be made, with the channel that its address names. */
export function NewGroup() {
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
    <PageFrame title={text.newTitle} description={text.newDescription}>
      <Box maw={900}>
        <SendForm
          form={form}
          send={async (values) => {
            const made = await call(api.admin.groups.post(groupOf(values)))
            await refresh('groups', 'channels', 'channel')
            sayDone(text.created(made.name))
            await navigate({ to: '/admin/groups/$id', params: { id: String(made.id) } })
          }}
          showAtFields={showGroupError}
          submit={text.create}
          look={{ w: 'fit-content' }}
          noValidate
        >
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
        </SendForm>
      </Box>
    </PageFrame>
  )
}
