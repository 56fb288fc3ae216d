import { Box, Select } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import type { TestAsked } from '../../../admin/channels/schema.ts'
import { AdvancedFields, ChannelFields, NewKeys, showChannelError } from '../../channels/fields.tsx'
import {
  type ChannelValues,
  newChannelOf,
  validateChannel,
  valuesOf,
  vendors,
} from '../../channels/form-values.ts'
import { TestPanel } from '../../channels/test-panel.tsx'
import { channelText } from '../../channels/text.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { sayDone, useRefresh } from '../../parts/action.tsx'
import { SendForm } from '../../parts/form.tsx'
import { PageFrame } from '../../parts/page.tsx'

/** A channel to be made: it can be tested first. */
export function NewChannel() {
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
