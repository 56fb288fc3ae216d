import { Button, Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { SettingList, SettingPatch, SettingView } from '../../../admin/settings/routes.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { type Language, useLanguage, useText } from '../../lib/language.ts'
import { type Edit, EditForm, useEdit } from '../../parts/edit.tsx'
import { inputsOf } from '../../parts/form.tsx'
import { formOf } from '../../parts/form-fields.ts'
import { Loaded, PageFrame, Section } from '../../parts/page.tsx'
import { SmallHint } from '../../parts/text.tsx'
import { inOrder, type SectionName, sectionOf, sections, settingsText, wordsOf } from './text.ts'

/** Settings of the whole gateway; only what was changed is sent. */
export function Page() {
  const text = useText(settingsText)
  const query = useCall(['settings'], () => api.admin.settings.get())
  return (
    <PageFrame title={text.title} description={text.description}>
      <Loaded query={query} waiting={<Skeleton height={480} aria-busy />}>
        {(list) => <Form live={list} />}
      </Loaded>
    </PageFrame>
  )
}

function Form({ live }: { readonly live: SettingList }) {
  const text = useText(settingsText)
  const { language } = useLanguage()
  const { valuesOf, changeOf, shown } = formOfSettings(live, language)
  const changed = (seen: SettingList, values: Values) =>
    Object.entries(changeOf(stateOf(seen), values)).map(([id, value]) => [nameOf(id), value])
  const edit = useEdit<SettingList, Values>({
    ...{ live, queryKey: ['settings'], changes: ['me'], fieldOf: idOf },
    valuesOf: (list) => valuesOf(stateOf(list)),
    send(seen, values) {
      const changes: SettingPatch['changes'] = Object.fromEntries(changed(seen, values))
      return call(api.admin.settings.patch({ revision: seen.revision, changes }))
    },
  })
  const labels = Object.fromEntries(
    live.items.map(({ name }) => [idOf(name), wordsOf(name, language).label]),
  )
  const count = changed(edit.seen, edit.form.values).length
  return (
    <EditForm edit={edit} shown={(list) => shown(stateOf(list), labels)}>
      {sections.map((name) => (
        <Part key={name} name={name} edit={edit} />
      ))}
      <Text size="sm" aria-live="polite">
        {count > 0 && text.changed(count)}
      </Text>
    </EditForm>
  )
}

interface PartProps {
  readonly name: SectionName
  readonly edit: Edit<SettingList, Values>
}

function Part({ name, edit: { form, seen } }: PartProps) {
  const text = useText(settingsText)
  const own = inOrder(seen.items.filter((setting) => sectionOf(setting.name) === name))
  return (
    <Section title={text[name]} hint={text[`${name}Hint`]}>
      <SimpleGrid className="fields" cols={{ base: 1, md: 2 }} verticalSpacing={0}>
        {own.map((setting) => (
          <Field key={setting.name} setting={setting} form={form} />
        ))}
      </SimpleGrid>
    </Section>
  )
}

function Field({ setting, form }: { setting: SettingView; form: UseFormReturnType<Values> }) {
  const text = useText(settingsText)
  const { language } = useLanguage()
  const { kind, choices = [], description, example, line } = setting
  const { label, hint, choice, ...words } = wordsOf(setting.name, language)
  const sample = words.example ?? example
  const id = idOf(setting.name)
  const isFixed = line !== null
  const usual = choice(useShownValue(setting.default))
  const look = { label, description: hint ?? description, disabled: isFixed }
  const input = inputsOf(form, {})
  return (
    <div className="narrow-field">
      {kind === 'flag' && input.flag(id, look)}
      {kind === 'choice' &&
        input.choice(
          id,
          choices.map((value) => ({ value, label: choice(value) })),
          look,
        )}
      {kind === 'text' &&
        input.line(id, { ...look, placeholder: sample === null ? '' : text.example(sample) })}
      {kind === 'usd' && input.usd(id, look)}
      {kind === 'whole' && input.line(id, { ...look, inputMode: 'numeric' })}
      {(isFixed || setting.default !== null) && (
        <Group gap="xs" mt={4} mih={22} pl={kind === 'flag' ? 50 : 0}>
          <SmallHint className="cut">
            {isFixed ? text.fixed(line) : text.byDefault(usual)}
          </SmallHint>
          {!isFixed && form.values[id] !== fieldValue(setting.default) && (
            <Button
              size="compact-xs"
              variant="subtle"
              aria-label={`${text.reset}: ${label}`}
              onClick={() => form.setFieldValue(id, fieldValue(setting.default))}
            >
              {text.reset}
            </Button>
          )}
        </Group>
      )}
    </div>
  )
}

function useShownValue(value: SettingView['value']): string {
  const text = useText(settingsText)
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? text.yes : text.no
  return String(value)
}

type Value = SettingView['value']
type Typed = string | boolean
type Values = Readonly<Record<string, Typed>>

/** The form's name of a setting, as the form takes a dot for a part of a field. */
const idOf = (name: string) => name.replace('.', '_')
const nameOf = (id: string) => id.replace('_', '.')

const stateOf = ({ items }: SettingList): Readonly<Record<string, Value>> =>
  Object.fromEntries(items.map(({ name, value }) => [idOf(name), value]))

/** What the field of a setting shows of a value; empty: not set. */
const fieldValue = (value: Value): Typed =>
  typeof value === 'boolean' ? value : String(value ?? '')

/** The fields of all settings that the API lists. */
const formOfSettings = ({ items }: SettingList, language: Language) =>
  formOf(
    Object.fromEntries(
      items.map(({ name, kind, default: usual }) => [
        idOf(name),
        {
          fill: fieldValue,
          /** An empty text and the default remove a setting; whole numbers are sent as such. */
          read(value: Typed): Value {
            if (typeof value === 'boolean') return value === usual ? null : value
            const typed = value.trim()
            if (typed === '' || typed === fieldValue(usual)) return null
            return kind === 'whole' && /^\d{1,15}$/.test(typed) ? Number(typed) : typed
          },
          show: (value: Value) =>
            typeof value === 'string' ? wordsOf(name, language).choice(value) : value,
        },
      ]),
    ),
  )
