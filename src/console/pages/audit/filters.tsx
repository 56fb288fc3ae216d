import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { useLanguage, useText } from '../../lib/language.tsx'
import { resourceName, resources, texts } from './text.ts'

export const filterNames = ['actor', 'action', 'subject', 'since'] as const

interface AuditFiltersProps {
  readonly given: { readonly [name: string]: string }
}

/** What the list is narrowed to; the address keeps it. */
export function AuditFilters({ given }: AuditFiltersProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: {
      actor: given.actor ?? '',
      action: given.action ?? '',
      subject: given.subject ?? '',
      since: given.since ?? '',
    },
  })
  const show = (values: Readonly<Record<string, string>>) => {
    const search = Object.entries(values).filter(([, value]) => value !== '')
    void navigate({ to: '/admin/audit', search: Object.fromEntries(search) })
  }
  return (
    <form onSubmit={form.onSubmit((values) => show(values))}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label={text.actor}
          placeholder={text.actorHint}
          flex="1 1 15rem"
          maw={320}
          {...form.getInputProps('actor')}
        />
        <NativeSelect
          label={text.action}
          {...form.getInputProps('action')}
          data={[
            { value: '', label: text.anyAction },
            ...resources.map((resource) => ({
              value: `${resource}.`,
              label: resourceName(resource, language),
            })),
          ]}
        />
        <TextInput
          label={text.subject}
          placeholder={text.subjectHint}
          flex="1 1 16rem"
          maw={340}
          {...form.getInputProps('subject')}
        />
        <TextInput label={text.since} type="date" {...form.getInputProps('since')} />
        <Button type="submit">{text.apply}</Button>
        {Object.keys(given).length > 0 && (
          <Button variant="default" onClick={() => show({})}>
            {text.clear}
          </Button>
        )}
      </Group>
    </form>
  )
}
