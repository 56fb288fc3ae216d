import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { SettingList, SettingPatch, SettingView } from '../../../admin/settings/routes.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { useLanguage, useText } from '../../lib/language.ts'
import { type Edit, EditForm, useEdit } from '../../parts/edit.tsx'
import { inputsOf } from '../../parts/form.tsx'
import { Loaded, PageFrame } from '../../parts/page.tsx'
import { Hint, SmallHint } from '../../parts/text.tsx'
import { settingsText, wordsOf } from './text.ts'

/** Settings of the whole gateway; only what was changed is sent. */
export function Page() {
  const text = useText(settingsText)
  const query = useCall(['settings'], () => api.admin.settings.get())
  return (
    <PageFrame title={text.title} description={text.description}>
      <Loaded query={query}>{(list) => <Form live={list} />}</Loaded>
    </PageFrame>
  )
}

function Form({ live }: { readonly live: SettingList }) {
  const text = useText(settingsText)
  const { language } = useLanguage()
  const edit = useEdit<SettingList, SettingValues>({
    live,
    queryKey: ['settings'],
    changes: ['me'],
    valuesOf,
    send: (seen, values) => call(api.admin.settings.patch(changeOf(seen, values))),
  })
  const shown = ({ items }: SettingList) =>
    Object.fromEntries(
      items.map(({ name, value }) => {
        const { label, choice } = wordsOf(name, language)
        return [label, typeof value === 'string' ? choice(value) : value]
      }),
    )
  const count = changedIn(edit.seen, edit.form.values).length
  return (
    <EditForm edit={edit} shown={shown}>
      <Section name="site" edit={edit} />
      <Section name="settings" edit={edit} />
      <Text size="sm" aria-live="polite">
        {count > 0 && text.changed(count)}
      </Text>
    </EditForm>
  )
}

interface SectionProps {
  readonly name: 'site' | 'settings'
  readonly edit: Edit<SettingList, SettingValues>
}

function Section({ name, edit: { form, seen } }: SectionProps) {
  const text = useText(settingsText)
  const own = seen.items.filter((setting) => setting.name.startsWith(`${name}.`))
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        {text[name]}
      </Title>
      <Hint mb="md">{text[`${name}Hint`]}</Hint>
      <SimpleGrid cols={{ base: 1, md: 2 }} verticalSpacing="lg">
        {own.map((setting) => (
          <Field key={setting.name} setting={setting} form={form} />
        ))}
      </SimpleGrid>
    </Paper>
  )
}

interface FieldProps {
  readonly setting: SettingView
  readonly form: UseFormReturnType<SettingValues>
}

function Field({ setting, form }: FieldProps) {
  const text = useText(settingsText)
  const { language } = useLanguage()
  const { kind, choices = [], description, line } = setting
  const name = setting.name as `${string}.${string}`
  const { label, hint, choice } = wordsOf(name, language)
  const isFixed = line !== null
  const usual = choice(useShownValue(setting.default))
  const look = { label, description: hint ?? description, disabled: isFixed }
  const input = inputsOf(form, {})
  return (
    <Stack gap={4}>
      {kind === 'flag' && input.flag(name, look)}
      {kind === 'choice' &&
        input.choice(
          name,
          choices.map((value) => ({ value, label: choice(value) })),
          look,
        )}
      {kind === 'text' && input.line(name, look)}
      {kind === 'whole' && input.line(name, { ...look, inputMode: 'numeric' })}
      <Group gap="xs" mih={22}>
        <SmallHint className="cut">{isFixed ? text.fixed(line) : text.byDefault(usual)}</SmallHint>
        {!isFixed && valueIn(form.values, name) !== fieldValue(setting.default) && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`${text.reset}: ${label}`}
            onClick={() => form.setFieldValue(name, fieldValue(setting.default))}
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
type SettingValues = Record<string, Record<string, string | boolean>>

/** What the field of a setting shows of a value; empty: not set. */
const fieldValue = (value: Value): string | boolean =>
  typeof value === 'boolean' ? value : String(value ?? '')

function valuesOf({ items }: SettingList): SettingValues {
  const values: SettingValues = {}
  for (const { name, value } of items) {
    const [section = '', key = ''] = name.split('.')
    values[section] = { ...values[section], [key]: fieldValue(value) }
  }
  return values
}

function valueIn(values: SettingValues, name: string): string | boolean {
  const [section = '', key = ''] = name.split('.')
  return values[section]?.[key] ?? ''
}

const changedIn = ({ items }: SettingList, values: SettingValues) =>
  items.filter(({ name, value }) => valueIn(values, name) !== fieldValue(value))

/** What the form changes of what was seen: nothing else is named. */
function changeOf(seen: SettingList, values: SettingValues): SettingPatch {
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
