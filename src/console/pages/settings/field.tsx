import { Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { SettingView } from '../../../admin/settings/schema.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { fieldValue } from './form-values.ts'
import { settingNames, settingsText } from './text.ts'

interface FieldProps {
  readonly setting: SettingView
  readonly value: string | boolean
  readonly error: ReactNode
  readonly set: (value: string | boolean) => void
}

/** One setting, with what it is for and its default. */
export function Field({ setting, value, error, set }: FieldProps) {
  const text = useText(settingsText)
  const { language } = useLanguage()
  const { name, kind, choices, description, line } = setting
  const names = settingNames[name]
  const label = names?.[language] ?? name
  const hint = (language === 'zh' ? names?.zhHint : names?.enHint) ?? description
  const isFixed = line !== null
  const shown = useShown(setting.default)
  const usual = names?.choices?.[shown]?.[language] ?? shown
  const common = { label, description: hint, disabled: isFixed, error }
  return (
    <Stack gap={4}>
      {kind === 'flag' && (
        <Switch
          {...common}
          checked={value === true}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      )}
      {kind === 'choice' && (
        <Select
          {...common}
          data={choices?.map((value) => ({
            value,
            label: names?.choices?.[value]?.[language] ?? value,
          }))}
          allowDeselect={false}
          value={String(value)}
          onChange={(word) => set(word ?? '')}
        />
      )}
      {(kind === 'text' || kind === 'whole') && (
        <TextInput
          {...common}
          inputMode={kind === 'whole' ? 'numeric' : undefined}
          value={String(value)}
          onChange={(event) => set(event.currentTarget.value)}
        />
      )}
      <Group gap="xs" mih={22}>
        <Text size="xs" c="dimmed" className="cut">
          {isFixed ? text.fixed(line) : text.byDefault(usual)}
        </Text>
        {!isFixed && value !== fieldValue(setting.default) && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`${text.reset}: ${label}`}
            onClick={() => set(fieldValue(setting.default))}
          >
            {text.reset}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function useShown(value: SettingView['value']): string {
  const text = useText(settingsText)
  if (value === null) return text.unset
  if (typeof value === 'boolean') return value ? text.yes : text.no
  return String(value)
}
