import {
  Accordion,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import type { OpenGroups } from '../../../admin/open-groups/routes.ts'
import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { fieldsOf, inputsOf } from '../../parts/form.tsx'
import { SuggestInput } from '../../parts/suggest-input.tsx'
import { type ProtocolName, protocols } from '../channels/channel-fields.ts'
import { callableOf } from '../tokens/groups.ts'
import { stateOf, type TokenState, tokenThatWorks } from '../tokens/state.ts'
import { tokensText } from '../tokens/text.ts'
import type { Settings } from './conversation.ts'
import { texts } from './text.ts'

const initial = {
  ...{ token: '', protocol: 'chat' as ProtocolName, model: '', second: '', system: '' },
  ...{ stream: true, maxTokens: '', temperature: '' },
}
export type SettingsForm = UseFormReturnType<typeof initial>

/** What one's tokens can call. */
export interface Offers {
  readonly tokens: readonly ListedToken[]
  readonly groups: OpenGroups['items']
}

/** The models of a token, the one to begin with, and those of them that take images. */
export function offersOf({ tokens, groups }: Offers, id: string) {
  const token = tokens.find((one) => String(one.id) === id)
  const group = groups.find(({ name }) => name === token?.group)
  return { ...callableOf(group, token?.models ?? []), imageModels: group?.image_models ?? [] }
}

/** The settings of a conversation; the address may name a token, and one model or two. */
export function useSettings(offers: Offers): SettingsForm {
  const text = useText(texts)
  const search = useSearch({ strict: false })
  const { tokens } = offers
  const calls = ({ id }: ListedToken) =>
    search.model === undefined || offersOf(offers, String(id)).models.includes(`${search.model}`)
  const wanted =
    tokens.find(({ id }) => id === Number(search.token)) ??
    (tokenThatWorks(tokens, calls) || tokenThatWorks(tokens) || tokens[0])
  const token = String(wanted?.id ?? '')
  return useForm({
    initialValues: {
      ...{ ...initial, token, second: String(search.second ?? '') },
      model: String(search.model ?? offersOf(offers, token).usual ?? ''),
    },
    validate: { model: (value) => (value.trim() === '' ? text.required : null) },
  })
}

/** As they are asked with. */
export const settingsOf = ({ values }: SettingsForm): Settings => {
  const { token, model, second, maxTokens, temperature, ...rest } = values
  const other = second.trim()
  return {
    ...rest,
    token: Number(token),
    models: [...new Set([model.trim(), ...(other === '' ? [] : [other])])],
    maxTokens: maxTokens === '' ? null : Number(maxTokens),
    temperature: temperature === '' ? null : Number(temperature),
  }
}

/** Token, models and parameters. */
export function SettingsInputs({ form, offers }: { form: SettingsForm; offers: Offers }) {
  const text = useText(texts)
  const states = useText(tokensText)
  const field = fieldsOf(form, text)
  const { models } = offersOf(offers, form.values.token)
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <NativeSelect
          data={offers.tokens.map((token) => ({
            value: String(token.id),
            label: labelOf(token, states),
          }))}
          {...field('token')}
        />
        <SuggestInput known={models} {...field('model')} />
        <SuggestInput known={models} placeholder={text.noSecond} {...field('second')} />
      </SimpleGrid>
      <Accordion variant="contained">
        <Accordion.Item value="parameters">
          <Accordion.Control>{text.parameters}</Accordion.Control>
          <Accordion.Panel>
            <Parameters form={form} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  )
}

/** A token that is refused by itself says so before it is chosen. */
function labelOf(token: ListedToken, text: Readonly<Record<TokenState, string>>): string {
  const state = stateOf(token)
  return `${token.name} · ${token.group}${state === 'active' ? '' : ` (${text[state]})`}`
}

function Parameters({ form }: { readonly form: SettingsForm }) {
  const text = useText(texts)
  const protocolLabel = useId()
  const field = fieldsOf(form, text)
  const input = inputsOf(form, text)
  return (
    <Stack gap="sm">
      {input.lines('system', { maxRows: 8, spellCheck: undefined })}
      <Input.Wrapper label={text.protocol} labelElement="div" labelProps={{ id: protocolLabel }}>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby={protocolLabel}
          data={choicesOf(protocols, text)}
          {...form.getInputProps('protocol')}
        />
      </Input.Wrapper>
      <Group align="flex-end" gap="lg">
        <TextInput
          {...{ type: 'number', min: 0, max: 2, step: 0.1, w: 180 }}
          {...field('temperature')}
        />
        <TextInput {...{ type: 'number', min: 1, step: 1, w: 180 }} {...field('maxTokens')} />
        {input.flag('stream')}
      </Group>
    </Stack>
  )
}
