import {
  Accordion,
  Button,
  Checkbox,
  Fieldset,
  Group,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Fragment, type ReactNode, useState } from 'react'
import type { Channel } from '../../../admin/channels/schema.ts'
import { useText } from '../../lib/language.ts'
import { LimitFields } from '../../parts/fields.tsx'
import { fieldsOf, inputsOf } from '../../parts/form.tsx'
import { Hint } from '../../parts/text.tsx'
import { type ChannelValues, protocols, protocolTitles, vendors } from './form-values.ts'
import { channelText, quirkText } from './text.ts'

type ChannelForm = UseFormReturnType<ChannelValues>

const [openai, anthropic, google] = vendors
const examples = {
  chat: openai?.speaks.chat,
  responses: openai?.speaks.responses,
  messages: anthropic?.speaks.messages,
  gemini: google?.speaks.gemini,
}

/** What every channel needs, in the order in which it is asked. */
export function ChannelFields({ form, keys }: { form: ChannelForm; keys: ReactNode }) {
  const text = useText(channelText)
  const input = inputsOf(form, { ...text, ...protocolTitles })
  return (
    <Stack>
      {input.line('name', { placeholder: 'openai-main', required: true })}
      <Fieldset legend={text.address}>
        <Hint mb="sm">{text.addressHint}</Hint>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {protocols.map((protocol) => (
            <Fragment key={protocol}>
              {input.line(`speaks.${protocol}`, {
                ...{ placeholder: examples[protocol], inputMode: 'url', spellCheck: false },
              })}
            </Fragment>
          ))}
        </SimpleGrid>
      </Fieldset>
      {keys}
      {input.lines('models', {
        ...{ placeholder: 'gpt-5-mini\nfast = gpt-5-nano', minRows: 3, required: true },
      })}
      <Fieldset legend={text.order}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {input.whole('priority')}
            {input.whole('weight', { min: 1 })}
          </SimpleGrid>
          <LimitFields form={form} />
          <Hint>{text.limitsHint}</Hint>
        </Stack>
      </Fieldset>
    </Stack>
  )
}

const keysLook = { minRows: 1, maxRows: 10, autoComplete: 'off' }

/** The keys of a new channel. */
export const NewKeys = ({ form }: { form: ChannelForm }) =>
  inputsOf(form, useText(channelText)).lines('keys', {
    ...{ ...keysLook, placeholder: 'sk-…', required: true },
  })

/** The keys that a channel has, by their ends, and a field for more. */
export function Keys({ form, keys }: { form: ChannelForm; keys: Channel['keys'] }) {
  const text = useText(channelText)
  const { remove_keys } = form.values
  const toggle = (mark: string) =>
    form.setFieldValue(
      'remove_keys',
      remove_keys.includes(mark)
        ? remove_keys.filter((one) => one !== mark)
        : [...remove_keys, mark],
    )
  return (
    <Fieldset legend={text.keys}>
      <Stack gap="xs">
        {keys.map(({ mark, hint }) => {
          const goes = remove_keys.includes(mark)
          return (
            <Group key={mark} justify="space-between">
              <Text size="sm" ff="monospace" td={goes ? 'line-through' : undefined}>
                {hint}
              </Text>
              <Group gap="xs">
                {goes && (
                  <Text size="sm" c="red">
                    {text.willGo}
                  </Text>
                )}
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`${goes ? text.keep : text.remove} ${hint}`}
                  onClick={() => toggle(mark)}
                >
                  {goes ? text.keep : text.remove}
                </Button>
              </Group>
            </Group>
          )
        })}
        {inputsOf(form, text).lines('keys', { ...keysLook, label: text.addKeys })}
      </Stack>
    </Fieldset>
  )
}

/** Names of its fields begin with these. */
const own = /^(timeouts|probe_|proxy|allow_private|quirks)/

/** What most channels leave at its default. */
export function AdvancedFields({ form, proxy }: { form: ChannelForm; proxy: string | null }) {
  const text = useText(channelText)
  const input = inputsOf(form, text)
  const quirks = useText(quirkText)
  const [isOpen, setOpen] = useState(false)
  // An error in it must be seen.
  const isAtFault = Object.keys(form.errors).some((field) => own.test(field))
  const toggle = (value: string | null) => setOpen(value !== null)
  return (
    <Accordion variant="contained" value={isOpen || isAtFault ? 'more' : null} onChange={toggle}>
      <Accordion.Item value="more">
        <Accordion.Control>{text.more}</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <Fieldset legend={text.timeouts}>
              <SimpleGrid cols={{ base: 2, md: 4 }}>
                {input.line('timeouts.connect')}
                {input.line('timeouts.first_byte')}
                {input.line('timeouts.idle')}
                {input.line('timeouts.total')}
              </SimpleGrid>
            </Fieldset>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {input.line('probe_every')}
              {input.line('probe_model')}
            </SimpleGrid>
            {input.line('proxy', {
              ...(proxy !== null && { description: text.proxyNow(proxy) }),
              ...{ type: 'password', autoComplete: 'off', disabled: form.values.remove_proxy },
            })}
            {proxy !== null && input.tick('remove_proxy')}
            {input.flag('allow_private')}
            <Checkbox.Group {...fieldsOf(form, text)('quirks')}>
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
