import { Accordion, Button, Checkbox, Fieldset, Group, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import type { Channel } from '../../../admin/channels/schema.ts'
import { useText } from '../../lib/language.ts'
import { Fields } from '../../parts/fields.tsx'
import { inputsOf } from '../../parts/form.tsx'
import {
  addressFields,
  advancedFields,
  type ChannelValues,
  offerFields,
  protocolTitles,
  vendors,
} from './channel-fields.ts'
import { channelText, quirkText } from './text.ts'

type ChannelForm = UseFormReturnType<ChannelValues>

const { OpenAI, Anthropic, 'Google Gemini': google } = vendors
const url = (placeholder: string) => ({ placeholder, inputMode: 'url', spellCheck: false })
const looks = {
  name: { placeholder: 'openai-main', required: true },
  chat: url(OpenAI.chat),
  responses: url(OpenAI.responses),
  messages: url(Anthropic.messages),
  gemini: url(google.gemini),
  models: { placeholder: 'gpt-5-mini\nfast = gpt-5-nano', minRows: 3, required: true },
  weight: { min: 1 },
}

/** What every channel needs, in the order in which it is asked. */
export function ChannelInputs({ form, keys }: { form: ChannelForm; keys: ReactNode }) {
  const text = { ...useText(channelText), ...protocolTitles }
  return (
    <Stack>
      <Fields {...{ form, text, looks }} fields={addressFields} />
      {keys}
      <Fields {...{ form, text, looks }} fields={offerFields} />
    </Stack>
  )
}

const keysLook = { minRows: 1, maxRows: 10, autoComplete: 'off' }

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

/** What most channels leave at its default. */
export function AdvancedInputs({ form, proxy }: { form: ChannelForm; proxy: string | null }) {
  const text = useText(channelText)
  const input = inputsOf(form, text)
  const quirks = useText(quirkText)
  const [isOpen, setOpen] = useState(false)
  // An error in it must be seen.
  const isAtFault = Object.keys(form.errors).some((field) => {
    const [name = ''] = field.split('.')
    return name === 'proxy' || name in advancedFields
  })
  const toggle = (value: string | null) => setOpen(value !== null)
  return (
    <Accordion variant="contained" value={isOpen || isAtFault ? 'more' : null} onChange={toggle}>
      <Accordion.Item value="more">
        <Accordion.Control>{text.more}</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            {input.line('proxy', {
              ...(proxy !== null && { description: text.proxyNow(proxy) }),
              type: 'password',
              autoComplete: 'off',
              disabled: form.values.remove_proxy,
            })}
            {proxy !== null && input.tick('remove_proxy')}
            <Fields
              form={form}
              fields={advancedFields}
              text={text}
              own={{
                quirks: (given) => (
                  <Checkbox.Group {...given}>
                    <Stack gap="xs" mt="xs">
                      {Object.entries(quirks).map(([name, title]) => (
                        <Checkbox key={name} value={name} label={title} description={name} />
                      ))}
                    </Stack>
                  </Checkbox.Group>
                ),
              }}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
