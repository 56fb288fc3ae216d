import {
  Fieldset,
  MultiSelect,
  Radio,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useText } from '../lib/language.tsx'
import { LimitFields } from '../parts/limit-fields.tsx'
import { RegionFields } from '../parts/region-fields.tsx'
import type { GroupValues } from './form-values.ts'
import { groupText } from './text.ts'
import { useChannelNames } from './use-channels.ts'

export type GroupForm = UseFormReturnType<GroupValues>

interface GroupFieldsProps {
  readonly form: GroupForm
  /** What another multiplier would do, below its field. */
  readonly effect?: ReactNode
}

/** The form of a group. */
export function GroupFields({ form, effect }: GroupFieldsProps) {
  const text = useText(groupText)
  const names = useChannelNames() ?? form.values.channels
  return (
    <Stack>
      <TextInput
        label={text.name}
        description={text.nameHint}
        required
        {...form.getInputProps('name')}
      />
      <MultiSelect
        label={text.channels}
        description={text.channelsHint}
        data={[...new Set([...names, ...form.values.channels])]}
        searchable
        hidePickedOptions
        {...form.getInputProps('channels')}
      />
      <TextInput
        label={text.multiplier}
        description={text.multiplierHint}
        leftSection="×"
        inputMode="decimal"
        maw={300}
        required
        {...form.getInputProps('rate_multiplier')}
      />
      {effect}
      <Textarea
        label={text.models}
        description={text.modelsHint}
        autosize
        minRows={2}
        maxRows={14}
        spellCheck={false}
        {...form.getInputProps('models')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Textarea
          label={text.about}
          description={text.aboutHint}
          autosize
          minRows={1}
          {...form.getInputProps('description')}
        />
        <TextInput
          label={text.platform}
          description={text.platformHint}
          {...form.getInputProps('platform')}
        />
      </SimpleGrid>
      <Stack gap="xs">
        <Switch label={text.isOpen} {...form.getInputProps('is_open', { type: 'checkbox' })} />
        {!form.values.is_open && (
          <Textarea
            label={text.accounts}
            description={text.accountsHint}
            autosize
            minRows={2}
            maxRows={14}
            spellCheck={false}
            {...form.getInputProps('accounts')}
          />
        )}
      </Stack>
      <Stack gap="xs">
        <Switch
          label={text.hasAllTools}
          {...form.getInputProps('has_all_tools', { type: 'checkbox' })}
        />
        {!form.values.has_all_tools && (
          <Textarea
            label={text.tools}
            description={text.toolsHint}
            autosize
            minRows={2}
            maxRows={14}
            spellCheck={false}
            {...form.getInputProps('tools')}
          />
        )}
      </Stack>
      <RegionFields kind={form.values.regions.kind} inputProps={form.getInputProps} />
      <Switch
        label={text.long_context}
        {...form.getInputProps('long_context_pricing', { type: 'checkbox' })}
      />
      <Radio.Group label={text.on_disconnect} {...form.getInputProps('on_disconnect')}>
        <Stack gap="xs" mt="xs">
          <Radio value="bill_observed" label={text.bill_observed} />
          <Radio value="drain" label={text.drain} />
        </Stack>
      </Radio.Group>
      <Fieldset legend={text.limits}>
        <LimitFields inputProps={form.getInputProps} />
      </Fieldset>
    </Stack>
  )
}
