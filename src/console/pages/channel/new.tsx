import { Button, Group, Select, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
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
import { ErrorNotice } from '../../parts/notices.tsx'
import { PageFrame } from '../../parts/page.tsx'

/** A channel to be made: it can be tested first. */
export function NewChannel() {
  const text = useText(channelText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const form = useForm<ChannelValues>({
    initialValues: valuesOf(undefined),
    validate: validateChannel(text, 0),
  })
  const channel = newChannelOf(form.values)

  async function create(): Promise<void> {
    setError(null)
    try {
      const made = await call(api.admin.channels.post(channel))
      await queries.invalidateQueries({ queryKey: ['channels'] })
      notifications.show({ message: text.created(made.name), color: 'green' })
      await navigate({ to: '/admin/channels/$id', params: { id: String(made.id) } })
    } catch (failure) {
      if (!showChannelError(form, failure)) setError(failure)
    }
  }

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
      <form onSubmit={form.onSubmit(create)} noValidate>
        <Stack maw={900}>
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
