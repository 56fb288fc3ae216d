import {
  Accordion,
  Button,
  Checkbox,
  Fieldset,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import type { Channel } from '../../../admin/channels/schema.ts'
import { useText } from '../../lib/language.ts'
import { LimitFields } from '../../parts/fields.tsx'
import { fieldsOf, showProblems } from '../../parts/form.tsx'
import { Hint } from '../../parts/text.tsx'
import { type ChannelValues, formField, protocols, protocolTitles, vendors } from './form-values.ts'
import { channelText, quirkText } from './text.ts'

type ChannelForm = UseFormReturnType<ChannelValues>

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
  const field = fieldsOf(form, text)
  return (
    <Stack>
      <TextInput placeholder="openai-main" required {...field('name')} />
      <Fieldset legend={text.address}>
        <Hint mb="sm">{text.addressHint}</Hint>
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
        placeholder={'gpt-5-mini\nfast = gpt-5-nano'}
        autosize
        minRows={3}
        maxRows={14}
        required
        spellCheck={false}
        {...field('models')}
      />
      <Fieldset legend={text.order}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NumberInput allowDecimal={false} {...field('priority')} />
            <NumberInput min={1} allowDecimal={false} {...field('weight')} />
          </SimpleGrid>
          <LimitFields inputProps={form.getInputProps} />
          <Hint>{text.limitsHint}</Hint>
        </Stack>
      </Fieldset>
    </Stack>
  )
}

/** The keys of a new channel. */
export function NewKeys({ form }: { readonly form: ChannelForm }) {
  const text = useText(channelText)
  const field = fieldsOf(form, text)
  return (
    <Textarea
      placeholder="sk-…"
      autosize
      minRows={1}
      maxRows={10}
      required
      autoComplete="off"
      spellCheck={false}
      {...field('keys')}
    />
  )
}

interface KeysProps {
  readonly form: ChannelForm
  readonly keys: Channel['keys']
}

/** The keys that a channel has, by their ends, and a place for more. */
export function Keys({ form, keys }: KeysProps) {
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
        <Textarea
          label={text.addKeys}
          description={text.keysHint}
          autosize
          minRows={1}
          maxRows={10}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('keys')}
        />
      </Stack>
    </Fieldset>
  )
}

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
  const field = fieldsOf(form, text)
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
            <Switch {...field('allow_private', 'checkbox')} />
            <Checkbox.Group {...field('quirks')}>
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

/** Shows a refusal at the fields of the form that it names; false: not all of it has one. */
export const showChannelError = (form: ChannelForm, error: unknown): boolean =>
  showProblems(form, error, (field) => formField(field.replace(/^channel\./, '')))
