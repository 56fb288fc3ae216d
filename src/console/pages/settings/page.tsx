import {
  Button,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { SettingList, SettingPatch, SettingView } from '../../../admin/settings/schema.ts'
import { api, call, know } from '../../lib/api.ts'
import { useLanguage, useText } from '../../lib/language.ts'
import { type Edit, EditForm, useEdit } from '../../parts/edit.tsx'
import { showAtField } from '../../parts/form.tsx'
import { Loaded, PageFrame } from '../../parts/page.tsx'
import { Hint, SmallHint } from '../../parts/text.tsx'
import { settingNames, settingsText } from './text.ts'

/** Settings of the whole gateway; only what was changed is sent. */
export function Page() {
  const text = useText(settingsText)
  const query = useQuery({
    queryKey: ['settings'],
    queryFn: () => call(api.admin.settings.get()),
  })
  return (
    <PageFrame title={text.title} description={text.description}>
      <Loaded query={query}>{(list) => <Form live={list} />}</Loaded>
    </PageFrame>
  )
}

function Form({ live }: { readonly live: SettingList }) {
  const text = useText(settingsText)
  const queries = useQueryClient()
  const shown = useShown()
  const edit = useEdit<SettingList, SettingValues>({
    live,
    valuesOf,
    send: (seen, values) => call(api.admin.settings.patch(changeOf(seen, values))),
    showAtFields: (form, error) =>
      showAtField(form, error, Object.fromEntries(live.items.map(({ name }) => [name, name]))),
    tell: (now) => {
      void know(queries, ['settings'], now)
      void queries.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const count = changedIn(edit.seen, edit.form.values).length
  return (
    <EditForm edit={edit} shown={shown}>
      <Section name="site" hint={text.siteHint} edit={edit} />
      <Section name="settings" hint={text.settingsHint} edit={edit} />
      <Text size="sm" aria-live="polite">
        {count > 0 && text.changed(count)}
      </Text>
    </EditForm>
  )
}

interface SectionProps {
  readonly name: 'site' | 'settings'
  readonly hint: string
  readonly edit: Edit<SettingList, SettingValues>
}

function Section({ name, hint, edit: { form, seen } }: SectionProps) {
  const text = useText(settingsText)
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        {text[name]}
      </Title>
      <Hint mb="md">{hint}</Hint>
      <SimpleGrid cols={{ base: 1, md: 2 }} verticalSpacing="lg">
        {seen.items
          .filter((setting) => setting.name.startsWith(`${name}.`))
          .map((setting) => (
            <Field
              key={setting.name}
              setting={setting}
              value={valueIn(form.values, setting.name)}
              error={form.errors[setting.name]}
              set={(value) => form.setFieldValue(setting.name as `${string}.${string}`, value)}
            />
          ))}
      </SimpleGrid>
    </Paper>
  )
}

/** What two people may have changed, by its label. */
function useShown(): (list: SettingList) => Record<string, unknown> {
  const { language } = useLanguage()
  return ({ items }) =>
    Object.fromEntries(
      items.map(({ name, value }) => {
        const names = settingNames[name]
        return [names?.[language] ?? name, names?.choices?.[String(value)]?.[language] ?? value]
      }),
    )
}

interface FieldProps {
  readonly setting: SettingView
  readonly value: string | boolean
  readonly error: ReactNode
  readonly set: (value: string | boolean) => void
}

/** One setting, with what it is for and its default. */
function Field({ setting, value, error, set }: FieldProps) {
  const text = useText(settingsText)
  const { language } = useLanguage()
  const { name, kind, choices, description, line } = setting
  const names = settingNames[name]
  const label = names?.[language] ?? name
  const hint = (language === 'zh' ? names?.zhHint : names?.enHint) ?? description
  const isFixed = line !== null
  const shown = useShownValue(setting.default)
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
        <SmallHint className="cut">{isFixed ? text.fixed(line) : text.byDefault(usual)}</SmallHint>
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

function useShownValue(value: SettingView['value']): string {
  const text = useText(settingsText)
  if (value === null) return text.unset
  if (typeof value === 'boolean') return value ? text.yes : text.no
  return String(value)
}

type Value = SettingView['value']

/** Settings as a form has them, by the two parts of their names: `site.name`. */
export type SettingValues = Record<string, Record<string, string | boolean>>

/** What the field of a setting shows of a value; empty: not set. */
export const fieldValue = (value: Value): string | boolean =>
  typeof value === 'boolean' ? value : String(value ?? '')

/** The form of all settings as they are. */
export function valuesOf({ items }: SettingList): SettingValues {
  const values: SettingValues = {}
  for (const { name, value } of items) {
    const [section = '', key = ''] = name.split('.')
    values[section] = { ...values[section], [key]: fieldValue(value) }
  }
  return values
}

/** What stands in the field of a setting. */
export function valueIn(values: SettingValues, name: string): string | boolean {
  const [section = '', key = ''] = name.split('.')
  return values[section]?.[key] ?? ''
}

/** The settings that the form changes of what was seen. */
export const changedIn = ({ items }: SettingList, values: SettingValues) =>
  items.filter(({ name, value }) => valueIn(values, name) !== fieldValue(value))

/** What the form changes of what was seen: nothing else is named. */
export function changeOf(seen: SettingList, values: SettingValues): SettingPatch {
  const changes = changedIn(seen, values).map(
    (setting) => [setting.name, wanted(setting, valueIn(values, setting.name))] as const,
  )
  return { revision: seen.revision, changes: Object.fromEntries(changes) }
}

/** An empty text, and the default, take a setting away; whole numbers are sent as such. */
function wanted({ kind, default: usual }: SettingView, value: string | boolean): Value {
  if (typeof value === 'boolean') return value === usual ? null : value
  const typed = value.trim()
  if (typed === '' || typed === fieldValue(usual)) return null
  return kind === 'whole' && /^\d{1,15}$/.test(typed) ? Number(typed) : typed
}
