import { Accordion, Checkbox, Fieldset, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../lib/language.tsx'
import type { ChannelForm } from './fields.tsx'
import { quirkText } from './quirk-text.ts'
import { channelText } from './text.ts'

interface AdvancedProps {
  readonly form: ChannelForm
  /** The proxy that it has, masked; null: none. */
  readonly proxy: string | null
}

/** Names of its fields begin with these. */
const own = /^(timeouts|probe_|proxy|allow_private|quirks)/

/** What most channels leave as it is. */
export function AdvancedFields({ form, proxy }: AdvancedProps) {
  const text = useText(channelText)
  const quirks = useText(quirkText)
  const [isAsked, setAsked] = useState(false)
  // What is wrong in it must be seen.
  const isAtFault = Object.keys(form.errors).some((field) => own.test(field))
  const toggle = (value: string | null) => setAsked(value !== null)
  return (
    <Accordion variant="contained" value={isAsked || isAtFault ? 'more' : null} onChange={toggle}>
      <Accordion.Item value="more">
        <Accordion.Control>{text.more}</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <Fieldset legend={text.timeouts}>
              <SimpleGrid cols={{ base: 2, md: 4 }}>
                {(['connect', 'first_byte', 'idle', 'total'] as const).map((name) => (
                  <TextInput
                    key={name}
                    label={text[name]}
                    {...form.getInputProps(`timeouts.${name}`)}
                  />
                ))}
              </SimpleGrid>
            </Fieldset>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label={`${text.probe}: ${text.probe_every}`}
                description={text.probeHint}
                {...form.getInputProps('probe_every')}
              />
              <TextInput
                label={`${text.probe}: ${text.probe_model}`}
                description={text.probeModelHint}
                {...form.getInputProps('probe_model')}
              />
            </SimpleGrid>
            <TextInput
              label={text.proxy}
              description={proxy === null ? text.proxyHint : text.proxyNow(proxy)}
              type="password"
              autoComplete="off"
              disabled={form.values.remove_proxy}
              {...form.getInputProps('proxy')}
            />
            {proxy !== null && (
              <Checkbox
                label={text.removeProxy}
                {...form.getInputProps('remove_proxy', { type: 'checkbox' })}
              />
            )}
            <Switch
              label={text.allow_private}
              description={text.privateHint}
              {...form.getInputProps('allow_private', { type: 'checkbox' })}
            />
            <Checkbox.Group
              label={text.quirks}
              description={text.quirksHint}
              {...form.getInputProps('quirks')}
            >
              <Stack gap="xs" mt="xs">
                {Object.entries(quirks).map(([name, title]) => (
                  <Checkbox key={name} value={name} label={title} description={name} />
                ))}
              </Stack>
            </Checkbox.Group>
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
