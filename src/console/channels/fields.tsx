import { Fieldset, NumberInput, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useText } from '../lib/language.tsx'
import { LimitFields } from '../parts/limit-fields.tsx'
import type { ChannelValues } from './form-values.ts'
import { channelText } from './text.ts'
import { protocols, protocolTitles, vendors } from './vendors.ts'

export type ChannelForm = UseFormReturnType<ChannelValues>

interface FieldsProps {
  readonly form: ChannelForm
  /** The keys: they are given once, and changed otherwise. */
  readonly keys: ReactNode
}

const [openai, anthropic, google] = vendors
const examples = {
  chat: openai?.speaks.chat,
  responses: openai?.speaks.responses,
  messages: anthropic?.speaks.messages,
  gemini: google?.speaks.gemini,
}

/** What everybody must say of a channel, and the order in which it is asked. */
export function ChannelFields({ form, keys }: FieldsProps) {
  const text = useText(channelText)
  return (
    <Stack>
      <TextInput
        label={text.name}
        description={text.nameHint}
        placeholder="openai-main"
        required
        {...form.getInputProps('name')}
      />
      <Fieldset legend={text.address}>
        <Text size="sm" c="dimmed" mb="sm">
          {text.addressHint}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {protocols.map((protocol) => (
            <TextInput
              key={protocol}
              label={protocolTitles[protocol]}
              placeholder={examples[protocol]}
              inputMode="url"
              spellCheck={false}
              {...form.getInputProps(`speaks.${protocol}`)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      {keys}
      <Textarea
        label={text.models}
        description={text.modelsHint}
        placeholder={'gpt-5-mini\nfast = gpt-5-nano'}
        autosize
        minRows={3}
        maxRows={14}
        required
        spellCheck={false}
        {...form.getInputProps('models')}
      />
      <Fieldset legend={text.order}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NumberInput
              label={text.priority}
              description={text.priorityHint}
              allowDecimal={false}
              {...form.getInputProps('priority')}
            />
            <NumberInput
              label={text.weight}
              description={text.weightHint}
              min={1}
              allowDecimal={false}
              {...form.getInputProps('weight')}
            />
          </SimpleGrid>
          <LimitFields inputProps={form.getInputProps} />
          <Text size="sm" c="dimmed">
            {text.limitsHint}
          </Text>
        </Stack>
      </Fieldset>
    </Stack>
  )
}
