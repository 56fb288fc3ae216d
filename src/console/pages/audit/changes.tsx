import { Text } from '@mantine/core'
import type { AuditChange } from '../../../admin/audit/schema.ts'
import { useText } from '../../lib/language.tsx'
import { texts } from './text.ts'

/** From what to what, each in a line. */
export const Changes = ({ changes }: { readonly changes: readonly AuditChange[] }) => (
  <div>
    {changes.map((change) => (
      <Text key={change.name} size="sm" className="cut" maw={420}>
        <Text span inherit c="dimmed">
          {change.name.replaceAll('_', ' ')}:
        </Text>{' '}
        <Step change={change} />
      </Text>
    ))}
  </div>
)

function Step({ change: { from, to } }: { readonly change: AuditChange }) {
  const text = useText(texts)
  const shown = (value: string | null) => (value === null || value === '' ? text.none : value)
  if (from === undefined && to === undefined) return text.hidden
  if (to === undefined) return shown(from ?? null)
  if (from === undefined) return shown(to)
  return (
    <>
      {shown(from)} → <strong>{shown(to)}</strong>
    </>
  )
}
