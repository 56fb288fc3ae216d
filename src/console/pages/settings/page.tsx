import { Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { SettingList } from '../../../admin/settings/schema.ts'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { know } from '../../lib/know.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { EditForm } from '../../parts/edit-form.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { type Edit, useEdit } from '../../parts/use-edit.ts'
import { Field } from './field.tsx'
import { changedIn, changeOf, type SettingValues, valueIn, valuesOf } from './form-values.ts'
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
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {query.data && <Form live={query.data} />}
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
      <Text size="sm" c="dimmed" mb="md">
        {hint}
      </Text>
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
